"""Sentence boundaries."""

import re

from factable.text.patterns import lazy_pattern
from factable.types import Span

# A full stop after one of these (the last are initials, as in `J` and `U.S`) ends a sentence only before a
# capital and a word that begins sentences.
_ABBREVIATION = lazy_pattern(
    "mr|mrs|ms|dr|prof|sr|jr|st|mt|ft|no|vs|etc|inc|ltd|co|corp|gen|col|lt|sgt|capt|rev|hon|approx|est|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|(?:[^\W\d_]\.)*[^\W\d_]",
    re.IGNORECASE,
)
_BEGINNING = lazy_pattern(
    "A|An|The|This|That|These|Those|It|Its|He|His|She|Her|They|Their|There|Then|We|Our|You|In|On|At|As|And|But|"
    "When|While|After|Before|However"
)
# Only the first of a run of marks counts; otherwise a long run would be read again from each of them.
_END = lazy_pattern(r"(?<![.!?])[.!?]+[\"'”’)\]]*(?=\s)|(?=\n[^\S\n]*\n)")
_WORD_BEFORE = lazy_pattern(r"[\w.]*\Z")
# With its full stop, or `A` in `A. Milne` would look like a word.
_WORD_AFTER = lazy_pattern(r"\s*[\"'“‘(\[]*(\w*\.?)")
# No abbreviation is longer; searching further back would be slow in long texts.
_LONGEST_ABBREVIATION = 16


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, without the white space between them; nothing for an empty text."""
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> list[Span]:
    """Start and end of each sentence; an empty line ends a sentence, too."""
    # In a text without capitals a lower-case letter says nothing.
    has_capitals = not text.islower()
    ends = [end.end() for end in _END.finditer(text) if _ends_here(text, end, has_capitals)]
    spans = zip([0, *ends], [*ends, len(text)], strict=True)
    return [span for span in (_trim(text, *span) for span in spans) if span[0] < span[1]]


def _ends_here(text: str, end: re.Match[str], has_capitals: bool) -> bool:
    """Whether a mark (or an empty line, which has none) ends a sentence."""
    if not end[0]:
        return True
    after = _WORD_AFTER.match(text, end.end())
    word = after[1] if after else ""
    if end[0].startswith("."):
        before = _WORD_BEFORE.search(text, max(0, end.start() - _LONGEST_ABBREVIATION), end.start())
        # The last letter of a unit is no initial: "30 km/h.", "70°F."
        is_unit = before is not None and text[before.start() - 1 : before.start()] in ("/", "°")
        if before and not is_unit and _ABBREVIATION.fullmatch(before[0]):
            return bool(_BEGINNING.fullmatch(word))
    return not (has_capitals and word[:1].islower())


def _trim(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end
