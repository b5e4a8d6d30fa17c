"""Where in a text the words are that a model quotes: as they stand, or nearly so."""

import re
from difflib import SequenceMatcher

from factable.text.values.words import split_words
from factable.types import Span

# Characters that models exchange when they copy.
_SAME = str.maketrans(
    dict.fromkeys("‘’‚‛", "'") | dict.fromkeys("“”„‟«»", '"') | dict.fromkeys("–—−‐‑", "-") | {"\u00a0": " "}
)
_GAP = re.compile(r"\s*(?:…|\.\.\.)\s*")
_OUTSIDE = " \t\n\r\"'.,;:!?…"
_ESCAPED = re.compile(r"\\[nrt]")
# The share of the words of a quote that the text must have, in order, and how many more it may have.
MIN_SHARE = 0.8
MAX_STRETCH = 1.4
MIN_WORDS = 4
# Comparing longer ones word by word would take long.
MAX_WORDS = 200


def find_quote(text: str, quote: str, within: Span | None = None) -> Span | None:
    """The span of a quote, first of all in a sentence; None if the text does not have it.

    Case, blanks, kinds of quotes and dashes do not count; an ellipsis stands for anything in the same
    sentence; of four words and more, one in five may differ, but no number.
    """
    cleaned = _ESCAPED.sub(" ", quote).translate(_SAME).strip(_OUTSIDE)
    if not cleaned or len(cleaned) > 2 * len(text):
        return None
    for span in filter(None, (within, (0, len(text)))):
        found = _find(text[slice(*span)], cleaned)
        if found:
            return span[0] + found[0], span[0] + found[1]
    if within is not None:
        found = _find_nearly(text[slice(*within)], cleaned)
        return (within[0] + found[0], within[0] + found[1]) if found else None
    return None


def _find(text: str, quote: str) -> Span | None:
    folded, positions = _fold(text)
    start, end = None, 0
    for part in _GAP.split(quote):
        wanted, _ = _fold(part.strip(_OUTSIDE))
        wanted = wanted.strip()
        if not wanted:
            continue
        at = _find_words(folded, wanted, end)
        if at < 0:
            return None
        start = at if start is None else start
        end = at + len(wanted)
    if start is None:
        return None
    return positions[start], positions[end - 1] + 1


def _find_words(text: str, words: str, start: int) -> int:
    """Where words begin, preferably not inside another word."""
    pattern = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
    found = pattern.search(text, start)
    return found.start() if found else text.find(words, start)


def _fold(text: str) -> tuple[str, list[int]]:
    """A text in which only what counts differs, and where each of its characters comes from."""
    folded: list[str] = []
    positions: list[int] = []
    for position, character in enumerate(text.translate(_SAME)):
        plain = " " if character.isspace() else character.lower()
        if plain == " " and folded and folded[-1] == " ":
            continue
        # The lower case of some letters is two characters.
        folded.extend(plain)
        positions.extend([position] * len(plain))
    return "".join(folded), positions


def _find_nearly(text: str, quote: str) -> Span | None:
    ours, theirs = split_words(text), split_words(quote)
    if not MIN_WORDS <= len(theirs) <= MAX_WORDS or not 0 < len(ours) <= MAX_WORDS:
        return None
    matcher = SequenceMatcher(
        None, [word.folded for word in ours], [word.folded for word in theirs], autojunk=False
    )
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if sum(block.size for block in blocks) < MIN_SHARE * len(theirs):
        return None
    matched = {number for block in blocks for number in range(block.b, block.b + block.size)}
    if any(number not in matched for number, word in enumerate(theirs) if not word.folded.isalpha()):
        return None
    first, last = blocks[0].a, blocks[-1].a + blocks[-1].size - 1
    if last - first + 1 > MAX_STRETCH * len(theirs):
        return None
    return ours[first].start, ours[last].end
