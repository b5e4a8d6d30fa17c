"""Slot error rate: values of a closed domain that a text adds, leaves out, gets wrong or repeats.

Wen, Gašić, Mrkšić, Su, Vandyke and Young: Semantically Conditioned LSTM-based Natural Language Generation for
Spoken Dialogue Systems. EMNLP 2015. Dušek, Howcroft and Rieser: Semantic Noise Matters for Neural Natural
Language Generation. INLG 2019.
"""

import math
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from factable.core.metric import VALUE, Field, make_scores
from factable.core.params import require, require_choice
from factable.metrics.slots.extractor import Fact, Said, facts_in, find_slots
from factable.metrics.slots.patterns import Patterns, load_patterns, patterns_checksum
from factable.text.sentences import sentence_spans
from factable.text.templates import facts_of
from factable.types import Example, Finding, Kind, Scores

# The only value of which the original program counts every occurrence.
COUNTED_BY_ORIGINAL = Fact("customer rating", "low")
# What stands in a sentence before words that refer back: "this ", "the family friendly ".
REFERS_BACK = re.compile(
    r"(?:this|the)\W+(?:(?!(?:is|are|has|have|in|of|at|for)\b)[\w£'-]+\W+){0,3}", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class SlotErrors:
    """What is wrong with a text; a wrong value is (what the data has, what is said instead)."""

    facts: tuple[Fact, ...]
    added: tuple[Fact, ...] = ()
    missing: tuple[Fact, ...] = ()
    wrong: tuple[tuple[Fact, Fact], ...] = ()
    repeated: tuple[Said, ...] = ()


def count_errors(example: Example, patterns: Patterns, *, compat: bool) -> tuple[SlotErrors, list[Said]]:
    """The errors of a text, and what it says; the example must have a record with a value."""
    facts = facts_in(example.table.records, patterns)
    own = tuple(dict.fromkeys(facts.values()))
    said = find_slots(example.text, example.table.records, patterns)
    told = list(dict.fromkeys(one.fact for one in said))
    if compat:
        again = [one for one in said if one.fact == COUNTED_BY_ORIGINAL][1:]
        told += [one.fact for one in again]
    else:
        # A name is how a text speaks of its subject, again and again.
        names = {facts.get(index) for index in range(len(example.table.records))} - {
            facts.get(index) for index in facts_of(example.table)
        }
        again = _said_again(example.text, [one for one in said if one.fact not in names])
    added, missing, wrong = _compare(own, told)
    repeated = tuple(one for one in again if one.fact in own)
    return SlotErrors(own, tuple(added), tuple(missing), tuple(wrong), repeated), said


def _compare(
    own: Sequence[Fact], told: Sequence[Fact]
) -> tuple[list[Fact], list[Fact], list[tuple[Fact, Fact]]]:
    """What is added and missing; one of each in the same slot is a wrong value."""
    added = [fact for fact in told if fact not in own]
    missing, wrong = [], []
    for fact in own:
        if fact in told:
            continue
        instead = next((other for other in added if other.slot == fact.slot), None)
        if instead is None:
            missing.append(fact)
        else:
            wrong.append((fact, instead))
            added.remove(instead)
    return added, missing, wrong


def _said_again(text: str, said: Sequence[Said]) -> list[Said]:
    """What a later sentence says again; twice in one sentence ("a low rating of 1 out of 5") is said once.

    A sentence that begins with "this pub" or "the cheap restaurant" only speaks of what was said.
    """
    spans = sentence_spans(text)
    sentences: dict[Fact, set[int]] = {}
    again = []
    for one in said:
        sentence = sum(end <= one.start for _, end in spans)
        known = sentences.setdefault(one.fact, {sentence})
        begin = max((start for start, _ in spans if start <= one.start), default=0)
        if sentence not in known and not REFERS_BACK.fullmatch(text, begin, one.start):
            known.add(sentence)
            again.append(one)
    return again


def explain_errors(
    example: Example, errors: SlotErrors, said: Sequence[Said], patterns: Patterns
) -> tuple[Finding, ...]:
    """Each record as supported, omitted, contradicted or repeated, and what is said beyond the data."""
    facts = facts_in(example.table.records, patterns)
    spans: dict[Fact, tuple[int, int]] = {}
    for one in said:
        spans.setdefault(one.fact, (one.start, one.end))
    instead = dict(errors.wrong)
    findings = []
    for index, fact in facts.items():
        if fact in instead:
            note = f"says {instead[fact].value}"
            findings.append(Finding("contradicted", record=index, span=spans[instead[fact]], note=note))
        else:
            kind: Kind = "supported" if fact in spans else "omitted"
            findings.append(Finding(kind, record=index, span=spans.get(fact)))
    indices = {fact: index for index, fact in reversed(facts.items())}
    findings += [
        Finding("repeated", record=indices[one.fact], span=(one.start, one.end)) for one in errors.repeated
    ]
    return (*findings, *(_unsupported(fact, spans[fact]) for fact in dict.fromkeys(errors.added)))


def _unsupported(fact: Fact, span: tuple[int, int]) -> Finding:
    return Finding("unsupported", span=span, note=f"says {fact.slot}: {fact.value}")


COMPATS = ("", "e2e")
NO_SLOTS = "no records with a value in its data"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotError:
    """Values that a text adds, leaves out, gets wrong or repeats, per slot of its data.

    patterns  how texts say values: "e2e", or a TOML file such as `factable train patterns` drafts
    compat    "e2e" reads and counts as the slot error script of the E2E challenge, quirks included
    """

    name: ClassVar[str] = "slot_error"
    version: ClassVar[int] = 2
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[frozenset[Field]] = frozenset({"table"})
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    parts: ClassVar[tuple[str, ...]] = (
        "added",
        "missing",
        "wrong",
        "repeated",
        "omission",
        "hallucination",
    )
    shard_by: ClassVar[Literal["example", "item", "corpus"]] = "example"

    patterns: str = "e2e"
    compat: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        require(self, "patterns", isinstance(self.patterns, str) and self.patterns != "", "a file name")
        require_choice(self, "compat", COMPATS)

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the patterns."""
        return {"patterns": patterns_checksum(self.patterns)}

    def score(self, examples: Sequence[Example]) -> Scores:
        """Errors per slot of each example; an example without slots is unscored."""
        patterns = self._patterns()
        rows = [self._row(example, patterns) for example in examples]
        reasons = {index: NO_SLOTS for index, row in enumerate(rows) if not row[-2]}
        values = array("d", [sum(row[:4]) / row[-2] if row[-2] else math.nan for row in rows])
        parts = {
            part: array("d", [row[column] if row[-2] else math.nan for row in rows])
            for column, part in enumerate(self.parts)
        }
        stats = array("d", [number for row in rows for number in row])
        return make_scores(self, examples, values, parts, reasons, stats)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """The slot error rate of a corpus: all errors by all slots; its parts are means over texts."""
        *counts, slots, texts = totals
        means = {part: count / texts for part, count in zip(self.parts, counts, strict=True)}
        return {VALUE: math.fsum(counts[:4]) / slots, **means}

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Each record with where it is said, and what is said instead, again or beyond."""
        patterns = self._patterns()
        return tuple(self._explain(example, patterns) for example in examples)

    def _row(self, example: Example, patterns: Patterns) -> tuple[float, ...]:
        """Counts, labels, slots and 1; zeros where there are no slots."""
        if not _has_slots(example):
            return (0.0,) * (len(self.parts) + 2)
        errors, _ = count_errors(example, patterns, compat=bool(self.compat))
        counts = len(errors.added), len(errors.missing), len(errors.wrong), len(errors.repeated)
        return tuple(map(float, (*counts, *self._labels(errors), len(errors.facts), 1)))

    def _labels(self, errors: SlotErrors) -> tuple[bool, bool]:
        """Omission and hallucination; for the original program what is only repeated is only added."""
        omission = bool(errors.missing or errors.wrong)
        hallucination = bool(errors.added or errors.wrong)
        if self.compat and errors.repeated and not hallucination:
            return False, True
        return omission, hallucination

    def _explain(self, example: Example, patterns: Patterns) -> tuple[Finding, ...]:
        if not _has_slots(example):
            return ()
        errors, said = count_errors(example, patterns, compat=bool(self.compat))
        return explain_errors(example, errors, said, patterns)

    def _patterns(self) -> Patterns:
        return load_patterns(self.patterns, compat=bool(self.compat))


def _has_slots(example: Example) -> bool:
    return any(record.value.strip() for record in example.table.records)
