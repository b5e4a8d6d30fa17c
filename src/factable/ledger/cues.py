"""Words that tell which of two facts a value belongs to: "born" and "died" beside two places."""

from collections.abc import Iterator

from factable.ledger.reading import Reading, Span
from factable.ledger.wording import CONNECTING
from factable.text.templates import ATTRIBUTE, SUBJECT, VALUE, open_up
from factable.text.values import Date, Hit, Number
from factable.text.values.words import Word, alike, split_words

# A word after a value is as near as one so many words further away before it.
AFTER = 2
MOST_TEMPLATES = 4
SHORTEST = 3


def crossed_pairs(reading: Reading, hits: dict[int, Hit]) -> Iterator[tuple[int, int]]:
    """Facts of one kind whose values each stand nearer to the words of the other fact than to their own."""
    places = [place for place in hits if place in reading.facts]
    cues = {place: _cues(reading, place) for place in places}
    for number, one in enumerate(places):
        for other in places[number + 1 :]:
            mine, theirs = cues[one] - cues[other], cues[other] - cues[one]
            if not mine or not theirs or _kind(reading, one) is not _kind(reading, other):
                continue
            if reading.sentence_of(hits[one].span) != reading.sentence_of(hits[other].span):
                continue
            strayed = _is_nearer(reading, hits[one].span, theirs, mine)
            if strayed and _is_nearer(reading, hits[other].span, mine, theirs):
                yield one, other


def cue_distance(reading: Reading, place: int, span: Span) -> int | None:
    """How many words away from a value the nearest word stands that tells of a fact, in one sentence."""
    start, end = reading.sentence_spans[reading.sentence_of(span)]
    words = [word for word in reading.read.words if start <= word.start < end]
    return _distance(words, span, _cues(reading, place))


def _cues(reading: Reading, place: int) -> frozenset[str]:
    """The words that say what a fact is about, without its subject, its value and connecting words."""
    fact = reading.facts[place]
    templates = " ".join(reading.templates.choices(fact)[:MOST_TEMPLATES])
    told = templates.replace(SUBJECT, " ").replace(VALUE, " ").replace(ATTRIBUTE, " ")
    words = {word.folded for word in split_words(f"{told} {open_up(fact.attribute)}")}
    rest = words - CONNECTING - reading.value_words(place)
    return frozenset(word for word in rest if len(word) >= SHORTEST)


def _kind(reading: Reading, place: int) -> type:
    value = reading.values[place][0]
    return type(value) if isinstance(value, Number | Date) else object


def _is_nearer(reading: Reading, span: Span, these: frozenset[str], those: frozenset[str]) -> bool:
    """Whether words of one kind stand nearer to a value than words of another, both in its sentence."""
    start, end = reading.sentence_spans[reading.sentence_of(span)]
    words = [word for word in reading.read.words if start <= word.start < end]
    near, far = (_distance(words, span, cues) for cues in (these, those))
    return near is not None and far is not None and near < far


def _distance(words: list[Word], span: Span, cues: frozenset[str]) -> int | None:
    """How many words away the nearest of some words is."""
    inside = [number for number, word in enumerate(words) if span[0] <= word.start < span[1]]
    if not inside:
        return None
    found = [number for number, word in enumerate(words) if any(alike(word.folded, cue) for cue in cues)]
    distances = [
        inside[0] - number if number < inside[0] else number - inside[-1] + AFTER for number in found
    ]
    return min(distances, default=None)
