"""What is held against each other where there is much: a sentence and its facts, a fact and its text."""

from factable.ledger.alignment import Alignment
from factable.ledger.reading import Reading, Span

# What a sentence and so many facts fit into the window of the embedded model.
MOST_FACTS = 12
# Above this many facts, most are not meant to be said, and only those the text may say are asked about.
LARGE_TABLE = 40
MOST_SENTENCES = 8


def premise_for(reading: Reading, alignment: Alignment, sentence: Span) -> str:
    """The facts that a sentence may rest on, as one text."""
    places = list(alignment.sentences)
    if len(places) > MOST_FACTS:
        places = sorted(sorted(places, key=lambda place: -_closeness(reading, place, sentence))[:MOST_FACTS])
    return " ".join(alignment.sentences[place] for place in places)


def may_be_said(reading: Reading, alignment: Alignment, place: int) -> bool:
    """Whether a fact is worth asking for: in a large table the text must have its subject and value."""
    if len(reading.facts) <= LARGE_TABLE:
        return True
    subject = reading.record(place).subject
    found = place in alignment.hits or place in alignment.misplaced
    return found and (subject not in reading.subjects or bool(reading.subjects[subject]))


def passage_for(reading: Reading, place: int) -> str:
    """The text, or of a long one the sentences that may say a fact: with its value, then its subject."""
    spans = reading.sentence_spans
    if len(spans) <= MOST_SENTENCES:
        return reading.text.strip()
    named = reading.subjects.get(reading.record(place).subject, [])
    said, about = ([reading.sentence_of(hit.span) for hit in hits] for hits in (reading.hits[place], named))
    # What a sentence with the value is about may be said in the one before.
    near = [number for at in said for number in (at, at - 1) if number >= 0]
    chosen = sorted(list(dict.fromkeys([*near, *about, *range(len(spans))]))[:MOST_SENTENCES])
    return " ".join(reading.text[slice(*spans[number])] for number in chosen)


def _closeness(reading: Reading, place: int, sentence: Span) -> float:
    """How much of a fact a sentence says: its value, its subject, words of its attribute."""
    start, end = sentence
    words = {word.folded for word in reading.read.words if start <= word.start < end}
    value = any(start <= hit.span[0] < end for hit in reading.hits[place])
    subject = any(
        start <= hit.span[0] < end for hit in reading.subjects.get(reading.record(place).subject, [])
    )
    attribute = reading.attribute_words[place]
    return 2.0 * value + subject + len(words & attribute) / max(1, len(attribute))
