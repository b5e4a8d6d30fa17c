"""Which span of a text speaks of which record: values said of the right subject, or of another one."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from factable.metrics.ledger.reading import CONNECTING, Reading, overlaps
from factable.text.patterns import lazy_pattern
from factable.text.templates import ATTRIBUTE, SUBJECT, VALUE, clean_value, fill, split_identifier
from factable.text.values import STATED, Date, Hit, Name, Number, Relation
from factable.text.values.words import Word, same_word, split_words
from factable.types import Record, Span

# A word after a value counts as this many words further away than one before it.
AFTER = 2
MAX_TEMPLATES = 4
MIN_CUE = 3


def crossed_pairs(reading: Reading, hits: dict[int, Hit]) -> Iterator[tuple[int, int]]:
    """Facts of one kind whose values each stand nearer to the words of the other fact than to their own."""
    indices = [index for index in hits if index in reading.facts]
    cues = {index: _cues(reading, index) for index in indices}
    for index, other in combinations(indices, 2):
        own_cues, other_cues = cues[index] - cues[other], cues[other] - cues[index]
        if not own_cues or not other_cues or _kind(reading, index) is not _kind(reading, other):
            continue
        span, other_span = hits[index].span, hits[other].span
        if reading.sentence_of(span) != reading.sentence_of(other_span):
            continue
        strayed = _is_nearer(reading, span, other_cues, own_cues)
        if strayed and _is_nearer(reading, other_span, own_cues, other_cues):
            yield index, other


def cue_distance(reading: Reading, index: int, span: Span) -> int | None:
    """How many words away from a value the nearest word stands that tells of a fact, in one sentence."""
    start, end = reading.sentence_spans[reading.sentence_of(span)]
    words = [word for word in reading.read.words if start <= word.start < end]
    return _distance(words, span, _cues(reading, index))


def _cues(reading: Reading, index: int) -> frozenset[str]:
    """The words that say what a fact is about, without its subject, its value and connecting words."""
    fact = reading.facts[index]
    templates = " ".join(reading.templates.choices(fact)[:MAX_TEMPLATES])
    bare = templates.replace(SUBJECT, " ").replace(VALUE, " ").replace(ATTRIBUTE, " ")
    words = {word.folded for word in split_words(f"{bare} {split_identifier(fact.attribute)}")}
    rest = words - CONNECTING - reading.value_words(index)
    return frozenset(word for word in rest if len(word) >= MIN_CUE)


def _kind(reading: Reading, index: int) -> type:
    value = reading.values[index][0]
    return type(value) if isinstance(value, Number | Date) else object


def _is_nearer(reading: Reading, span: Span, cues: frozenset[str], others: frozenset[str]) -> bool:
    """Whether some words stand nearer to a value than others, both in its sentence."""
    start, end = reading.sentence_spans[reading.sentence_of(span)]
    words = [word for word in reading.read.words if start <= word.start < end]
    near, far = _distance(words, span, cues), _distance(words, span, others)
    return near is not None and far is not None and near < far


def _distance(words: list[Word], span: Span, cues: frozenset[str]) -> int | None:
    """How many words away the nearest of some words is."""
    inside = [number for number, word in enumerate(words) if span[0] <= word.start < span[1]]
    if not inside:
        return None
    near = [number for number, word in enumerate(words) if any(same_word(word.folded, cue) for cue in cues)]
    distances = [inside[0] - number if number < inside[0] else number - inside[-1] + AFTER for number in near]
    return min(distances, default=None)


# A word that says what a number is about stands at most this many words away.
NEAR = 4
_INDEX = lazy_pattern(r"\[\d+\]")
_RESPECTIVELY = lazy_pattern(r"\brespectively\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Alignment:
    """The best hit of each record, the records whose value is said of something else, facts as sentences."""

    hits: dict[int, Hit]
    misplaced: dict[int, Span]
    sentences: dict[int, str]


def align_records(reading: Reading) -> Alignment:
    """Find for each record the span that says its value, best of its own subject."""
    hits: dict[int, Hit] = {}
    misplaced: dict[int, Span] = {}
    taken: dict[Span, int] = {}
    for index in reading.indices:
        said = [hit for hit in reading.hits[index] if hit.relation in STATED]
        if not said:
            continue
        rivals = rivals_of(reading, index)
        own = [hit for hit in said if not rivals or is_own(reading, index, hit.span, rivals)]
        if not own:
            misplaced[index] = said[0].span
            continue
        best = min(
            own, key=lambda hit: (list(Relation).index(hit.relation), taken.get(hit.span, 0), hit.span)
        )
        hits[index] = best
        taken[best.span] = taken.get(best.span, 0) + 1
    for index in _meant_for_others(reading, hits):
        del hits[index]
    claimed = {hit.span for hit in hits.values()}
    # What another record says rightly is not said of the wrong one: numbers are the same by chance.
    misplaced = {index: span for index, span in misplaced.items() if span not in claimed}
    for pair in list(crossed_pairs(reading, hits)):
        misplaced |= {index: hits.pop(index).span for index in pair if index in hits}
    return Alignment(hits, misplaced, _sentences(reading, hits))


def _meant_for_others(reading: Reading, hits: dict[int, Hit]) -> list[int]:
    """Records with a number that another record has too, where the text speaks of the other one."""
    sharing: dict[Span, list[int]] = {}
    for index, hit in hits.items():
        if index in reading.facts and isinstance(reading.values[index][0], Number | Date):
            sharing.setdefault(hit.span, []).append(index)
    dropped = []
    for span, indices in sharing.items():
        distances = {index: cue_distance(reading, index, span) for index in indices}
        near = [distance for distance in distances.values() if distance is not None]
        if near and min(near) <= NEAR:
            dropped += [index for index in indices if distances[index] != min(near)]
    return dropped


def _sentences(reading: Reading, hits: dict[int, Hit]) -> dict[int, str]:
    """The facts as sentences, subjects and values in the words of the text where it says them.

    So the model has to judge what is said of a value, and not whether 3,645,000 is about 3.6 million.
    """
    sentences = {}
    for index, fact in reading.facts.items():
        hit = hits.get(index)
        worded = isinstance(reading.values[index][0], Number | Date | Name) and hit is not None
        subjects = [
            each for each in reading.subjects.get(fact.subject, []) if each.relation is not Relation.FINER
        ]
        value = reading.text[slice(*hit.span)] if worded and hit else fact.value
        subject = reading.text[slice(*subjects[0].span)] if subjects else fact.subject
        template = reading.templates.choices(fact)[0]
        sentences[index] = fill(template, fact._replace(subject=subject, value=value))
    return sentences


def rivals_of(reading: Reading, index: int) -> list[str]:
    """Other subjects that have another value for the same attribute, and are named in the text."""
    record = reading.record(index)
    values = {
        clean_value(other.value).lower() for other in reading.facts.values() if _same(other, record, own=True)
    }
    rivals = [
        other.subject
        for other in reading.facts.values()
        if _same(other, record, own=False) and clean_value(other.value).lower() not in values
    ]
    return [subject for subject in dict.fromkeys(rivals) if reading.subjects.get(subject)]


def _same(other: Record, record: Record, *, own: bool) -> bool:
    return plain_attribute(other) == plain_attribute(record) and (other.subject == record.subject) is own


def is_own(reading: Reading, index: int, span: Span, rivals: Iterable[str]) -> bool:
    """Whether a value is said of its own subject rather than of a rival: of the one named last before it."""
    subject = reading.record(index).subject
    named = sorted(
        (hit.span, name)
        for name in (subject, *rivals)
        for hit in reading.subjects.get(name, [])
        if not overlaps(hit.span, span)
    )
    start, end = reading.sentence_spans[reading.sentence_of(span)]
    here = [(at, name) for at, name in named if start <= at[0] < end]
    if _RESPECTIVELY.search(reading.text, start, end):
        return _in_order(reading, index, span, here)
    values = [
        hit.span
        for other in _alike(reading, index)
        for hit in reading.hits[other]
        if start <= hit.span[0] < end
    ]
    before = [name for at, name in here if at[1] <= span[0]][::-1]
    after = [name for at, name in here if at[0] >= span[1]]
    earlier = [name for at, name in named if at[1] <= start][::-1]
    # In "12 °C in Oslo and 25 °C in Rome" each value comes before its subject.
    ahead = bool(here) and bool(values) and min(values)[0] < here[0][0][0]
    governing = [*after[:1], *before[:1]] if ahead else [*before[:1], *after[:1]]
    governing += earlier[:1]
    return not governing or governing[0] == subject


def _alike(reading: Reading, index: int) -> list[int]:
    """The facts with the same attribute."""
    name = plain_attribute(reading.record(index))
    return [other for other, fact in reading.facts.items() if plain_attribute(fact) == name]


def plain_attribute(record: Record) -> str:
    """The attribute without the numbers of list members."""
    return _INDEX.sub("", record.attribute)


def _in_order(reading: Reading, index: int, span: Span, named: list[tuple[Span, str]]) -> bool:
    """Whether the n-th value belongs to the n-th subject."""
    record = reading.record(index)
    spans = {hit.span for other in _alike(reading, index) for hit in reading.hits[other]}
    number = sorted(spans).index(span)
    subjects = list(dict.fromkeys(name for _, name in named))
    return number < len(subjects) and subjects[number] == record.subject
