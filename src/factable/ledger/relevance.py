"""Which facts a sentence is held against: all of them, or in a large table those it is about."""

from factable.ledger.alignment import Alignment, sentences_of
from factable.ledger.reading import Reading, Span

# What a sentence and so many facts fit into the window of the embedded model.
MOST_FACTS = 12


def premise_for(reading: Reading, alignment: Alignment, sentence: Span) -> str:
    """The facts that a sentence may rest on, as one text."""
    sentences = sentences_of(reading, alignment)
    places = list(sentences)
    if len(places) > MOST_FACTS:
        places = sorted(sorted(places, key=lambda place: -_closeness(reading, place, sentence))[:MOST_FACTS])
    return " ".join(sentences[place] for place in places)


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
