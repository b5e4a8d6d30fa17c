"""By what a text multiplies or divides to speak of other spans of time or of two: "a week", "both ways"."""

import re

from factable.text.patterns import lazy_pattern

_RESCALED = lazy_pattern(
    r"\b(?:(?P<two>couple|pair|two|both ways|return|round trip)|(?:(?:per|an?|each|every)\s)?(?:"
    r"(?P<hour>hour(?:ly)?|minute)|(?P<day>day|daily|night|nightly)|(?P<week>week(?:ly)?)|(?P<month>month(?:ly)?)|"
    r"(?P<quarter>quarter(?:ly)?)|(?P<year>year(?:ly)?|annual(?:ly)?)))s?\b",
    re.IGNORECASE,
)
# By what one multiplies or divides to come from one of these to another.
_SCALES = {
    "two": (2,),
    "hour": (24, 60),
    "day": (7, 24, 30, 365),
    "week": (4, 7, 52),
    "month": (4, 12, 30),
    "quarter": (3, 4),
    "year": (12, 52, 365),
}


def scales_in(words: str) -> list[int]:
    """The factors that words ask for."""
    return sorted({scale for match in _RESCALED.finditer(words) for scale in _SCALES[match.lastgroup or ""]})
