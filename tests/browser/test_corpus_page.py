"""The corpus in a real browser: lists of any length, search, sorting, systems side by side, rescoring."""

import json
import os

import pytest

import factable
from helpers.paths import RESTAURANTS
from helpers.peers import Peer
from helpers.serving import serving

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("serve")]
playwright = Peer("playwright.sync_api")
axe = Peer("axe_playwright_python.sync_playwright")
# What is in the document at once, of any number.
MOST_ROWS = 40


def write_lines(path, number):
    with path.open("w") as stream:
        for index in range(number):
            data = {"name": f"Name {index // 2}", "food": "French"}
            fields = {
                "id": f"i{index // 2}",
                "system": "ab"[index % 2],
                "data": data,
                "human": {"rank": -index},
            }
            stream.write(
                json.dumps({**fields, "text": f"Name {index // 2} serves food number {index}."}) + "\n"
            )
    return path


@pytest.fixture(autouse=True)
def patience():
    """Nothing is waited for longer than on the busiest machine."""
    playwright.expect.set_options(timeout=60_000)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Ten thousand texts, and more than a browser can show in one piece."""
    folder = tmp_path_factory.mktemp("corpus")
    return {number: write_lines(folder / f"{number}.jsonl", number) for number in (10_000, 120_000)}


@pytest.fixture(scope="module")
def restaurants_url():
    with serving(files=(str(RESTAURANTS),)) as running:
        yield running.url


@pytest.fixture
def open_corpus(open_site):
    """A function that opens the corpus of a server."""

    def open_it(url, **options):
        page = open_site(f"{url}/corpus", **options)
        page.locator(".item b").first.wait_for()
        return page

    return open_it


def items(page):
    return page.locator(".item b").all_inner_texts()


def score(page, metric):
    page.locator("#metric").fill(metric)
    page.get_by_role("button", name="Score all texts").click()
    playwright.expect(page.locator(".job.done b", has_text=metric).first).to_be_visible()


def test_texts_are_scored_sorted_filtered_and_shown_side_by_side(open_corpus, restaurants_url):
    page = open_corpus(restaurants_url)
    playwright.expect(page.locator("#count")).to_have_text("6 texts")
    score(page, "slot_error")
    score(page, "parent")
    playwright.expect(page.locator("#sort option", has_text="parent").first).to_be_attached()
    page.locator("#sort").select_option("parent")
    playwright.expect(page.locator("#direction")).to_have_text("worst first")
    values = [f"{value:.3f}" for value in sorted(factable.score(RESTAURANTS, "parent")["parent"].values)]
    playwright.expect(page.locator(".item .figure")).to_have_text(values)
    page.locator("#direction").click()
    playwright.expect(page.locator("#row-0 .figure")).to_have_text(values[-1])
    page.locator("#high").fill("0.5")
    playwright.expect(page.locator("#count")).to_contain_text("of 6 texts")
    assert all(float(value) <= 0.5 for value in page.locator(".item .figure").all_inner_texts())
    page.locator("#high").fill("")
    playwright.expect(page.locator("#count")).to_have_text("6 texts")
    page.locator("#judge").select_option("slot_error")
    page.locator("#kind").select_option("omitted")
    playwright.expect(page.locator("#count")).to_contain_text("of 6 texts")
    playwright.expect(page.locator(".item .mark.omitted, .item .chip.bad").first).to_be_visible()
    page.locator("#kind").select_option("")
    page.locator("#system").select_option("lively")
    playwright.expect(page.locator("#count")).to_have_text("3 of 6 texts")
    page.locator("#together").check()
    playwright.expect(page.locator(".panel h3")).to_have_text(["lively", "careful"])
    fact = page.locator(".panel").first.locator(".fact[data-links]:not([data-links=''])").first
    fact.hover()
    playwright.expect(page.locator(".panel").first.locator(".why")).not_to_be_empty()
    page.reload()
    # Choices are remembered.
    playwright.expect(page.locator("#system")).to_have_value("=lively")
    playwright.expect(page.locator("#sort")).to_have_value("parent")
    playwright.expect(page.locator(".panel")).to_have_count(2)


def test_search_finds_words_of_text_and_data(open_corpus, restaurants_url):
    page = open_corpus(restaurants_url)
    page.keyboard.press("/")
    page.keyboard.type("PERITONITIS lively")
    playwright.expect(page.locator("#count")).to_have_text("1 of 6 texts")
    assert items(page) == ["watson"]
    page.locator("#words").fill("nowhere to be found")
    playwright.expect(page.locator("#example")).to_contain_text("Nothing matches")


def test_a_metric_that_cannot_score_says_why(browser, restaurants_url):
    page = browser.new_page()
    page.goto(f"{restaurants_url}/corpus")
    page.locator(".item b").first.wait_for()
    page.locator("#metric").fill("./mine.py:Mine")
    page.get_by_role("button", name="Score all texts").click()
    playwright.expect(page.locator("#problem")).to_contain_text("no metric")
    page.close()


def test_filtered_texts_can_be_annotated(open_corpus, tmp_path):
    with serving(files=(str(RESTAURANTS),), annotations=str(tmp_path / "marks.db")) as running:
        page = open_corpus(running.url)
        page.locator("#words").fill("watson")
        playwright.expect(page.locator("#count")).to_have_text("2 of 6 texts")
        page.locator("#annotate").click()
        page.locator("#name").fill("Watson only")
        page.locator("#annotators").fill("ann\nbob")
        page.locator("#overlap").fill("2")
        page.get_by_role("button", name="Create").click()
        links = page.locator("#link-list a")
        playwright.expect(links).to_have_count(2)
        playwright.expect(page.locator("#campaign")).to_contain_text("2 texts")
        page.goto(links.first.get_attribute("href"))
        playwright.expect(page.locator("#done-count")).to_have_text("0 of 2 texts done")


def test_ten_thousand_texts_are_scrolled_with_a_few_in_the_document(open_corpus, files):
    with serving(files=(str(files[10_000]),)) as running:
        page = open_corpus(running.url)
        requests = []
        page.on("request", lambda request: requests.append(request.url))
        playwright.expect(page.locator("#count")).to_have_text("10,000 texts")
        most = page.evaluate(
            """async () => {
                const list = document.getElementById("list");
                let most = 0;
                for (let step = 0; step < 200; step++) {
                    list.scrollTop += list.scrollHeight / 200;
                    await new Promise(requestAnimationFrame);
                    most = Math.max(most, document.querySelectorAll(".item").length);
                }
                return most;
            }"""
        )
        assert most <= MOST_ROWS
        playwright.expect(page.locator("#row-9999 b")).to_have_text("i4999")
        # Pages of a hundred rows, each asked for at most once on the way.
        assert len([url for url in requests if "/rows" in url]) <= 101
        page.locator("#list").focus()
        page.keyboard.press("Home")
        playwright.expect(page.locator("#row-0 b")).to_have_text("i0")
        for _ in range(30):
            page.keyboard.press("ArrowDown")
        playwright.expect(page.locator("#example h2")).to_have_text("i15")
        page.locator("#sort").select_option("human.rank")
        playwright.expect(page.locator("#row-0 b")).to_have_text("i4999")
        page.locator("#words").fill("number 5077.")
        playwright.expect(page.locator("#count")).to_have_text("1 of 10,000 texts")


def test_lists_longer_than_a_browser_can_show_are_scrolled_to_their_end(open_corpus, files):
    with serving(files=(str(files[120_000]),)) as running:
        page = open_corpus(running.url)
        playwright.expect(page.locator("#count")).to_have_text("120,000 texts")
        page.evaluate("document.getElementById('list').scrollTop = 1e9")
        playwright.expect(page.locator("#row-119999 b")).to_have_text("i59999")
        last, box = page.locator("#row-119999").bounding_box(), page.locator("#list").bounding_box()
        assert abs(last["y"] + last["height"] - box["y"] - box["height"]) < 3
        page.locator("#row-119998").click()
        playwright.expect(page.locator("#example h2")).to_have_text("i59999")
        page.locator("#list").focus()
        page.keyboard.press("Home")
        page.keyboard.press("PageDown")
        playwright.expect(page.locator(".item[aria-selected=true]")).to_be_in_viewport()
        assert page.locator(".item").count() <= MOST_ROWS


def test_a_file_that_changes_is_shown_anew(open_corpus, tmp_path):
    path = write_lines(tmp_path / "live.jsonl", 4)
    with serving(files=(str(path),)) as running:
        page = open_corpus(running.url)
        playwright.expect(page.locator("#count")).to_have_text("4 texts")
        write_lines(path, 6)
        os.utime(path, ns=(1, 1))
        playwright.expect(page.locator("#count")).to_have_text("6 texts")


def test_text_is_text(open_corpus, tmp_path):
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e"
    fields = {"id": hostile, "system": hostile, "data": {hostile: hostile}, "text": hostile}
    (tmp_path / "a.jsonl").write_text(json.dumps({**fields, "references": [hostile]}) + "\n")
    with serving(files=(str(tmp_path / "a.jsonl"),)) as running:
        page = open_corpus(running.url)
        score(page, "slot_error")
        playwright.expect(page.locator("#example .text")).to_contain_text("onerror")
        assert page.locator("main img, main script").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_accessible(open_corpus, restaurants_url, scheme, width):
    page = open_corpus(restaurants_url, color_scheme=scheme, width=width)
    score(page, "slot_error")
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    for is_open in (False, True):
        if is_open:
            page.locator(".item").first.click()
            page.locator("#example .text").wait_for()
        found = axe.Axe().run(page, options=options).response["violations"]
        assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_phone_shows_the_list_and_then_one_text(open_corpus, restaurants_url):
    page = open_corpus(restaurants_url, width=390, height=844, has_touch=True, is_mobile=True)
    playwright.expect(page.locator("#example")).to_be_hidden()
    page.locator(".item").first.tap()
    playwright.expect(page.locator("#example")).to_be_visible()
    page.go_back()
    playwright.expect(page.locator("#example")).to_be_hidden()
