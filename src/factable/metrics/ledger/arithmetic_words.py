"""Words that ask for a number which is computed, and not one of the data: "total", "average", "more than"."""

import re

from factable.text.patterns import lazy_pattern
from factable.types import Span

# Words of arithmetic count up to this many characters from a number.
ARITHMETIC_WITHIN = 45
_ARITHMETIC = lazy_pattern(
    r"\b(?:totals?|totall?ing|altogether|together|combined|sum|average[sd]?|mean|median|differ\w*|gap|apart|margin|"
    r"shares?|accounts? for|percent|proportion|per cent|out of|than|more|less|fewer|higher|lower|"
    r"increas\w*|decreas\w*|rose|rise[sn]?|falls?|fallen|grew|grow\w*|drop\w*|declin\w*|climb\w*|shr[aiu]nk|"
    r"doubled?|twice|half|times|between|across|rang\w+|most|least|all|each|every|both|overall|outscor\w+)\b",
    re.IGNORECASE,
)
# Little words of arithmetic count right before a number, or right after it.
_ARITHMETIC_BEFORE = lazy_pattern(
    r"\b(?:by|up|down|over|under|above|below|only|fell|another|of the)\s(?:\w+\s)?\Z", re.IGNORECASE
)
_ARITHMETIC_AFTER = lazy_pattern(
    r"(?:\s[\w-]+)?\s(?:of (?:the|all|its|their)|up|down|over|above|below|under)\b", re.IGNORECASE
)


def words_of_arithmetic(text: str, span: Span, sentence: Span) -> bool:
    """Whether a number stands beside such words in its sentence."""
    start, end = sentence
    start, end = max(start, span[0] - ARITHMETIC_WITHIN), min(end, span[1] + ARITHMETIC_WITHIN)
    return (
        "%" in text[slice(*span)]
        or bool(_ARITHMETIC.search(text, start, span[0]) or _ARITHMETIC.search(text, span[1], end))
        or bool(_ARITHMETIC_BEFORE.search(text, start, span[0]))
        or bool(_ARITHMETIC_AFTER.match(text, span[1], end))
    )
