"""Real values in real references: the table of the documentation, from the test set of WebNLG 2017."""

import random
import re
from collections import Counter, defaultdict

import pytest

from factable.io.formats import open_format
from factable.text.values import find_value, parse_text, parse_value
from helpers.paths import ROOT, WEBNLG

ITEMS = WEBNLG / "testdata_with_lex.xml.xz"
KINDS = {"Number": "numbers", "Date": "dates", "Name": "names", "NameList": "lists"}
pytestmark = pytest.mark.data("webnlg2017")


def relation(value, attribute, text):
    hits = find_value(value, text, attribute)
    return hits[0].relation.value if hits else "not found"


def measure(examples, seed=0):
    """By kind of value: relations in its own references, and in one of another item with another value."""
    draw = random.Random(seed)
    same_item, others, by_attribute = defaultdict(Counter), defaultdict(Counter), defaultdict(list)
    texts = {text: parse_text(text) for example in examples for text in example.references}
    for example in examples:
        for record in example.table.records:
            by_attribute[record.attribute].append(example)
    for example in examples:
        for _, attribute, value in example.table.records:
            kind = KINDS[type(parse_value(value, attribute)).__name__]
            same_item[kind].update(relation(value, attribute, texts[text]) for text in example.references)
            without = [
                other
                for other in by_attribute[attribute]
                if other.references and all(record.value != value for record in other.table.records)
            ]
            if without:
                text = draw.choice(draw.choice(without).references)
                others[kind][relation(value, attribute, texts[text])] += 1
    return same_item, others


def row(kind, counts, others):
    shares = [
        f"{counts[relation] / counts.total():.1%}" for relation in ("equal", "coarser", "finer", "not found")
    ]
    wrong = f"{(others['equal'] + others['coarser']) / others.total():.1%} of {others.total():,}"
    return f"| {kind} | {counts.total():,} | {' | '.join(shares)} | {wrong} |"


def test_the_table_of_the_page_is_what_is_measured():
    same_item, others = measure(list(open_format("webnlg")([str(ITEMS)])))
    page = (ROOT / "docs/values.md").read_text()
    table = re.search(r"\| kind \| values × references .*\n\|[-|]+\n((?:\|.*\n)+)", page)
    assert table[1].splitlines() == [row(kind, same_item[kind], others[kind]) for kind in KINDS.values()]
