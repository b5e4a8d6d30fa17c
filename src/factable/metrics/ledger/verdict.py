"""What the ledger says of one text: every fact of the data, every claim of the text, and the verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from factable.errors import printable
from factable.metrics.selection import Selection, selects
from factable.types import ERRORS, OK, Finding, Kind, Record, Span, Table

FactState = Literal["supported", "contradicted", "omitted"]
ClaimState = Literal["supported", "contradicted", "unsupported"]
ERROR_OF: Mapping[str, str] = dict(zip(("omitted", "contradicted", "unsupported"), ERRORS, strict=True))
# How each kind of finding is marked wherever findings are shown as text.
SIGNS: Mapping[str, str] = {
    "supported": "✓",
    "omitted": "−",
    "contradicted": "✗",
    "unsupported": "+",
    "repeated": "=",
    "unscored": "?",
}


class Fact(NamedTuple):
    """One record of the data: whether the text says it, where, and how probable that is."""

    record: int
    state: FactState
    span: Span | None
    probability: float
    required: bool = True
    note: str = ""


class Claim(NamedTuple):
    """One claim of the text: whether the data says it, in which records, and how probable that is."""

    start: int
    end: int
    state: ClaimState
    records: tuple[int, ...]
    probability: float
    note: str = ""

    @property
    def span(self) -> Span:
        """Where the claim stands in the text."""
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Verdict:
    """The ledger of one text; `probability` is that of the text being OK.

    `correct` is the probability that nothing it says is wrong, whatever it leaves out.
    """

    text: str
    table: Table
    label: str
    probability: float
    facts: tuple[Fact, ...]
    claims: tuple[Claim, ...]
    correct: float = 1.0

    @property
    def is_ok(self) -> bool:
        """Whether the text says all, and only, what the data says."""
        return self.label == OK

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The ledger as findings: facts first, then the claims of the text."""
        return (*map(_fact_finding, self.facts), *map(_claim_finding, self.claims))

    def __str__(self) -> str:
        """The ledger as plain text, one line for each fact and each claim."""
        lines = [f"{self.label} (probability of OK {self.probability:.2f})", "facts"]
        for fact in self.facts:
            said = self.text[slice(*fact.span)] if fact.span else ""
            record = " | ".join(part for part in self.table.records[fact.record] if part)
            lines.append(_line(fact.state, record, fact.probability, said, fact.note))
        lines.append("text")
        for claim in self.claims:
            said = self.text[slice(*claim.span)]
            lines.append(_line(claim.state, said, claim.probability, "", claim.note))
        return "\n".join(lines)


def _line(state: Kind, words: str, probability: float, said: str, note: str) -> str:
    quoted = f'  "{printable(said)}"' if said else ""
    noted = f"  ({printable(note)})" if note else ""
    return f"  {SIGNS[state]} {printable(words)}  {state} {probability:.2f}{quoted}{noted}"


def _fact_finding(fact: Fact) -> Finding:
    return Finding(fact.state, fact.record, fact.span, fact.probability, fact.note, required=fact.required)


def _claim_finding(claim: Claim) -> Finding:
    first = claim.records[0] if claim.records else None
    return Finding(
        claim.state, first, claim.span, claim.probability, claim.note, claim=True, records=claim.records
    )


def label_of(facts: Sequence[Fact], claims: Sequence[Claim]) -> str:
    """What is wrong with a text, joined by a plus, or OK."""
    states = {fact.state for fact in facts if fact.required} | {claim.state for claim in claims}
    return "+".join(error for state, error in ERROR_OF.items() if state in states) or OK


class Rules(NamedTuple):
    """Which facts must be said, what is ignored, and how probable a thing must be to pass.

    `ignored` names facts that are not in the ledger; `omission` and `hallucination` are thresholds of facts
    and of sentences. Of objects and rows, everything must be said if they have at most `small` facts.
    """

    selection: Selection = Selection()
    ignored: frozenset[str] = frozenset()
    omission: float = 0.5
    hallucination: float = 0.5
    small: int = 12

    def ignores(self, record: Record) -> bool:
        """Whether a record is left out of the ledger; a text may say it or not."""
        return selects(self.ignored, record)
