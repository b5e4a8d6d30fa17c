"""The outcome of each text of a run: its label and its flaws, small enough to keep."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from factable.core.results import Scores
from factable.engine.plan import Scored
from factable.gate.policy import UNSCORED
from factable.metrics.ledger.metric import Ledger
from factable.types import Example, Finding, Record

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


@dataclass(frozen=True, slots=True)
class OutcomeRows:
    """Makes a row of JSON of each example, in whichever process scored it."""

    metric: Ledger

    def __call__(self, examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
        """`[label, probability, text, flaws]` of each example."""
        scores = pieces[0]
        rows = []
        for index, example in enumerate(examples):
            label = label_at(scores, index)
            flaws = [] if label == "OK" else self._flaws(example, scores.findings[index])
            text = example.text if flaws else ""
            probability = scores.parts["probability"][index]
            rows.append(orjson.dumps([label, probability, text, list(map(tuple, flaws))]))
        return rows

    def _flaws(self, example: Example, findings: Sequence[Finding]) -> list[Flaw]:
        """Facts first, then words that no flawed fact mentions."""
        flaws: dict[tuple[int | None, tuple[int, int] | None], Flaw] = {}
        spans = set()
        for finding in findings:
            record = None if finding.record is None else example.table.records[finding.record]
            if self._is_fine(finding, record) or (record is None and finding.span in spans):
                continue
            flaw = Flaw(finding.kind, _words(record), finding.span, finding.note)
            flaws.setdefault((finding.record, finding.span), flaw)
            spans |= {finding.span} - {None}
        return list(flaws.values())

    def _is_fine(self, finding: Finding, record: Record | None) -> bool:
        if finding.kind == "omitted" and record is not None:
            return not self.metric.rules.selection.requires(record)
        return finding.kind == "supported"


def _words(record: Record | None) -> str:
    return " | ".join(part for part in record or () if part)


def label_at(scores: Scores, index: int) -> str:
    """The label of one example, from the parts of its score."""
    if math.isnan(scores.values[index]):
        return UNSCORED
    kinds = [kind for kind in ("omission", "hallucination") if scores.parts[kind][index]]
    return "+".join(kinds) or "OK"


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
