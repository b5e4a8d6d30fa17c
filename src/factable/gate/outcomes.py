"""The outcome of each text of a run: its label and its flaws, small enough to keep."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import orjson

from factable.core.results import Scores
from factable.engine.plan import Scored
from factable.gate.policy import UNSCORED
from factable.types import ERRORS, OK, Example, Finding, Record

Key = tuple[str, str]


class Flaw(NamedTuple):
    """A fact that is not said, or words that the data does not say."""

    state: str
    record: str
    span: tuple[int, int] | None
    note: str


class Outcome(NamedTuple):
    """One text: its position in the input, its label and its flaws; without flaws the text is not kept."""

    item: str
    system: str
    source: str
    line: int | None
    label: str
    probability: float | None
    text: str
    flaws: tuple[Flaw, ...]

    @property
    def key(self) -> Key:
        """The id and system, by which a text is recognised in another run."""
        return self.item, self.system


def outcome_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
    """A row of JSON, `[label, probability, text, flaws]`, of each example, in whichever process scored it."""
    scores = pieces[0]
    rows = []
    for index, example in enumerate(examples):
        label = label_at(scores, index)
        flaws = [] if label == OK else _flaws(example, scores.findings[index])
        text = example.text if flaws else ""
        probability = scores.parts["probability"][index]
        rows.append(orjson.dumps([label, probability, text, list(map(tuple, flaws))]))
    return rows


def _flaws(example: Example, findings: Sequence[Finding]) -> list[Flaw]:
    """Facts first, then words that no flawed fact mentions."""
    flaws: dict[tuple[int | None, tuple[int, int] | None], Flaw] = {}
    spans = set()
    for finding in findings:
        record = None if finding.record is None else example.table.records[finding.record]
        if _is_fine(finding) or (record is None and finding.span in spans):
            continue
        flaw = Flaw(finding.kind, _words(record), finding.span, finding.note)
        flaws.setdefault((finding.record, finding.span), flaw)
        spans |= {finding.span} - {None}
    return list(flaws.values())


def _is_fine(finding: Finding) -> bool:
    return finding.kind == "supported" or (finding.kind == "omitted" and not finding.required)


def _words(record: Record | None) -> str:
    return " | ".join(part for part in record or () if part)


def label_at(scores: Scores, index: int) -> str:
    """The label of one example, from the parts of its score."""
    if math.isnan(scores.values[index]):
        return UNSCORED
    return "+".join(kind for kind in ERRORS if kind in scores.parts and scores.parts[kind][index]) or OK


def outcomes_of(unit: Scored) -> Iterator[Outcome]:
    """The outcomes of one unit of work."""
    numbered = unit.row_kind == "line"
    for index, row in enumerate(unit.rows):
        label, probability, text, flaws = orjson.loads(row)
        yield Outcome(
            item=unit.items[index],
            system=unit.systems[unit.system_of[index]],
            source=unit.source,
            line=unit.lines[index] if numbered else None,
            label=label,
            probability=probability,
            text=text,
            flaws=tuple(
                Flaw(state, record, span and tuple(span), note) for state, record, span, note in flaws
            ),
        )
