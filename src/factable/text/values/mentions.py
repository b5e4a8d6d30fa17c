"""Which values a text says, and where."""

from collections.abc import Iterable

from factable.text.values.dates import find_dates, find_years
from factable.text.values.joined import join_numbers
from factable.text.values.kinds import Mention, Name, Number
from factable.text.values.names import find_names
from factable.text.values.quantities import find_numbers


def find_mentions(text: str) -> tuple[Mention, ...]:
    """Numbers, dates, names and codes in a text, in order; a span with two readings comes twice.

    Spans of numbers and dates do not overlap but for years, which can be numbers too.
    """
    dates = list(find_dates(text))
    taken = _places(text, dates)
    numbers = list(join_numbers(text, find_numbers(text, taken)))
    # What has a unit is no year, and what has a comma neither.
    measures = [mention for mention in numbers if isinstance(mention.value, Number) and mention.value.unit]
    years = list(find_years(text, _places(text, [*dates, *measures])))
    with_digits = [mention for mention in numbers if any(char.isdecimal() for char in _said(text, mention))]
    in_words = {mention.start: mention.end for mention in numbers if isinstance(mention.value, Number)}
    names = [
        mention
        for mention in find_names(text, _places(text, [*dates, *_no_codes(with_digits)]))
        if mention.end > in_words.get(mention.start, 0)
    ]
    inside = _places(text, names)
    numbers = [
        mention for mention in numbers if not (isinstance(mention.value, Name) and inside[mention.start])
    ]
    return tuple(sorted([*dates, *numbers, *years, *names], key=lambda mention: (mention.start, mention.end)))


def _said(text: str, mention: Mention) -> str:
    return text[mention.start : mention.end]


def _no_codes(mentions: Iterable[Mention]) -> list[Mention]:
    """Numbers only: a code such as C-17 may be part of a name."""
    return [mention for mention in mentions if isinstance(mention.value, Number)]


def _places(text: str, mentions: Iterable[Mention]) -> bytearray:
    """A mark for each character that belongs to a mention."""
    places = bytearray(len(text))
    for mention in mentions:
        places[mention.start : mention.end] = b"\x01" * (mention.end - mention.start)
    return places
