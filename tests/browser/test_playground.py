"""The playground in a real browser: what people do with it."""

import json
import re
import subprocess
import sys

import pytest

import factable
from helpers.paths import SOURCE
from helpers.peers import Peer
from helpers.serving import serving

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("serve")]
playwright = Peer("playwright.sync_api")
axe = Peer("axe_playwright_python.sync_playwright")

DATA = {"name": "Blue Spice", "eatType": "pub", "area": "riverside"}
GOOD = "Blue Spice is a pub in the riverside area."
BAD = "Blue Spice is a coffee shop in the riverside area."
EXAMPLES = 5


@pytest.fixture(scope="module")
def url():
    with serving() as running:
        yield running.url


@pytest.fixture
def playground(open_site, url):
    """A function that opens the playground, ready to be typed into."""
    # Long enough for the busiest machine.
    playwright.expect.set_options(timeout=120_000)

    def open_it(fragment="", **options):
        page = open_site(f"{url}/{fragment}", **options)
        page.locator(f"#examples option >> nth={EXAMPLES}").wait_for(state="attached")
        page.locator("#label .chip").wait_for()
        return page

    return open_it


def type_in(page, data=DATA, text=GOOD, format_="json"):
    page.select_option("#format", format_)
    page.fill("#data", data if isinstance(data, str) else json.dumps(data))
    page.fill("#text", text)


def expect_label(page, label):
    playwright.expect(page.locator("#label")).to_have_text(re.compile(rf"^\S+ ({label})$"))


def copied(page, button):
    page.evaluate(
        "document.getElementById('copied').textContent = '';"
        "navigator.clipboard.writeText = async (text) => { window.copied = text; }"
    )
    page.click(button)
    playwright.expect(page.locator("#copied")).to_contain_text("copied")
    return page.evaluate("window.copied")


def is_lit(locator):
    return "lit" in locator.get_attribute("class").split()


def test_the_verdict_follows_what_is_typed(playground):
    page = playground()
    type_in(page)
    expect_label(page, "OK")
    expected = factable.check(DATA, BAD)
    page.fill("#text", BAD)
    expect_label(page, expected.label.replace("+", r" \+ "))
    assert f"{expected.probability:.2f}" in page.locator("#probability").inner_text()
    states = [
        re.search(r"fact (\w+)", each.get_attribute("class"))[1] for each in page.locator(".fact").all()
    ]
    assert states == [fact.state for fact in expected.facts]


def test_the_last_request_wins(playground):
    """Answers that come late, and in another order, do not replace that of the last text."""
    page = playground()
    type_in(page)
    expect_label(page, "OK")
    held = []

    def hold(route):
        if len(held) < 1:
            held.append(route)
        else:
            route.continue_()

    page.route("**/v1/check", hold)
    page.fill("#text", BAD)
    playwright.expect(page.locator("#output")).to_have_attribute("aria-busy", "true")
    while not held:
        page.wait_for_timeout(10)
    page.fill("#text", "Blue Spice is a pub in the riverside area, indeed.")
    playwright.expect(page.locator("#marked")).to_contain_text("indeed")
    held[0].abort()
    page.wait_for_timeout(200)
    assert "indeed" in page.locator("#marked").inner_text()
    assert page.locator("#problem").inner_text() == ""


@pytest.mark.parametrize(
    ("format_", "text"),
    [
        ("csv", "name,eatType,area\nBlue Spice,pub,riverside"),
        ("csv", 'name;eatType;area\n"Blue Spice";pub;riverside\n'),
        ("triples", "Blue Spice | eatType | pub\nBlue Spice | area | riverside"),
        ("e2e", "name[Blue Spice], eatType[pub], area[riverside]"),
    ],
)
def test_data_in_other_formats(playground, format_, text):
    page = playground()
    type_in(page, text, BAD, format_)
    playwright.expect(page.locator(".fact .value").last).to_have_text("riverside")
    facts = page.locator(".fact .value").all_inner_texts()
    assert facts == (["pub", "riverside"] if format_ == "triples" else ["Blue Spice", "pub", "riverside"])


def test_data_moves_from_format_to_format_and_into_the_form(playground):
    page = playground()
    type_in(page)
    expect_label(page, "OK")
    page.select_option("#format", "e2e")
    assert page.input_value("#data") == "name[Blue Spice], eatType[pub], area[riverside]"
    page.select_option("#format", "form")
    values = page.locator("#pairs input").evaluate_all("fields => fields.map((field) => field.value)")
    assert values == ["name", "Blue Spice", "eatType", "pub", "area", "riverside"]
    page.locator("#pairs input").nth(3).fill("café")
    playwright.expect(page.locator(".fact .value").nth(1)).to_have_text("café")
    page.get_by_label("remove this fact").nth(1).click()
    expect_label(page, "OK|hallucination")
    playwright.expect(page.locator(".fact")).to_have_count(2)
    page.get_by_text("Add a fact").click()
    page.keyboard.type("food")
    page.keyboard.press("Tab")
    page.keyboard.type("Italian")
    playwright.expect(page.locator(".fact .value").last).to_have_text("Italian")
    expect_label(page, "omission")


def test_broken_data_is_told_and_the_last_verdict_stays(playground):
    page = playground()
    type_in(page)
    expect_label(page, "OK")
    page.fill("#data", '{"name": ')
    playwright.expect(page.locator("#problem")).to_contain_text("not yet JSON")
    assert page.locator(".fact").count() == 3
    page.fill("#data", "{}")
    playwright.expect(page.locator("#problem")).to_contain_text("facts")
    page.fill("#data", json.dumps(DATA))
    playwright.expect(page.locator("#problem")).to_be_empty()


def test_facts_and_words_light_each_other_by_pointer_and_by_keyboard(playground):
    page = playground()
    type_in(page, text=f"😀 {GOOD}")
    playwright.expect(page.locator("#marked")).to_contain_text("😀")
    fact = page.locator(".fact").nth(2)
    words = page.locator("#marked mark", has_text="riverside").first
    fact.hover()
    assert is_lit(words)
    assert "supported" in page.locator("#why").inner_text()
    page.mouse.move(0, 0)
    words.focus()
    assert is_lit(fact)
    page.locator("#text").focus()
    assert not is_lit(fact)


def test_computed_numbers_come_with_their_arithmetic(playground):
    page = playground()
    page.select_option("#examples", "1")
    remark = page.locator(".remarks li", has_text="40 + 70 + 55 + 35 = 200")
    remark.wait_for()
    assert remark.locator("q").inner_text() == "200"
    remark.focus()
    assert is_lit(page.locator("#marked mark", has_text="200").first)


def test_ticks_decide_which_facts_must_be_stated(playground):
    page = playground()
    type_in(page, text="Blue Spice is in the riverside area.")
    expect_label(page, "omission")
    page.get_by_label("eatType must be stated").uncheck()
    expect_label(page, "OK")
    with page.expect_request("**/v1/check") as asked:
        page.get_by_label("area must be stated").uncheck()
    assert asked.value.post_data_json["optional"] == "eatType,area"
    page.click("#reset")
    expect_label(page, "omission")


def test_thresholds_move_the_verdict(playground):
    page = playground()
    type_in(page, "name[Blue Spice], eatType[pub], area[riverside]", format_="e2e")
    expect_label(page, "OK")
    page.get_by_text("Settings").click()
    page.locator("#omission").fill("1")
    expect_label(page, "omission.*")
    assert page.locator("#omission-shown").inner_text() == "1.00"
    assert "omission:1.0" in page.locator("#signature").text_content()


def test_a_link_carries_the_example_and_nothing_of_it_reaches_the_server(playground, open_site):
    page = playground()
    type_in(page, text="Zoë’s <b>Blue Spice</b> 😀 is a pub.", format_="e2e", data="name[Blue Spice]")
    playwright.expect(page.locator("#marked")).to_contain_text("Zoë")
    page.get_by_text("Settings").click()
    page.locator("#omission").fill("0.7")
    link = copied(page, "#link")
    other = open_site(link)
    playwright.expect(other.locator("#marked")).to_contain_text("Zoë’s <b>Blue Spice</b> 😀 is a pub.")
    assert other.input_value("#data") == "name[Blue Spice]"
    assert other.input_value("#omission") == "0.7"
    # A broken link is no reason to break.
    broken = open_site(link.partition("#")[0] + "#%%%")
    expect_label(broken, ".+")


def test_a_reload_keeps_what_was_typed(playground):
    page = playground()
    type_in(page, text=BAD)
    expect_label(page, "contradiction")
    page.reload()
    expect_label(page, "contradiction")
    assert page.input_value("#text") == BAD


def test_copied_programs_run(playground, tmp_path):
    text = 'He said "it\'s Blue Spice", a pub.'
    page = playground()
    type_in(page, {**DATA, "open": True, "note": "it's \\ fine"}, text)
    playwright.expect(page.locator(".fact")).to_have_count(5)
    page.get_by_label("note must be stated").uncheck()
    done = subprocess.run(
        copied(page, "#copy-curl"), shell=True, capture_output=True, encoding="utf-8", check=True, timeout=60
    )
    found = json.loads(done.stdout)
    assert found["text"] == text
    environment = {"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin", "FACTABLE_CACHE": "off"}
    script = tmp_path / "copied.py"
    script.write_text(copied(page, "#copy-python"), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, script], capture_output=True, encoding="utf-8", env=environment, check=True
    )
    assert run.stdout.startswith(found["label"])
    script.write_text(copied(page, "#copy-pytest"), encoding="utf-8")
    names = {}
    exec(script.read_text(encoding="utf-8"), names)
    with pytest.raises(AssertionError, match="omission"):
        names["test_text"]()


def test_text_is_text(playground):
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script> \u202e {{constructor}}"
    page = playground()
    type_in(page, {hostile: hostile, "name": "Blue Spice"}, f"Blue Spice {hostile}")
    playwright.expect(page.locator("#marked")).to_contain_text("onerror")
    assert page.locator("main img, main script").count() == 0
    assert page.locator("#marked .unseen").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_accessible(playground, scheme, width):
    page = playground(color_scheme=scheme, width=width)
    for example in ("1", "4"):
        page.select_option("#examples", example)
        playwright.expect(page.locator("#output")).not_to_have_attribute("aria-busy", "true")
        expect_label(page, ".+")
        page.get_by_text("Settings").click()
        options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
        found = axe.Axe().run(page, options=options).response["violations"]
        assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []
    # Nothing is wider than the page.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_light_and_dark_are_remembered(playground):
    page = playground(color_scheme="light")
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_nothing_moves_when_a_verdict_comes(playground):
    page = playground()
    type_in(page)
    expect_label(page, "OK")
    place = page.locator("#facts").bounding_box()["y"]
    page.locator(".fact").first.hover()
    page.fill("#text", GOOD.replace("pub", "nice pub"))
    playwright.expect(page.locator("#marked")).to_contain_text("nice")
    assert page.locator("#facts").bounding_box()["y"] == place


def test_everything_by_keyboard(playground):
    page = playground()
    page.locator("#examples").focus()
    seen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        if not focused.count():
            break
        seen.add(focused.get_attribute("id") or focused.get_attribute("class") or "")
    assert {"format", "data", "text", "settings", "link", "copy-curl", "copy-python", "copy-pytest"} <= seen
    assert any(each.startswith("fact") for each in seen)
    assert any(each.startswith("supported") for each in seen)
