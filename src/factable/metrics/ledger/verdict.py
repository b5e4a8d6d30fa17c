"""What the ledger says of one text: every fact of the data, every claim of the text, and the verdict."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from factable.errors import printable
from factable.metrics.nli.check import Selection
from factable.types import Finding, Kind, Record, Table

FactState = Literal["supported", "contradicted", "omitted"]
SpanState = Literal["supported", "contradicted", "unsupported"]
Label = Literal["OK", "omission", "hallucination", "omission+hallucination"]
MARKS = {"supported": "+", "contradicted": "!", "omitted": "-", "unsupported": "?"}


class Fact(NamedTuple):
    """One record of the data: whether the text says it, where, and how probable that is."""

    record: int
    state: FactState
    span: tuple[int, int] | None
    probability: float
    required: bool = True
    note: str = ""


class Claim(NamedTuple):
    """One claim of the text: whether the data says it, in which records, and how probable that is."""

    start: int
    end: int
    state: SpanState
    records: tuple[int, ...]
    probability: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The ledger of one text; `probability` is that of the text being OK."""

    text: str
    table: Table
    label: Label
    probability: float
    facts: tuple[Fact, ...]
    spans: tuple[Claim, ...]

    @property
    def is_ok(self) -> bool:
        """Whether the text says all, and only, what the data says."""
        return self.label == "OK"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The ledger as findings: facts first, then the claims of the text."""
        return (*map(_of_fact, self.facts), *map(_of_span, self.spans))

    def __str__(self) -> str:
        """The ledger as plain text, one line for each fact and each claim."""
        lines = [f"{self.label} (probability of OK {self.probability:.2f})", "facts"]
        for fact in self.facts:
            said = self.text[slice(*fact.span)] if fact.span else ""
            record = " | ".join(part for part in self.table.records[fact.record] if part)
            lines.append(_line(fact.state, record, fact.probability, said, fact.note))
        lines.append("text")
        for span in self.spans:
            said = self.text[span.start : span.end]
            lines.append(_line(span.state, said, span.probability, "", span.note))
        return "\n".join(lines)


def _line(state: Kind, what: str, probability: float, said: str, note: str) -> str:
    quoted = f'  "{printable(said)}"' if said else ""
    return f"  {MARKS[state]} {printable(what)}  {state} {probability:.2f}{quoted}" + (
        f"  ({printable(note)})" if note else ""
    )


def _of_fact(fact: Fact) -> Finding:
    return Finding(fact.state, fact.record, fact.span, fact.probability, fact.note)


def _of_span(span: Claim) -> Finding:
    first = span.records[0] if span.records else None
    return Finding(span.state, first, (span.start, span.end), span.probability, span.note)


class Rules(NamedTuple):
    """Which facts must be said, what is ignored, and how probable a thing must be to pass.

    `ignored` names facts that are not in the ledger; `omission` and `hallucination` are thresholds of facts
    and of sentences.
    """

    selection: Selection = Selection()
    ignored: frozenset[str] = frozenset()
    omission: float = 0.5
    hallucination: float = 0.5

    def ignores(self, record: Record) -> bool:
        """Whether a record is left out of the ledger; a text may say it or not."""
        return bool({record.attribute, f"{record.attribute}={record.value}"} & self.ignored)
