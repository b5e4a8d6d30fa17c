"""Words of a text that the data does not have: what may carry a claim, and what only connects."""

from collections.abc import Iterator

from factable.ledger.reading import Reading, Span
from factable.text.values.words import Word, alike

_CONNECTING = """
a an the this that these those it its he his him she her hers they their them there then we our us you your i
my me in on at as and but or nor so if of by for from to with into onto over under about after before during
since until while when where which who whose whom what how why because although though however also too both
each every all some any several one ones is are was were be been being has have had having do does did done
can could will would shall should may might must here now yet still such other another same like between
among within through throughout along across than located situated found known named called considered said
made make makes part includes include including included comes come came well just quite very more most
respectively currently people place thing something offers offer offering provides provide providing serves
serve serving served gets get got goes go gone takes take took uses use used using lies lie etc per via out up
off down only even either neither not no plus whereas whilst
"""
CONNECTING = frozenset(_CONNECTING.split())
_MOST_CONNECTING_BETWEEN = 2


def is_covered(word: str, words: frozenset[str]) -> bool:
    """Whether a word of the text is a word of the data, in some form."""
    return word in words or any(alike(word, other) for other in words)


def content_words(reading: Reading, span: Span) -> list[Word]:
    """The words in a span that may carry a claim."""
    return [
        word
        for word in reading.read.words
        if span[0] <= word.start < span[1] and word.folded not in CONNECTING
    ]


def uncovered_words(reading: Reading, span: Span) -> list[Word]:
    """The words in a span that may carry a claim and are not in the data."""
    hits = [hit.span for hits in [*reading.hits.values(), *reading.subjects.values()] for hit in hits]
    return [
        word
        for word in content_words(reading, span)
        if not any(start <= word.start < end for start, end in hits)
        and not is_covered(word.folded, reading.data_words)
    ]


def runs(reading: Reading, words: list[Word]) -> Iterator[Span]:
    """Words that stand together, or with a few connecting words between them, as spans."""
    order = {word.start: place for place, word in enumerate(reading.read.words)}
    start, last = None, None
    for word in words:
        if last is not None and start is not None:
            between = reading.read.words[order[last.start] + 1 : order[word.start]]
            gap = reading.text[last.end : word.start]
            joined = len(between) <= _MOST_CONNECTING_BETWEEN and all(
                each.folded in CONNECTING for each in between
            )
            if joined and not any(mark in gap for mark in ".;!?,:()"):
                last = word
                continue
            yield start.start, last.end
        start = last = word
    if start is not None and last is not None:
        yield start.start, last.end
