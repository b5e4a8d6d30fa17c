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

from factable.core.metric import Metric, metric, param
from factable.core.results import VALUE, Analysis, Findings
from factable.metrics.slots.mentions import SlotMention, SlotValue, facts_in, find_slots
from factable.metrics.slots.patterns import Patterns, load_patterns, patterns_checksum
from factable.metrics.tables import NO_FACTS
from factable.text.sentences import sentence_spans
from factable.text.templates import facts_of
from factable.types import Example, Finding, Kind, Span

# The only value of which the original program counts every occurrence.
COUNTED_BY_ORIGINAL = SlotValue("customer rating", "low")
# What stands in a sentence before words that refer back: "this ", "the family friendly ".
REFERS_BACK = re.compile(
    r"(?:this|the)\W+(?:(?!(?:is|are|has|have|in|of|at|for)\b)[\w£'-]+\W+){0,3}", re.IGNORECASE
)


@metric
class SlotError(Metric):
    """Values that a text adds, leaves out, gets wrong or repeats, per slot of its data."""

    name = "slot_error"
    version = 2
    higher_is_better = False
    bounds = (0.0, math.inf)
    parts = ("added", "missing", "wrong", "repeated", "omission", "hallucination")
    additive = True

    patterns: str = param(
        "e2e",
        'how texts state values: "e2e", or a TOML file such as `factable train patterns` drafts',
        file=True,
    )
    compat: str = param(
        "",
        '"e2e" reads and counts as the slot error script of the E2E challenge does, quirks included',
        choices=("", "e2e"),
    )

    def check(self) -> None:
        """Refuse an empty file name."""
        if not self.patterns:
            raise self.bad("patterns", "a file name")

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the patterns."""
        return {"patterns": patterns_checksum(self.patterns)}

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """Errors per slot; each record with where it is said, and what is said instead, again or beyond."""
        patterns = load_patterns(self.patterns, compat=bool(self.compat))
        errors = [count_errors(example, patterns, compat=bool(self.compat)) for example in examples]
        rows = [self._counts(each) for each in errors]
        reasons = {index: NO_FACTS for index, each in enumerate(errors) if not each.facts}
        values = array("d", [sum(row[:4]) / row[-2] if row[-2] else math.nan for row in rows])
        parts = {
            part: array("d", [row[column] if row[-2] else math.nan for row in rows])
            for column, part in enumerate(self.parts)
        }
        stats = array("d", [number for row in rows for number in row])
        return Analysis(values, parts, reasons, stats, find=lambda: list(map(explain_errors, errors)))

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """The slot error rate of a corpus: all errors by all slots; its parts are means over texts."""
        *counts, slots, texts = totals
        means = {part: count / texts for part, count in zip(self.parts, counts, strict=True)}
        return {VALUE: math.fsum(counts[:4]) / slots, **means}

    def _counts(self, errors: "SlotErrors") -> tuple[float, ...]:
        """What is counted about one text: the parts, its slots and 1; zeros where there are no slots."""
        omission = bool(errors.missing or errors.wrong)
        hallucination = bool(errors.added or errors.wrong)
        if self.compat and errors.repeated and not hallucination:
            # For the original program what is repeated is added, and nothing else.
            omission, hallucination = False, True
        counts = map(len, (errors.added, errors.missing, errors.wrong, errors.repeated))
        return tuple(map(float, (*counts, omission, hallucination, len(errors.slots), bool(errors.slots))))


@dataclass(frozen=True, slots=True)
class SlotErrors:
    """What a text gets wrong about the slots of its data, by the index of the record, and what it mentions.

    A wrong value is (what the data has, what is said instead).
    """

    facts: dict[int, SlotValue]
    mentions: Sequence[SlotMention] = ()
    added: Sequence[SlotValue] = ()
    missing: Sequence[SlotValue] = ()
    wrong: Sequence[tuple[SlotValue, SlotValue]] = ()
    repeated: Sequence[SlotMention] = ()

    @property
    def slots(self) -> list[SlotValue]:
        """The slots of the data, each once."""
        return list(dict.fromkeys(self.facts.values()))


def count_errors(example: Example, patterns: Patterns, *, compat: bool) -> SlotErrors:
    """The errors of a text; none where its data has no record with a value."""
    facts = facts_in(example.table.records, patterns)
    if not facts:
        return SlotErrors(facts)
    mentions = find_slots(example.text, example.table.records, patterns)
    mentioned = list(dict.fromkeys(mention.fact for mention in mentions))
    if compat:
        repeated = [mention for mention in mentions if mention.fact == COUNTED_BY_ORIGINAL][1:]
        mentioned += [mention.fact for mention in repeated]
    else:
        # A name is how a text speaks of its subject, again and again.
        names = {facts.get(index) for index in range(len(example.table.records))} - {
            facts.get(index) for index in facts_of(example.table)
        }
        repeated = _repetitions(example.text, [each for each in mentions if each.fact not in names])
    slots = list(dict.fromkeys(facts.values()))
    added, missing, wrong = _compare(slots, mentioned)
    repeated = [mention for mention in repeated if mention.fact in slots]
    return SlotErrors(facts, mentions, added, missing, wrong, repeated)


def _compare(
    slots: Sequence[SlotValue], mentioned: Sequence[SlotValue]
) -> tuple[list[SlotValue], list[SlotValue], list[tuple[SlotValue, SlotValue]]]:
    """What is added and missing; one of each in the same slot is a wrong value."""
    added = [fact for fact in mentioned if fact not in slots]
    missing, wrong = [], []
    for fact in slots:
        if fact in mentioned:
            continue
        instead = next((other for other in added if other.slot == fact.slot), None)
        if instead is None:
            missing.append(fact)
        else:
            wrong.append((fact, instead))
            added.remove(instead)
    return added, missing, wrong


def _repetitions(text: str, mentions: Sequence[SlotMention]) -> list[SlotMention]:
    """What a later sentence says again; twice in one sentence ("a low rating of 1 out of 5") counts once.

    A sentence that begins with "this pub" or "the cheap restaurant" only refers to what was said.
    """
    spans = sentence_spans(text)
    sentences: dict[SlotValue, set[int]] = {}
    repetitions = []
    for mention in mentions:
        sentence = sum(end <= mention.start for _, end in spans)
        known = sentences.setdefault(mention.fact, {sentence})
        begin = max((start for start, _ in spans if start <= mention.start), default=0)
        if sentence not in known and not REFERS_BACK.fullmatch(text, begin, mention.start):
            known.add(sentence)
            repetitions.append(mention)
    return repetitions


def explain_errors(errors: SlotErrors) -> Findings:
    """Each record as supported, omitted, contradicted or repeated, and what is said beyond the data."""
    spans: dict[SlotValue, Span] = {}
    for mention in errors.mentions:
        spans.setdefault(mention.fact, mention.span)
    instead = dict(errors.wrong)
    findings = []
    for index, fact in errors.facts.items():
        if fact in instead:
            note = f"says {instead[fact].value}"
            findings.append(Finding("contradicted", record=index, span=spans[instead[fact]], note=note))
        else:
            kind: Kind = "supported" if fact in spans else "omitted"
            findings.append(Finding(kind, record=index, span=spans.get(fact)))
    first_index = {fact: index for index, fact in reversed(errors.facts.items())}
    findings += [
        Finding("repeated", record=first_index[mention.fact], span=mention.span)
        for mention in errors.repeated
    ]
    findings += [
        Finding("unsupported", span=spans[fact], note=f"says {fact.slot}: {fact.value}")
        for fact in dict.fromkeys(errors.added)
    ]
    return tuple(findings)
