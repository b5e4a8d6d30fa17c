"""What is kept of each text."""

import math
from array import array

from factable.core.results import Scores
from factable.engine.plan import Scored
from factable.gate.outcomes import Flaw, outcome_rows, outcomes_of
from factable.types import Example, Finding, Record, Table

TEXT = "The Eagle sells shoes in Rome."
TABLE = Table((Record("", "near", "Café"), Record("", "area", "centre"), Record("", "city", "Oslo")))


def outcome_of(findings, *, label=(1.0, 1.0), row_kind="line", text=TEXT, value=0.1):
    """The outcome of one example with these findings, by way of the bytes that travel between processes."""
    omission, hallucination = label
    parts = {"omission": omission, "hallucination": hallucination, "probability": value}
    columns = {name: array("d", [number]) for name, number in parts.items()}
    scores = Scores("ledger", "", value, array("d", [value]), columns, (tuple(findings),))
    example = Example("a", "mine", text, TABLE)
    rows = outcome_rows([example], [scores])
    scored = Scored(
        source="texts",
        row_kind=row_kind,
        items=["a"],
        systems=("mine",),
        system_of=array("I", [0]),
        lines=[7],
        keys=b"",
        references=array("I", [0]),
        pieces=[scores],
        rows=rows,
        listed=[],
        faults=[],
        size=0,
    )
    (outcome,) = outcomes_of(scored)
    return outcome


def test_flaws_are_what_is_wrong_and_said_once():
    rome, shoes = (25, 29), (16, 21)
    outcome = outcome_of(
        [
            Finding("omitted", 0, required=False),
            Finding("contradicted", 1, rome, 0.1, "another"),
            Finding("contradicted", 2, rome),
            Finding("supported", None, (0, 9)),
            Finding("unsupported", None, shoes, 0.1),
            # The words of the two facts above, once more.
            Finding("contradicted", 1, rome, 0.1, "another"),
            Finding("contradicted", None, rome),
        ]
    )
    assert outcome.flaws == (
        Flaw("contradicted", "area | centre", rome, "another"),
        Flaw("contradicted", "city | Oslo", rome, ""),
        Flaw("unsupported", "", shoes, ""),
    )
    assert (outcome.label, outcome.text, outcome.line) == ("omission+hallucination", TEXT, 7)
    assert outcome.key == ("a", "mine")


def test_good_texts_are_let_go():
    outcome = outcome_of([Finding("omitted", 0)], label=(0.0, 0.0), value=0.9, row_kind="element")
    assert (outcome.label, outcome.text, outcome.flaws, outcome.line) == ("OK", "", (), None)
    assert outcome.probability == 0.9


def test_unscored():
    outcome = outcome_of([Finding("unscored", note="no records")], value=math.nan)
    assert (outcome.label, outcome.probability) == ("unscored", None)
    assert outcome.flaws == (Flaw("unscored", "", None, "no records"),)
