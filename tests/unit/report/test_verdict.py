"""Verdicts as terminal text."""

import re

import pytest

from factable.metrics.ledger.verdict import Claim, Fact, Verdict
from factable.report.verdict import mark_text, verdict_text
from factable.types import Record, Table

TEXT = "Blue Spice holds 1.5 litres\nand sings."
TABLE = Table(
    (
        Record("", "name", "Blue Spice"),
        Record("Kettle", "size", "1.7 litres"),
        Record("", "near", "Café"),
        Record("", "colour", "red\x1b[2J"),
    )
)
VERDICT = Verdict(
    text=TEXT,
    table=TABLE,
    label="omission+contradiction+hallucination",
    probability=0.021,
    facts=(
        Fact(0, "supported", (0, 10), 0.9),
        Fact(1, "contradicted", (17, 27), 0.1, note="less"),
        Fact(2, "omitted", None, 0.1, required=False),
        Fact(3, "omitted", None, 0.1),
    ),
    claims=(
        Claim(0, 10, "supported", (0,), 0.9),
        Claim(17, 27, "contradicted", (1,), 0.1, "less"),
        Claim(32, 37, "unsupported", (), 0.2),
    ),
)
SHOWN = """\
✗ omission+contradiction+hallucination  (probability of OK 0.02)

facts
  ✓ supported     name | Blue Spice           “Blue Spice”
  ✗ contradicted  Kettle | size | 1.7 litres  “1.5 litres”  (less)
  − omitted       near | Café                 (optional)
  − omitted       colour | red\\x1b[2J

text
  Blue Spice holds [✗ 1.5 litres]
  and [+ sings].
  [✗] contradicted: the data says otherwise, [+] unsupported: the data does not say it
"""


def test_marks_and_words_say_all_without_colour():
    assert verdict_text(VERDICT) == SHOWN


def test_colours_add_nothing(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    coloured = verdict_text(VERDICT, colour=True)
    assert "\x1b[32mBlue Spice\x1b[0m" in coloured
    assert "\x1b[31m[✗ 1.5 litres]\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == SHOWN


@pytest.mark.parametrize(
    ("text", "spans", "shown"),
    [
        ("", [], "  (empty)"),
        ("abc", [(1, 3, "unsupported"), (0, 2, "contradicted")], "  [✗ ab]c"),
        ("a\r\nb\u202e", [], "  a\n  b\\u202e"),
    ],
)
def test_odd_texts(text, spans, shown):
    assert mark_text(text, spans).plain == shown
