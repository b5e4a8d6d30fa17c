"""The report in a real browser: what readers do with it."""

import csv
import io
import itertools
import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from factable.core.schema import SCHEMA_FILE
from factable.io.data import make_table
from factable.io.read import read
from factable.models.runtime.manifest import read_shipped
from factable.types import Example, Record, Table
from helpers.paths import RESTAURANTS
from helpers.peers import Peer

pytestmark = pytest.mark.browser
playwright = Peer("playwright.sync_api")

ROWS = ".item"


def data_of(page):
    """The data of the page, as its script sees it."""
    return page.evaluate("JSON.parse(document.getElementById('data').textContent)")


def values_shown(page):
    return [float(text) for text in page.locator(f"{ROWS} .figure").all_inner_texts()]


def items_shown(page):
    return page.locator(f"{ROWS} b").all_inner_texts()


def is_lit(locator):
    return "lit" in locator.get_attribute("class").split()


def link_in(page):
    """A fact of the open example and words of its text that speak of it."""
    for fact in page.locator(".fact").all():
        for number in fact.get_attribute("data-links").split():
            words = page.locator(f".text mark[data-links~='{number}']")
            if words.count():
                return fact, words.first
    raise AssertionError("no fact is linked with words")


def made_up(number, system="one", text=None):
    records = tuple(Record("", f"attribute {index}", f"value{number}-{index}") for index in range(5))
    words = text or f"This is text {number} that says value{number}-1 and value{number}-3 and nothing else."
    return Example(f"item-{number}", system, words, Table(records), (f"It has value{number}-1.",))


def test_summary_shows_every_metric_with_interval_plot_and_signature(open_page, restaurants):
    page = open_page(restaurants)
    metrics = data_of(page)["metrics"]
    assert [metric["spec"] for metric in metrics] == ["ledger", "parent"]
    summary = page.locator(".card").first.inner_text()
    for index, metric in enumerate(metrics):
        card = page.locator("details.card").nth(index)
        card.locator("summary").first.click()
        shown = card.inner_text()
        assert metric["signature"] in shown
        for line in metric["lines"]:
            value = f"{line['value']:.3f} [{line['low']:.3f}, {line['high']:.3f}]"
            assert value in shown
            assert value in summary
        assert "0–1, higher is better" in summary
        assert card.locator("svg.histogram").count() == len(metric["lines"]) == 3
    assert page.locator("h1").inner_text() == "restaurants.jsonl"


def test_list_begins_with_the_worst_and_can_be_turned_and_sorted(open_page, restaurants):
    page = open_page(restaurants)
    values = values_shown(page)
    assert len(values) == 6
    assert values == sorted(values)
    page.locator("#direction").click()
    assert values_shown(page) == values[::-1]
    page.locator("#sort").select_option("parent")
    parent = values_shown(page)
    assert parent == sorted(parent)
    assert parent != values
    page.locator("#sort").select_option("id")
    assert items_shown(page) == ["blue-spice"] * 2 + ["kettle"] * 2 + ["watson"] * 2
    page.locator("#direction").click()
    assert items_shown(page)[0] == "watson"
    page.locator("#sort").select_option("order of the file")
    assert items_shown(page) == ["blue-spice"] * 2 + ["watson"] * 2 + ["kettle"] * 2


def test_filters_by_system_and_kind_and_search(open_page, restaurants):
    page = open_page(restaurants)
    page.locator("#system").select_option("lively")
    assert page.locator(f"{ROWS} .soft").all_inner_texts() == ["lively"] * 3
    page.locator("#system").select_option("all")
    data = data_of(page)
    omitted = [one for one in data["examples"] if one["metrics"]["ledger"]["counts"]["facts"]["omitted"]]
    page.locator("#kind").select_option("omitted")
    assert page.locator(ROWS).count() == len(omitted) < 6
    page.locator("#kind").select_option("label:OK")
    assert page.locator(f"{ROWS} .chip.good").count() == page.locator(ROWS).count() > 0
    page.locator("#kind").select_option("")
    page.locator("#search").fill("PERITONITIS lively")
    playwright.expect(page.locator(ROWS)).to_have_count(1)
    assert items_shown(page) == ["watson"]
    assert page.locator("#count").inner_text() == "1 of 6 texts"
    page.locator("#search").fill("nowhere to be found")
    playwright.expect(page.locator(ROWS)).to_have_count(0)
    assert "Nothing matches" in page.locator("#example").inner_text()


def test_pointing_at_a_fact_lights_its_words_and_back(open_page, restaurants):
    page = open_page(restaurants)
    fact, words = link_in(page)
    assert not is_lit(fact)
    fact.hover()
    assert is_lit(fact)
    assert is_lit(words)
    assert page.locator(".why").inner_text()
    page.locator("h1").hover()
    assert page.locator(".lit").count() == 0
    words.hover()
    assert is_lit(fact)
    page.locator("h1").hover()
    fact.focus()
    assert is_lit(words)
    words.focus()
    assert is_lit(fact)


def test_tapping_words_lights_their_fact(open_page, restaurants):
    page = open_page(restaurants, width=390, height=844, has_touch=True, is_mobile=True)
    page.locator(ROWS).first.tap()
    fact, words = link_in(page)
    words.tap()
    assert is_lit(fact)


def test_kinds_differ_in_more_than_colour(open_page, restaurants):
    page = open_page(restaurants)
    page.locator("#search").fill("kettle lively")
    playwright.expect(page.locator(ROWS)).to_have_count(1)
    style = "element => getComputedStyle(element).textDecorationStyle"
    styles = {
        kind: page.locator(f".legend mark.{kind}").evaluate(style)
        for kind in ("supported", "contradicted", "unsupported")
    }
    assert len(set(styles.values())) == 3
    words = page.locator(".text mark").first
    assert words.evaluate(style) in styles.values()


def test_all_can_be_done_by_keyboard(open_page, restaurants):
    page = open_page(restaurants)
    press = page.keyboard.press
    press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    for _ in range(12):
        press("Tab")
        if page.evaluate("document.activeElement.id") == "list":
            break
    press("ArrowDown")
    press("ArrowDown")
    assert page.locator("[aria-selected=true]").get_attribute("data-index") == "2"
    assert page.locator("#list").get_attribute("aria-activedescendant") == "row-2"
    opened = page.locator("#example h3").inner_text()
    assert opened == items_shown(page)[2]
    press("Enter")
    assert page.evaluate("document.activeElement.id") == "example"
    for _ in range(20):
        press("Tab")
        if page.evaluate("document.activeElement.matches('.fact')"):
            break
    assert page.locator(".fact.lit").count() >= 1
    press("Escape")
    assert page.evaluate("document.activeElement.id") == "list"
    press("End")
    assert page.locator("[aria-selected=true]").get_attribute("data-index") == "5"
    press("k")
    assert page.locator("[aria-selected=true]").get_attribute("data-index") == "4"


def test_systems_stand_side_by_side(open_page, restaurants):
    page = open_page(restaurants)
    assert page.locator(".panel").count() == 1
    page.locator("#together").check()
    first, second = page.locator(".panel").all()
    assert [first.locator("h4").inner_text(), second.locator("h4").inner_text()] == ["careful", "lively"]
    one, other = first.bounding_box(), second.bounding_box()
    assert one["y"] == other["y"]
    assert one["x"] + one["width"] <= other["x"]
    # The data stands there once, with a mark for each text.
    assert page.locator(".data").count() == 1
    facts = page.locator(".fact")
    assert facts.first.locator(".mark").count() == 2
    for fact in facts.all():
        fact.hover()
        lit = [panel.locator("mark.lit").count() for panel in (first, second)]
        if all(lit):
            break
    assert all(lit)
    assert all(panel.locator(".why").inner_text() for panel in (first, second))


HOSTILE = (
    "</script><script>document.title='hacked'</script><!--<script>"
    "<img src=x onerror=\"document.title='hacked'\">{{7*7}}&lt;b&gt;\u2028"
)


def test_markup_in_the_data_is_only_text(open_page, make_report):
    table = Table((Record(f"s{HOSTILE}", f"a{HOSTILE}", f"v{HOSTILE}"),), f"t{HOSTILE}")
    texts = {"one": f"A {HOSTILE} text", f"sys{HOSTILE}": "B"}
    examples = [
        Example(f"id{HOSTILE}", system, text, table, (f"r{HOSTILE}",)) for system, text in texts.items()
    ]
    path = make_report(examples, title=f"x{HOSTILE}", notes=[f"n{HOSTILE}"], outcome="failed")
    page = open_page(path)
    page.locator("#together").check()
    page.locator(".more summary").first.click()
    page.locator(".fact").first.hover()
    shown = page.locator("body").inner_text()
    literal = HOSTILE.replace("\u2028", "U+2028")
    for begin in ("A ", "s", "a", "v", "t", "id", "r", "n"):
        assert begin + literal in shown
    assert HOSTILE[:-1] in page.title()
    assert page.locator("img, iframe, object").count() == 0
    assert page.locator("script").count() == 2
    assert any(literal[:-6] in option for option in page.locator("#system option").all_inner_texts())


def test_the_policy_stops_foreign_script(open_page, make_report, tmp_path):
    path = make_report([made_up(1)])
    with_script = path.read_text().replace("</body>", "<script>document.title = 'hacked'</script></body>")
    other = tmp_path / "other.html"
    other.write_text(with_script)
    # Opened without the watch: the browser complains, which is the point.
    context = open_page(path).context
    page = context.new_page()
    page.goto(other.as_uri())
    assert page.title() == "a report · factable"


def test_unseen_characters_are_shown(open_page, make_report):
    text = "bell\x07 turn\u202egnp.exe\u202c zero\u200bwidth\nnew line 😀 end"
    page = open_page(make_report([made_up(1, text=text), made_up(2, system="s\u202ey")]))
    page.locator("#sort").select_option("order of the file")
    shown = page.locator(".text").inner_text()
    assert shown == "bellU+0007 turnU+202Egnp.exeU+202C zeroU+200Bwidth\nnew line 😀 end"
    assert "s⟨U+202E⟩y" in page.locator("#system").inner_text()
    assert page.locator("#list").inner_text().count("\u202e") == 0


def test_spans_beyond_the_basic_plane_are_where_they_belong(open_page, make_report):
    table = Table((Record("", "name", "Blue Spice"), Record("", "area", "riverside")))
    example = Example("1", "one", "😀😀 Blue Spice 𝒳 is great.", table, ("Blue Spice is here.",))
    page = open_page(make_report([example]))
    assert page.locator(".text mark.supported").first.inner_text() == "Blue Spice"


@pytest.fixture
def many(make_report):
    examples = [made_up(number, f"system {number % 2}") for number in range(10_000)]
    return make_report(examples)


def test_ten_thousand_examples_open_and_scroll(open_page, many):
    page = open_page(many)
    assert page.locator("#count").inner_text() == "10,000 texts"
    nodes = "document.querySelectorAll('*').length"
    most = page.evaluate(nodes)
    assert most < 1500
    for share in (0.25, 0.5, 0.75, 1):
        page.evaluate(f"list = document.getElementById('list'); list.scrollTop = list.scrollHeight * {share}")
        page.wait_for_timeout(100)
        assert page.evaluate(nodes) < 1500
        assert 5 <= page.locator(ROWS).count() <= 40
    assert page.locator(ROWS).last.get_attribute("aria-posinset") == "10000"
    page.locator("#search").fill("value7777-1")
    playwright.expect(page.locator(ROWS)).to_have_count(1)
    assert items_shown(page) == ["item-7777"]


def test_too_many_examples_are_cut_to_the_worst_items_and_the_page_says_so(open_page, make_report):
    examples = [made_up(number, system) for number in range(30) for system in ("a", "b")]
    # Items 3 and 9 have a bad text each; their other texts are good.
    bad = [
        made_up(one.item.removeprefix("item-"), one.system, "unlike")
        if key in {("item-3", "a"), ("item-9", "b")}
        else one
        for one in examples
        for key in [(one.item, one.system)]
    ]
    page = open_page(make_report(bad, most_examples=4))
    assert sorted(items_shown(page)) == ["item-3", "item-3", "item-9", "item-9"]
    assert "4 texts of the items that are worst under parent, of 60" in page.locator("#notes").inner_text()
    assert "60 texts" in page.locator("#about").inner_text()


def brightness(page):
    red, green, blue = re.findall(r"\d+", page.evaluate("getComputedStyle(document.body).backgroundColor"))[
        :3
    ]
    return int(red) + int(green) + int(blue)


def test_light_and_dark(open_page, restaurants):
    light = open_page(restaurants, color_scheme="light")
    dark = open_page(restaurants, color_scheme="dark")
    assert brightness(light) > 600
    assert brightness(dark) < 150
    light.locator("#theme").click()
    dark.locator("#theme").click()
    assert brightness(light) < 150
    assert brightness(dark) > 600


def overflow(page):
    return page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


def test_fits_a_phone(open_page, make_report):
    long = "x" * 300
    examples = [
        Example(long, system, f"{long} text", Table((Record(long, long, long),), long), (long,))
        for system in (f"a{long}", "b")
    ]
    page = open_page(make_report(examples), width=390, height=844)
    assert overflow(page) <= 0
    assert not page.locator("#example").is_visible()
    page.locator(ROWS).first.click()
    assert page.locator("#example").is_visible()
    assert page.locator("#example").evaluate("element => element.scrollWidth - element.clientWidth") <= 0
    page.locator("#together").check()
    for details in page.locator(".more summary").all():
        details.click()
    assert page.locator("#example").evaluate("element => element.scrollWidth - element.clientWidth") <= 0
    page.locator("#back").click()
    assert not page.locator("#example").is_visible()
    assert page.locator("#list").is_visible()


def test_the_back_button_of_a_phone_closes_the_example(open_page, restaurants):
    page = open_page(restaurants, width=390, height=844)
    page.locator(ROWS).first.click()
    page.go_back()
    assert page.locator("#list").is_visible()
    assert not page.locator("#example").is_visible()


def test_unscored_examples_come_last_with_their_reason(open_page, make_report):
    empty = Example("nothing", "one", "A text.", Table(()), ("A reference.",))
    page = open_page(make_report([empty, made_up(1), made_up(2)]))
    assert items_shown(page)[-1] == "nothing"
    page.locator("#direction").click()
    assert items_shown(page)[-1] == "nothing"
    page.locator("#kind").select_option("unscored")
    assert items_shown(page) == ["nothing"]
    assert "parent is unscored: " in page.locator("#example").inner_text()


def test_a_comparison_shows_ranks_differences_and_systems_together(open_page, tmp_path):
    from click.testing import CliRunner

    from factable.cli.main import cli

    path = tmp_path / "compared.html"
    done = CliRunner().invoke(
        cli, ["compare", str(RESTAURANTS), "-m", "parent", "--report", str(path)], catch_exceptions=False
    )
    assert done.exit_code == 0
    page = open_page(path)
    card = page.locator("details.card").inner_text()
    (difference,) = data_of(page)["metrics"][0]["differences"]
    assert f"{difference['difference']:.3f} [{difference['low']:.3f}, {difference['high']:.3f}]" in card
    assert "not told apart" in card
    assert page.locator(".panel").count() == 2


def test_nested_data_is_a_tree_and_ratings_stand_beside_values(open_page, make_report):
    variants = [{"colour": "red", "price": 10}, {"colour": "blue", "price": 20}]
    table = make_table({"name": "Fon 5", "variants": variants})
    example = Example("fon", "one", "Fon 5 costs 10.", table, ("Fon 5.",), {"semantics": 2.5})
    page = open_page(make_report([example]))
    data = page.locator(".data")
    assert "[0]" not in data.inner_text()
    grid = data.locator(".branch", has_text="variants").locator("table.grid")
    assert grid.locator("thead th").all_inner_texts() == ["colour", "price"]
    assert grid.locator("td.fact .value").all_inner_texts() == ["red", "10", "blue", "20"]
    assert data.locator("li.fact .value").all_inner_texts() == ["Fon 5"]
    assert page.locator(".panel .human").inner_text() == "semantics (people) 2.50"


def test_a_link_leads_to_a_text(open_page, make_report):
    page = open_page(make_report([made_up(n, system) for n in range(30) for system in ("one", "two")]))

    def chosen():
        return page.locator("#example h3").inner_text(), page.locator(
            "[aria-selected='true'] .soft"
        ).inner_text()

    page.evaluate("location.hash = 'item-17/two'")
    page.locator("#example h3", has_text="item-17").wait_for()
    assert chosen() == ("item-17", "two")
    page.keyboard.press("k")
    assert page.url.endswith("#" + "/".join(chosen()))


def test_print_shows_every_text_that_the_filters_let_through(open_page, make_report):
    page = open_page(make_report([made_up(number) for number in range(12)]), width=794)
    page.locator("#search").fill("item-1")
    page.locator("#count", has_text="3 of 12").wait_for()
    page.locator("#sort").select_option("item")
    page.emulate_media(media="print")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".printed h3").all_inner_texts() == ["item-1", "item-10", "item-11"]
    assert page.locator(".printed .text").first.is_visible()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator(".printed").count() == 0


def test_rows_lists_and_values_that_are_not_checked(open_page, make_report):
    rows = [{"player": "Ann", "points": 5}, {"player": "Bob", "points": 7, "note": None}]
    shop = {
        "name": "A1",
        "tags": ["red", "blue"],
        "days": {"mon": {"open": 9}, "tue": {"open": 10}},
        "x": None,
    }
    examples = [
        Example("rows", "one", "Ann had 5 points.", make_table(rows), ("Ann.",)),
        Example("shop", "one", "A1 is red.", make_table(shop), ("A1.",)),
    ]
    page = open_page(make_report(examples))
    page.evaluate("location.hash = 'rows'")
    page.locator("#example h3", has_text="rows").wait_for()
    assert page.locator(".grid thead th").all_inner_texts() == ["player", "points", "note"]
    # The first column names the rows and is no fact of its own.
    assert page.locator(".grid td.unchecked").all_inner_texts() == ["Ann", "Bob", "–"]
    assert page.locator(".grid td.fact .value").all_inner_texts() == ["5", "7"]
    page.evaluate("location.hash = 'shop'")
    page.locator("#example h3", has_text="shop").wait_for()
    assert page.locator(".members .fact .value").all_inner_texts() == ["red", "blue"]
    assert page.locator(".grid tbody th").all_inner_texts() == ["mon", "tue"]
    assert "x" in page.locator("li.unchecked").inner_text()


def test_the_subject_of_an_object_is_shown(open_page, restaurants):
    page = open_page(restaurants)
    page.evaluate("location.hash = 'kettle/lively'")
    page.locator("#example h3", has_text="kettle").wait_for()
    assert page.locator(".data .subject").inner_text() == "Kettle K2"


def test_filters_by_attribute_state_and_probability(open_page, restaurants):
    page = open_page(restaurants)
    found = [one["metrics"]["ledger"] for one in data_of(page)["examples"]]
    having = [[fact for fact in one["facts"] if fact["attribute"] == "area"] for one in found]
    page.locator("#attribute").fill("area")
    playwright.expect(page.locator(ROWS)).to_have_count(sum(map(bool, having)))
    omitted = sum(any(fact["state"] == "omitted" for fact in facts) for facts in having)
    page.locator("#kind").select_option("omitted")
    playwright.expect(page.locator(ROWS)).to_have_count(omitted)
    page.locator("#kind").select_option("")
    page.locator("#attribute").fill("")
    page.locator("#low").fill("0.5")
    likely = [one for one in found if one["probability"] >= 0.5]
    playwright.expect(page.locator(ROWS)).to_have_count(len(likely))
    page.locator("#low").fill("")
    page.locator("#high").fill("0.5")
    playwright.expect(page.locator(ROWS)).to_have_count(6 - len(likely))
    page.locator("#judge").select_option("parent")
    assert not page.locator("#low").is_visible()


def test_what_is_shown_can_be_saved(open_page, restaurants):
    page = open_page(restaurants)
    page.locator("#system").select_option("lively")

    def saved(button):
        with page.expect_download() as download:
            page.locator(button).click()
        return download.value.suggested_filename, Path(download.value.path()).read_text()

    name, lines = saved("#save-lines")
    rows = [json.loads(line) for line in lines.splitlines()]
    assert (name, {row["system"] for row in rows}, len(rows)) == (
        "restaurants.jsonl-shown.jsonl",
        {"lively"},
        3,
    )
    schema = json.loads(read_shipped(SCHEMA_FILE)) | {"anyOf": [{"$ref": "#/$defs/report-line"}]}
    assert [*Draft202012Validator(schema).iter_errors(rows[0])] == []
    # They can be read again.
    assert {one.text for one in read(rows)} == {row["text"] for row in rows}
    name, table = saved("#save-table")
    first, *others = csv.DictReader(io.StringIO(table))
    assert (name, len(others)) == ("restaurants.jsonl-shown.csv", 2)
    assert first["text"] == rows[0]["text"]
    assert float(first["ledger"]) == rows[0]["metrics"]["ledger"]["value"]
    assert first["ledger label"] == rows[0]["metrics"]["ledger"]["label"]


def test_formulas_are_saved_as_text(open_page, make_report):
    page = open_page(make_report([made_up(1, text="=1+1"), made_up(2, text='say "x", y')]))
    with page.expect_download() as download:
        page.locator("#save-table").click()
    texts = {row["text"] for row in csv.DictReader(io.StringIO(Path(download.value.path()).read_text()))}
    assert texts == {"'=1+1", 'say "x", y'}


def test_numbers_are_explained(open_page, restaurants):
    page = open_page(restaurants)
    assert "ledger" in page.locator(".figures").inner_text()
    assert "(0–1)" in page.locator(".figures").inner_text()
    page.locator(".panel .more summary").click()
    numbers = page.locator(".numbers").inner_text()
    assert "share of texts that leave facts out" in numbers
    assert "per 100 facts" in numbers


def test_the_search_is_in_sight_and_headings_are_in_order(open_page, restaurants):
    page = open_page(restaurants)
    assert page.locator("#search").bounding_box()["y"] < 600
    levels = [
        int(name[1])
        for name in page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map((e) => e.tagName)")
    ]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert page.evaluate("[...document.querySelectorAll('th')].every((e) => e.textContent.trim())")
