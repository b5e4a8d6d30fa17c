"""Which facts of structured data a text says: by value, by key, by arithmetic, or in other words."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from factable.metrics.ledger.candidates import Candidate, Match
from factable.metrics.ledger.computing.computed import computed_number
from factable.metrics.ledger.cues import stands_for
from factable.metrics.ledger.structured import StructuredReading, sentence_of
from factable.metrics.ledger.verdict import FactState
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.polarity import clauses, polarity_at
from factable.text.stems import beginning
from factable.text.stems import stem as base_form
from factable.text.templates import Templates
from factable.text.values import STATED, Number, Relation, find_value
from factable.text.values.words import split_words
from factable.types import Record, Span

# A candidate this much weaker than the best one for a number is not what the text means by it.
AS_GOOD = 0.35
# The share of the words of free text that a text must have to say it.
PROSE_SHARE = 0.3
_ZERO = frozenset(("0", "0.0", "0.00"))
_ONE = lazy_pattern(r"1(?:\.0+)?\s?[^\W\d]")
_ARTICLE = lazy_pattern(r"\ban?(?=\s)", re.IGNORECASE)


class Said(NamedTuple):
    """Whether a text says a fact: its state, where, how sure that is, and why."""

    state: FactState
    span: Span | None
    probability: float
    note: str = ""


OMITTED = Said("omitted", None, 0.05)


def facts_said(reading: StructuredReading) -> dict[int, Said]:
    """For each leaf that is a fact, what rules alone tell; those that only a model can find are omitted."""
    by_value = _by_value(reading.matches)
    by_statement = _by_statement(reading)
    asked = _asked_for(reading.matches)
    said = {}
    for leaf in reading.structure.leaves:
        if leaf.record is None or leaf.kind == "unknown":
            continue
        said[leaf.index] = _settle(reading, leaf, by_value, by_statement, asked)
    if reading.is_small:
        _add_derivable(reading, said)
    return said


def _add_derivable(reading: StructuredReading, said: dict[int, Said]) -> None:
    """Add facts that follow from a computed number: of 55 minutes, 15 of them before cooking, 40 are left."""
    for match in reading.matches:
        if not isinstance(match.mention.value, Number) or any(each.cue for each in match.candidates):
            continue
        sentence = sentence_of(reading, match.span)
        # A number that the data has, or should have, is computed only if words say so.
        may_be_other = bool(match.candidates or match.instead)
        computed = computed_number(reading.matcher, match.mention, sentence, only_asked=may_be_other)
        omitted = [leaf for leaf in (computed.leaves if computed else ()) if said.get(leaf) == OMITTED]
        if computed and len(omitted) == 1 < len(computed.leaves):
            said[omitted[0]] = Said("supported", match.span, 0.85, computed.explanation)


def _settle(
    reading: StructuredReading,
    leaf: Leaf,
    by_value: Mapping[int, tuple[Span, Candidate]],
    by_statement: Mapping[int, Said],
    asked: Mapping[int, Span],
) -> Said:
    if leaf.index in by_statement and by_statement[leaf.index].state == "contradicted":
        return by_statement[leaf.index]
    if leaf.index in by_value:
        span, candidate = by_value[leaf.index]
        exactness = {Relation.COARSER: "less exact", Relation.FINER: "more exact"}
        return Said("supported", span, 0.95, exactness.get(candidate.relation, ""))
    if leaf.index in by_statement:
        return by_statement[leaf.index]
    if leaf.index in asked:
        return Said("contradicted", asked[leaf.index], 0.1, "the text says something else")
    if leaf.kind == "prose":
        return Said("supported", None, 0.7, "in other words") if _is_retold(reading, leaf) else OMITTED
    if leaf.kind == "value":
        found = _find(reading, leaf)
        if found is not None:
            return Said("supported", found, 0.9)
        if leaf.value.strip() in _ZERO and (free := _without(reading, leaf)):
            return Said("supported", free, 0.85)
    return OMITTED


def _find(reading: StructuredReading, leaf: Leaf) -> Span | None:
    """Where a text states a value that is no mention of it; beside large data, only in its own words."""
    parsed = reading.matcher.parsed
    if reading.is_small:
        hits = [hit for hit in find_value(leaf.value, parsed, leaf.keys[-1]) if hit.relation in STATED]
        if not hits and _ONE.match(leaf.value):
            hits = [hit for hit in find_value(leaf.value, _with_ones(reading.text)) if hit.relation in STATED]
        return hits[0].span if hits else _in_other_order(reading, leaf) or _as_the_rest(reading, leaf)
    words = [word.folded for word in split_words(leaf.value)]
    place = parsed.line.find(f" {' '.join(words)} ") if words else -1
    if place < 0:
        return None
    first = bisect_left(parsed.offsets, place)
    return parsed.words[first].start, parsed.words[first + len(words) - 1].end


def _with_ones(text: str) -> str:
    """The text with 1 for "a" and "an", each character in its place: 1 litre for "a litre"."""
    return _ARTICLE.sub(lambda match: "1".ljust(len(match[0])), text)


def _as_the_rest(reading: StructuredReading, leaf: Leaf) -> Span | None:
    """Where a text gives a share as what is left: "81 % is Python, the rest Rust"."""
    if not leaf.value.replace(".", "", 1).isdecimal():
        return None
    name = re.escape(leaf.keys[-1].replace("_", " "))
    found = re.search(
        rf"\bthe (?:rest|remainder|remaining)\b[^.;]{{0,30}}\b{name}\b", reading.text, re.IGNORECASE
    )
    return found.span() if found else None


def _in_other_order(reading: StructuredReading, leaf: Leaf) -> Span | None:
    """Where the words of a name stand together in any order and number: "PJ-3 pallet jacks"."""
    wanted = {base_form(word.folded) for word in split_words(leaf.value)}
    words = reading.matcher.parsed.words
    forms = [base_form(word.folded) for word in words]
    for first in range(len(words) if len(wanted) > 1 else 0):
        if forms[first] in wanted and wanted <= {*forms[first : first + len(wanted) + 1]}:
            return words[first].start, words[min(first + len(wanted), len(words)) - 1].end
    return None


def _without(reading: StructuredReading, leaf: Leaf) -> Span | None:
    """Where a text says that there is none of something: "alcohol-free", "no delay", "is not included"."""
    labels = reading.matcher.labels[leaf.index]
    for word in labels:
        noun = re.escape(word)
        none_of = (
            rf"\b(?:no|without|zero|free of)\s+(?:\w+\s+)?{noun}\w*|\b{noun}\w*[-\s]free\b|"
            rf"\b{noun}\w*\W{{0,5}}:\W{{0,5}}(?:none|no|zero|free|nothing)\b|"
            rf"\b{noun}\w*\s(?:is|are|was|were|comes|came)\s(?:\w+ly\s)?(?:free|waived|complimentary)\b|"
            rf"\b(?:free|complimentary)\s(?:\w+\s)?{noun}\w*|\bnon[-\s]?{re.escape(base_form(word))}\b"
        )
        plain = re.sub(r"(?<=\w)-(?=\w)", "", reading.text)
        said = re.search(none_of, reading.text, re.IGNORECASE) or re.search(none_of, plain, re.IGNORECASE)
        if said:
            return said.span()
    for segment in reading.sentences:
        for clause in clauses(reading.text, segment.span):
            spans = [
                (token.start, token.end)
                for token in clause.tokens
                if any(stands_for(token.word, word) for word in labels)
            ]
            if any(polarity_at(clause, span) == "no" for span in spans):
                return spans[0][0], spans[-1][1]
    return None


def _by_value(matches: Iterable[Match]) -> dict[int, tuple[Span, Candidate]]:
    """For each leaf the mention that says it best; one mention says several only if all fit as well."""
    best: dict[int, tuple[Span, Candidate]] = {}
    shared: dict[int, list[tuple[Span, Candidate]]] = defaultdict(list)
    for match in matches:
        least = match.candidates[0].strength - AS_GOOD if match.candidates else 0.0
        for candidate in match.candidates:
            if candidate.strength < least:
                break
            shared[candidate.leaf].append((match.span, candidate))
    for leaf, places in shared.items():
        best[leaf] = max(places, key=lambda place: (place[1].strength, -place[0][0]))
    return best


def _asked_for(matches: Iterable[Match]) -> dict[int, Span]:
    """For each leaf the number that the text has in its place."""
    return {match.instead.leaf: match.span for match in matches if match.instead is not None}


def _by_statement(reading: StructuredReading) -> dict[int, Said]:
    said: dict[int, Said] = {}
    for statement in reading.statements:
        for leaf in statement.leaves:
            if statement.state == "supported":
                said.setdefault(leaf, Said("supported", statement.span, 0.9, statement.note))
            elif statement.source != "derived":
                said[leaf] = Said("contradicted", statement.span, 0.1, statement.note)
    return said


def _is_retold(reading: StructuredReading, leaf: Leaf) -> bool:
    words = {beginning(word.folded) for word in split_words(leaf.value) if len(word.folded) > 3}
    in_text = {beginning(word.folded) for word in reading.matcher.parsed.words}
    return bool(words) and len(words & in_text) >= PROSE_SHARE * len(words)


def fact_sentence(reading: StructuredReading, leaf: Leaf, templates: Templates) -> str:
    """A fact as a sentence about what it belongs to."""
    return templates.sentence(Record(reading.structure.subject_of(leaf), leaf.label, leaf.value))
