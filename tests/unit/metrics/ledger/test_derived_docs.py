"""Every example on the page about derived statements."""

import json
import re

import pytest

from factable.io.data import make_table
from factable.metrics.ledger.derived import derived_statements
from factable.metrics.ledger.structured import StructuredReading
from factable.structure import Structure
from factable.text.sentences import sentence_spans
from factable.types import Example
from helpers.paths import ROOT

PAGE = (ROOT / "docs/derived.md").read_text()
DATA = json.loads(PAGE.partition("```json\n")[2].partition("```")[0])
HEAD = "| data | text | decision | explanation |\n|---|---|---|---|\n"
TABLE = PAGE.partition(HEAD)[2].partition("\n\n")[0]
ROWS = re.findall(r"^\| (\w+) \| (.*?) \| (\w+) \| (.*?) ?\|$", TABLE, re.MULTILINE)
SECTION = PAGE.partition("## Statements about keys, rows and lists\n")[2].partition("\n## ")[0]
RECORDS = json.loads(SECTION.partition("```json\n")[2].partition("```")[0])
RULES = re.findall(r"^\| [\w ]+ \| (\w+) \| (.*?) \| (.*?) \| (\w+) \| (.*?) \|$", SECTION, re.MULTILINE)


def test_the_page_has_examples() -> None:
    assert len(ROWS) == len(TABLE.splitlines()) > 40
    assert {row[0] for row in RULES} == {"data", *RECORDS}


@pytest.mark.parametrize(("name", "text", "decision", "explanation"), ROWS, ids=[row[1] for row in ROWS])
def test_example(name: str, text: str, decision: str, explanation: str) -> None:
    structure = Structure.of(make_table(DATA[name]))
    derived = derived_statements(structure, text, sentence_spans(text))
    assert {one.state for one in derived} == ({decision} if decision != "open" else set()), derived
    assert decision == "open" or explanation in [one.explanation for one in derived]


@pytest.mark.parametrize(("name", "text", "words", "decision", "explanation"), RULES[1:])
def test_rule(name: str, text: str, words: str, decision: str, explanation: str) -> None:
    reading = StructuredReading(Example("", "", text, make_table(RECORDS[name])))
    said = [(text[slice(*one.span)], one.state, one.note) for one in reading.statements]
    assert (words, decision, explanation) in said
