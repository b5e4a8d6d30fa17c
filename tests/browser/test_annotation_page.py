"""Annotation in a real browser: by mouse, keyboard and touch, by two at once, on a server that dies."""

import json
import re
import signal
import subprocess
import sys
from typing import NamedTuple

import pytest

from factable.serve.annotation.categories import load_categories
from factable.serve.annotation.state import Suggestion
from factable.serve.annotation.store import Annotator, NewCampaign, NewText, Store
from factable.types import Example, Record, Table
from helpers.paths import SOURCE
from helpers.peers import Peer
from helpers.serving import serving

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("serve")]
playwright = Peer("playwright.sync_api")
axe = Peer("axe_playwright_python.sync_playwright")

TEXT = "Ann 🎉 lives in Rome and has two dogs. She is 33 years old."
RECORDS = (Record("", "city", "Paris"), Record("", "dogs", "3"), Record("", "cats", "1"))
ROME = (TEXT.index("Rome"), TEXT.index("Rome") + 4)


class Site(NamedTuple):
    """A server, its database, and the link of each annotator."""

    url: str
    store: Store
    links: dict[str, str]

    def annotator(self, name):
        return Annotator(self.store.progress(1)[["ann", "bob"].index(name)].id, 1, name)

    def state(self, name="ann", index=0):
        """What the database holds of a text of an annotator."""
        annotator = self.annotator(name)
        return self.store.text(annotator, self.store.assigned(annotator)[index].id).state


def make_campaign(path, text=TEXT, texts=3, **fields):
    """A database with a campaign; returns the tokens of its annotators."""
    suggestions = (Suggestion("wrong", ROME, None, 0.1, "Paris"), Suggestion("not said", None, 2, 0.05))
    examples = [
        Example(str(n), "mine", text if n == 0 else f"Text {n}.", Table(RECORDS)) for n in range(texts)
    ]
    new = NewCampaign(
        **{
            "name": "Dogs",
            "categories": load_categories("default"),
            "annotators": ("ann", "bob"),
            "overlap": 2,
            "instructions": "Mark what is wrong.\nBe brief.",
            "metric": "ledger",
            # In this order text 0 comes first.
            "seed": 0,
            **fields,
        }
    )
    with Store(path) as store:
        found = [NewText(example, suggestions if not n else ()) for n, example in enumerate(examples)]
        tokens = store.create(new, found)[1]
        first = store.assigned(store.annotator_with(tokens["ann"]))[0]
        assert first.item == "0"
    return tokens


@pytest.fixture
def make_site(tmp_path):
    """A function that starts a server with a campaign."""
    from contextlib import ExitStack

    with ExitStack() as opened:

        def make(**fields):
            path = tmp_path / "marks.db"
            tokens = make_campaign(path, **fields)
            running = opened.enter_context(serving(annotations=str(path)))
            store = opened.enter_context(Store(path))
            links = {name: f"{running.url}/annotate#{token}" for name, token in tokens.items()}
            return Site(running.url, store, links)

        yield make


@pytest.fixture
def site(make_site):
    return make_site()


@pytest.fixture(autouse=True)
def patience():
    """Nothing is waited for longer than on the busiest machine."""
    playwright.expect.set_options(timeout=60_000)


@pytest.fixture
def warned(browser):
    """A function that opens a page of which the browser complains that a request was refused."""
    opened = []

    def open_url(url):
        opened.append(browser.new_page())
        opened[-1].goto(url)
        return opened[-1]

    yield open_url
    for page in opened:
        page.close()


@pytest.fixture
def annotate(open_site):
    """A function that opens an annotator's link, ready to mark."""

    def open_link(link, **options):
        page = open_site(link, **options)
        page.locator("#text .token").first.wait_for()
        return page

    return open_link


def word(page, words):
    return page.locator("#text .token", has_text=re.compile(f"^{words}$"))


def drag(page, first, last):
    start, end = (word(page, words).bounding_box() for words in (first, last))
    page.mouse.move(start["x"] + 3, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=4)
    page.mouse.up()


def expect_saved(page):
    playwright.expect(page.locator("#saved")).to_have_text("✓ Saved")


def marks_of(state, text=TEXT):
    return [(text[mark.start : mark.end], mark.category) for mark in state.marks]


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_words_are_marked_by_mouse_and_are_there_after_reload(site, annotate):
    page = annotate(site.links["ann"])
    drag(page, "two", "dogs")
    page.locator(".category", has_text="made up").click()
    expect_saved(page)
    assert marks_of(site.state()) == [("two dogs", "made up")]
    assert page.locator("#marks .words").inner_text() == "2 two dogs"
    page.reload()
    playwright.expect(page.locator("#marks .words")).to_have_text("2 two dogs")
    assert word(page, "dogs").get_attribute("data-ends") == "2"
    assert "marked" in word(page, "two").get_attribute("class")


def test_a_category_at_hand_marks_at_once_and_is_remembered(site, annotate):
    page = annotate(site.links["ann"])
    page.locator(".category", has_text="misleading").click()
    drag(page, "33", "years")
    expect_saved(page)
    page.reload()
    playwright.expect(page.locator(".category[aria-pressed=true]")).to_have_text(re.compile("misleading"))
    word(page, "Ann").click()
    playwright.expect(page.locator("#marks .words")).to_have_count(2)
    expect_saved(page)
    assert marks_of(site.state()) == [("Ann", "misleading"), ("33 years", "misleading")]


def test_words_are_marked_changed_and_removed_by_keyboard_alone(site, annotate):
    page = annotate(site.links["ann"])
    press(page, "t", "Home", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "1")
    playwright.expect(page.locator("#marks .words")).to_have_count(1)
    expect_saved(page)
    # The emoji is a word of its own, and one character.
    assert marks_of(site.state()) == [("lives in Rome", "wrong")]
    playwright.expect(page.locator("#heard")).to_have_text("lives in Rome: wrong")
    press(page, "End", "ArrowLeft", "3", "Home", "2")
    playwright.expect(page.locator("#marks .words")).to_have_count(3)
    expect_saved(page)
    assert [category for _, category in marks_of(site.state())] == ["made up", "wrong", "not checkable"]
    press(page, "Delete")
    playwright.expect(page.locator("#marks .words")).to_have_count(2)
    expect_saved(page)
    # All controls of a mark are in the order of Tab.
    page.locator("#marks .words").first.focus()
    press(page, "Tab", "ArrowDown")
    playwright.expect(page.locator("#marks select").first).to_have_value("made up")
    press(page, "Tab")
    page.keyboard.type("why")
    press(page, "Tab")
    expect_saved(page)
    first = site.state().marks[0]
    assert (first.category, first.comment) == ("made up", "why")
    press(page, "Enter")
    playwright.expect(page.locator("#marks .words")).to_have_count(1)


def test_arrow_keys_move_by_lines(make_site, annotate):
    words = " ".join(f"word{n}" for n in range(60))
    page = annotate(make_site(text=words).links["ann"])
    press(page, "t", "ArrowDown")
    below = page.locator(".token.cursor")
    box, first = below.bounding_box(), word(page, "word0").bounding_box()
    assert box["y"] > first["y"]
    assert abs(box["x"] - first["x"]) < 60
    press(page, "ArrowUp")
    playwright.expect(page.locator(".token.cursor")).to_have_text("word0")


def test_facts_are_labelled_by_mouse_and_keyboard(site, annotate):
    page = annotate(site.links["ann"])
    page.locator(".fact").nth(0).get_by_role("button", name="wrong").click()
    press(page, "f", "ArrowDown", "s")
    expect_saved(page)
    assert site.state().facts == {0: "wrong", 1: "said"}
    playwright.expect(page.locator("#fact-help")).to_have_text("2 of 3 facts labelled")
    press(page, "s")
    playwright.expect(page.locator("#fact-help")).to_have_text("1 of 3 facts labelled")
    expect_saved(page)
    assert site.state().facts == {0: "wrong"}


def test_suggestions_are_accepted_and_rejected_one_by_one(site, annotate):
    page = annotate(site.links["ann"])
    assert "suggested" in word(page, "Rome").get_attribute("class")
    playwright.expect(page.locator("#suggestions")).to_contain_text("Paris")
    assert site.state().marks == ()
    page.get_by_role("button", name="Accept wrong: Rome").click()
    expect_saved(page)
    state = site.state()
    assert (marks_of(state), state.marks[0].suggestion, state.decisions) == (
        [("Rome", "wrong")],
        0,
        {0: True},
    )
    # The suggested label of a fact is accepted by choosing it, and rejected by choosing another.
    cats = page.locator(".fact").nth(2)
    assert "dotted" in cats.get_by_role("button", name="not said").get_attribute("class")
    cats.get_by_role("button", name="wrong").click()
    expect_saved(page)
    assert site.state().decisions == {0: True, 1: False}
    other = annotate(site.links["bob"])
    press(other, "r")
    playwright.expect(other.locator("#suggestions")).to_be_empty()
    expect_saved(other)
    assert site.state("bob").decisions == {0: False}
    assert site.state("bob").marks == ()


def test_undo_and_redo_also_after_reload(site, annotate):
    page = annotate(site.links["ann"])
    for words in ("Rome", "two"):
        word(page, words).click()
        press(page, "1")
        expect_saved(page)
    press(page, "Control+z")
    playwright.expect(page.locator("#marks .words")).to_have_count(1)
    page.reload()
    playwright.expect(page.locator("#marks .words")).to_have_text("1 Rome")
    page.locator("#undo").click()
    playwright.expect(page.locator("#marks .words")).to_have_count(0)
    assert site.state().marks == ()
    playwright.expect(page.locator("#undo")).to_be_disabled()
    press(page, "Control+Shift+z")
    playwright.expect(page.locator("#marks .words")).to_have_count(1)
    page.locator("#redo").click()
    playwright.expect(page.locator("#marks .words")).to_have_count(2)
    assert marks_of(site.state()) == [("Rome", "wrong"), ("two", "wrong")]


def test_done_leads_to_the_next_text_and_in_the_end_thanks(site, annotate):
    page = annotate(site.links["ann"])
    for number in (1, 2, 3):
        playwright.expect(page.locator("#done-count")).to_have_text(f"{number - 1} of 3 texts done")
        playwright.expect(page.locator("#done")).to_have_attribute("aria-pressed", "false")
        press(page, "d")
    playwright.expect(page.locator("#done-count")).to_have_text("3 of 3 texts done")
    playwright.expect(page.locator("#problem")).to_contain_text("Thank you")
    assert [row.done for row in site.store.progress(1)] == [3, 0]
    page.locator("#done").click()
    playwright.expect(page.locator("#done-count")).to_have_text("2 of 3 texts done")


def test_comments_are_saved_and_the_last_text_is_opened_again(site, annotate):
    page = annotate(site.links["ann"])
    page.locator("#comment").fill("Odd.")
    press(page, "Tab")
    expect_saved(page)
    assert site.state().comment == "Odd."
    page.locator("#next").click()
    playwright.expect(page.locator("#jump")).to_have_value("1")
    page.reload()
    playwright.expect(page.locator("#jump")).to_have_value("1")
    page.locator("#jump").select_option("0")
    playwright.expect(page.locator("#comment")).to_have_value("Odd.")


def test_letters_can_be_selected(site, annotate):
    page = annotate(site.links["ann"])
    page.locator("#letters").check()
    token = page.locator("#text .token").nth(TEXT.index("33"))
    assert token.inner_text() == "3"
    token.click()
    press(page, "1")
    expect_saved(page)
    assert marks_of(site.state()) == [("3", "wrong")]
    page.reload()
    playwright.expect(page.locator("#letters")).to_be_checked()


def test_two_annotators_at_once_and_their_agreement(site, annotate, open_site):
    ann, bob = (annotate(site.links[name]) for name in ("ann", "bob"))
    for page, words in ((ann, "Rome"), (bob, "two")):
        word(page, words).click()
    press(ann, "1")
    press(bob, "1")
    for page in (ann, bob):
        expect_saved(page)
        playwright.expect(page.locator("#marks .words")).to_have_count(1)
    assert (marks_of(site.state("ann")), marks_of(site.state("bob"))) == (
        [("Rome", "wrong")],
        [("two", "wrong")],
    )
    owner = open_site(f"{site.url}/campaigns")
    owner.locator("#campaign").get_by_text("0 of 3").first.wait_for()
    for page in (ann, bob):
        press(page, "d")
        playwright.expect(page.locator("#done-count")).to_have_text("1 of 3 texts done")
    # The owner's page follows by itself.
    playwright.expect(owner.locator("#campaign")).to_contain_text("1 of 3")
    agreement = owner.locator("#campaign tr", has_text="marked words")
    playwright.expect(agreement).to_contain_text("0.000")
    against = owner.locator("#campaign h3:has-text('ledger against') + div tbody tr", has_text="ann")
    playwright.expect(against).to_contain_text("1.000")


def test_a_change_in_another_window_is_not_overwritten(site, annotate, warned):
    one, other = annotate(site.links["ann"]), warned(site.links["ann"])
    other.locator("#text .token").first.wait_for()
    word(one, "Rome").click()
    press(one, "1")
    expect_saved(one)
    word(other, "two").click()
    press(other, "2")
    playwright.expect(other.locator("#problem")).to_contain_text("changed in another window")
    playwright.expect(other.locator("#marks .words")).to_have_text("1 Rome")
    assert marks_of(site.state()) == [("Rome", "wrong")]


def test_a_link_that_is_not_valid_says_so(site, warned):
    page = warned(f"{site.url}/annotate#wrong")
    playwright.expect(page.locator("#problem")).to_contain_text("this link is not valid")
    page = warned(f"{site.url}/annotate")
    playwright.expect(page.locator("#problem")).to_contain_text("Open the link that you were given")
    assert page.locator("nav a").count() == 0


def test_fingers_select_by_two_taps(site, annotate):
    page = annotate(site.links["ann"], width=390, height=844, has_touch=True, is_mobile=True)
    word(page, "two").tap()
    word(page, "dogs").tap()
    page.locator(".category", has_text="made up").tap()
    expect_saved(page)
    assert marks_of(site.state()) == [("two dogs", "made up")]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_positions_are_characters_in_any_script(make_site, annotate):
    text = "👩‍👩‍👧 שלום עולם 3.5 کتاب 東京タワー"
    site = make_site(text=text)
    page = annotate(site.links["ann"])
    for words in ("שלום", "3.5", "کتاب"):
        word(page, words).click()
        press(page, "1")
        expect_saved(page)
    assert marks_of(site.state(), text) == [("שלום", "wrong"), ("3.5", "wrong"), ("کتاب", "wrong")]


def test_text_is_text(make_site, annotate):
    hostile = "<img src=x onerror=alert(1)> \u202eturned <script>alert(2)</script>"
    site = make_site(text=hostile, instructions=hostile, name="<b>bold</b>")
    page = annotate(site.links["ann"])
    assert page.locator("main img, main script, #name b").count() == 0
    assert page.locator("#text").inner_text() == hostile.replace("\u202e", "U+202E")
    word(page, "turned").click()
    press(page, "1")
    expect_saved(page)
    assert marks_of(site.state(), hostile) == [("turned", "wrong")]


def violations(page):
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    found = axe.Axe().run(page, options=options).response["violations"]
    return [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_accessible(site, annotate, open_site, scheme, width):
    page = annotate(site.links["ann"], color_scheme=scheme, width=width)
    word(page, "two").click()
    press(page, "1")
    page.locator(".fact").nth(0).get_by_role("button", name="wrong").click()
    expect_saved(page)
    word(page, "dogs").click()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    owner = open_site(f"{site.url}/campaigns", color_scheme=scheme, width=width)
    owner.locator("#campaign table").first.wait_for()
    assert violations(owner) == []
    owner.locator("#new").click()
    assert violations(owner) == []
    assert owner.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_marks_can_be_told_apart_in_forced_colours(site, annotate):
    page = annotate(site.links["ann"], forced_colors="active")
    word(page, "two").click()
    press(page, "3")
    expect_saved(page)
    line = word(page, "two").evaluate("element => getComputedStyle(element).textDecorationLine")
    sign = word(page, "two").evaluate("element => getComputedStyle(element, '::after').content")
    assert (line, sign) == ("underline", '"3"')


def test_nothing_moves_when_something_is_saved(site, annotate):
    page = annotate(site.links["ann"])
    before = page.locator("#text").bounding_box()
    word(page, "two").click()
    press(page, "1")
    expect_saved(page)
    assert page.locator("#text").bounding_box() == before


class Process:
    """`factable serve` in a process of its own, which can be killed."""

    def __init__(self, database, port=0):
        command = [
            sys.executable,
            "-m",
            "factable",
            "serve",
            "--annotations",
            str(database),
            "--port",
            str(port),
        ]
        self.process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"},
        )
        said = self.process.stderr.readline()
        self.url = re.search(r"http://\S+", said)[0]
        self.port = int(self.url.rpartition(":")[2])

    def kill(self):
        """Without any chance to tidy up."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stderr.close()


@pytest.mark.process
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(browser, tmp_path):
    path = tmp_path / "marks.db"
    token = make_campaign(path, texts=1)["ann"]
    server = Process(path)
    acknowledged = []
    page = browser.new_page()
    page.set_default_timeout(120_000)

    def on_response(response):
        if response.request.method == "PUT" and response.ok:
            acknowledged.append(json.loads(response.request.post_data)["state"])

    page.on("response", on_response)
    try:
        page.goto(f"{server.url}/annotate#{token}")
        page.locator("#text .token").first.wait_for()
        for turn, words in enumerate(("Ann", "lives", "in", "Rome", "and", "has", "two")):
            word(page, words).click()
            press(page, "1")
            if turn % 2:
                # In the middle of saving, or just after it.
                server.kill()
                with Store(path) as store:
                    annotator = store.annotator_with(token)
                    state = store.text(annotator, store.assigned(annotator)[0].id).state.to_object()
                    assert not acknowledged or len(state["marks"]) >= len(acknowledged[-1]["marks"])
                word(page, "dogs").click()
                press(page, str(1 + turn // 2))
                playwright.expect(page.locator("#saved")).to_contain_text("Not saved")
                server = Process(path, server.port)
            expect_saved(page)
        shown = page.locator("#marks .words").all_inner_texts()
        page.reload()
        playwright.expect(page.locator("#marks .words")).to_have_count(len(shown))
        assert page.locator("#marks .words").all_inner_texts() == shown
    finally:
        page.close()
        server.kill()
    with Store(path) as store:
        annotator = store.annotator_with(token)
        state = store.text(annotator, store.assigned(annotator)[0].id).state
        assert state.to_object() == acknowledged[-1]
        assert {words for words, _ in marks_of(state)} >= {"Ann", "lives", "in", "Rome", "and", "has", "two"}
        assert store.database.query("PRAGMA integrity_check")[0][0] == "ok"
