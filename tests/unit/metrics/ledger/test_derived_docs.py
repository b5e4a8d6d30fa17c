"""Every example on the page about derived statements."""

import json
import re

import pytest

from factable.io.data import make_table
from factable.metrics.ledger.derived import derived_statements
from factable.structure import Structure
from factable.text.sentences import sentence_spans
from helpers.paths import ROOT

PAGE = (ROOT / "docs/derived.md").read_text()
DATA = json.loads(PAGE.partition("```json\n")[2].partition("```")[0])
HEAD = "| data | text | decision | explanation |\n|---|---|---|---|\n"
TABLE = PAGE.partition(HEAD)[2].partition("\n\n")[0]
ROWS = re.findall(r"^\| (\w+) \| (.*?) \| (\w+) \| (.*?) ?\|$", TABLE, re.MULTILINE)


def test_the_page_has_examples() -> None:
    assert len(ROWS) == len(TABLE.splitlines()) > 40


@pytest.mark.parametrize(("name", "text", "decision", "explanation"), ROWS, ids=[row[1] for row in ROWS])
def test_example(name: str, text: str, decision: str, explanation: str) -> None:
    structure = Structure.of(make_table(DATA[name]))
    derived = derived_statements(structure, text, sentence_spans(text))
    assert {one.state for one in derived} == ({decision} if decision != "open" else set()), derived
    assert decision == "open" or explanation in [one.explanation for one in derived]
