"""What the ledger says of one text: every fact of the data, every claim of the text, and the verdict."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import orjson

from factable.core.notebook import coloured, marked_html, table_html
from factable.core.schema import SCHEMA, findings_object
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


class Opinions(NamedTuple):
    """How far the NLI model and the question-answering model agree with a text, 0 to 1.

    `entailed` is for facts that the text entails and sentences that the facts entail, `answered` for
    questions about facts that the text answers as the data does. NaN where nothing was asked. `unread`
    are the subjects in the text, and the values that such questions did not find.
    """

    entailed: float = math.nan
    answered: float = math.nan
    unread: tuple[Span, ...] = ()


NO_OPINIONS = Opinions()


@dataclass(frozen=True, slots=True, repr=False)
class Verdict:
    """The ledger of one text; `probability` is that of the text being OK.

    `correct` is the probability that nothing it says is wrong, whatever it leaves out. `opinions` is what
    models say of the text as a whole. A verdict is true if the text is OK.
    """

    text: str
    table: Table
    label: str
    probability: float
    facts: tuple[Fact, ...]
    claims: tuple[Claim, ...]
    correct: float = 1.0
    opinions: Opinions = NO_OPINIONS

    @property
    def is_ok(self) -> bool:
        """Whether the text says all, and only, what the data says."""
        return self.label == OK

    def __bool__(self) -> bool:
        """Whether the text is OK."""
        return self.is_ok

    def __repr__(self) -> str:
        counts = Counter(fact.state for fact in self.facts)
        wrong = Counter(claim.state for claim in self.claims if claim.state != "supported")
        said = ", ".join(f"{number} {state}" for state, number in wrong.items()) or "none wrong"
        return (
            f"<Verdict {self.label}, probability of OK {self.probability:.2f}: "
            f"{counts['supported']} of {len(self.facts)} facts stated, {len(self.claims)} claims, {said}>"
        )

    def to_dict(self) -> dict[str, object]:
        """The verdict in JSON types, by the schema that `factable schema` prints."""
        return {
            "schema": SCHEMA,
            "ok": self.is_ok,
            "label": self.label,
            "probability": self.probability,
            "correct": self.correct,
            "text": self.text,
            **findings_object(self.table, self.text, self.findings),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return orjson.dumps(self.to_dict()).decode()

    def _repr_html_(self) -> str:
        """The text with its claims coloured, beside the facts, for notebooks."""
        claims = [(*claim.span, claim.state, _title(claim.state, claim.note)) for claim in self.claims]
        facts = [(self._words(fact), coloured(fact.state, fact.state), fact.note) for fact in self.facts]
        head = f"<p><b>{self.label}</b>, probability of OK {self.probability:.2f}</p>"
        return head + marked_html(self.text, claims) + table_html(("fact", "state", "note"), facts)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The ledger as findings: facts first, then the claims of the text."""
        return (*map(_fact_finding, self.facts), *map(_claim_finding, self.claims))

    def _words(self, fact: Fact) -> str:
        return " | ".join(filter(None, self.table.records[fact.record]))

    def __str__(self) -> str:
        """The ledger as plain text, one line for each fact and each claim."""
        lines = [f"{self.label} (probability of OK {self.probability:.2f})", "facts"]
        for fact in self.facts:
            said = self.text[slice(*fact.span)] if fact.span else ""
            lines.append(_line(fact.state, self._words(fact), fact.probability, said, fact.note))
        lines.append("text")
        for claim in self.claims:
            said = self.text[slice(*claim.span)]
            lines.append(_line(claim.state, said, claim.probability, "", claim.note))
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, repr=False)
class JudgedVerdict(Verdict):
    """A verdict of a language model, with what it took.

    `agreement` is the share of answers with the same label, `quotes` and `dropped` count the words that were
    quoted and those of them that the text does not have.
    """

    agreement: float = 1.0
    quotes: int = 0
    dropped: int = 0
    tokens: int = 0
    cost: float = 0.0


def _title(state: str, note: str) -> str:
    return f"{state}: {note}" if note else state


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


def distinct_claims(claims: Sequence[Claim]) -> list[Claim]:
    """The claims that do not overlap an earlier one; faults come first, and longer ones."""
    kept: list[Claim] = []
    for claim in sorted(claims, key=lambda each: (each.state == "supported", each.start - each.end)):
        if not any(claim.start < other.end and other.start < claim.end for other in kept):
            kept.append(claim)
    return kept


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
