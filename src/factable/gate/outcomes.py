"""The outcome of each text of a run: its label and its flaws, small enough to keep."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import orjson

from factable.core.results import Scores
from factable.core.schema import example_object, label_at
from factable.engine.plan import Scored
from factable.gate.policy import UNSCORED
from factable.types import OK, Example, Finding, Record

Key = tuple[str, str]


class Flaw(NamedTuple):
    """A fact that is not said, or words that the data does not say."""

    state: str
    record: str
    span: tuple[int, int] | None
    note: str


class Outcome(NamedTuple):
    """One text: its position in the input, its label and its flaws; without flaws the text is not kept.

    `result` is what the schema has of one text, as JSON.
    """

    item: str
    system: str
    source: str
    line: int | None
    label: str
    probability: float | None
    text: str
    flaws: tuple[Flaw, ...]
    result: bytes = b"{}"

    @property
    def key(self) -> Key:
        """The id and system, by which a text is recognised in another run."""
        return self.item, self.system


def outcome_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
    """A row of JSON, `[label, probability, text, flaws, result]`, of each example, wherever it is scored."""
    scores = pieces[0]
    rows = []
    for index, example in enumerate(examples):
        label = label_at(scores, index) or UNSCORED
        flaws = [] if label == OK else _flaws(example, scores.findings[index])
        text = example.text if flaws else ""
        probability = scores.parts["probability"][index]
        result = example_object(example, scores, index)
        if label == OK:
            # What was found in good texts would make the result large.
            result = {name: value for name, value in result.items() if name not in ("facts", "claims")}
        rows.append(orjson.dumps([label, probability, text, list(map(tuple, flaws)), result]))
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


def outcomes_of(unit: Scored) -> Iterator[Outcome]:
    """The outcomes of one unit of work."""
    numbered = unit.row_kind == "line"
    for index, row in enumerate(unit.rows):
        label, probability, text, flaws, result = orjson.loads(row)
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
            result=orjson.dumps(result),
        )
