"""Where sentences end."""

import re

# Words after which a full stop ends nothing.
_SHORT = frozenset(
    re.split(
        " ",
        "mr mrs ms dr prof sr jr st mt ft no vs etc inc ltd co corp gen col lt sgt capt rev hon u.s u.k "
        "a.m p.m e.g i.e approx jan feb mar apr jun jul aug sep sept oct nov dec",
    )
)
_END = re.compile(r"([.!?]+[\"'”’)\]]*)\s+(?=[\"'“‘(\[]*[\w£$€])")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, without the white space between them; nothing for an empty text."""
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Where each sentence starts and ends."""
    spans, start = [], 0
    for place in _END.finditer(text):
        if _ends_here(text, place):
            spans.append((start, place.end(1)))
            start = place.end()
    spans.append((start, len(text)))
    return [span for span in (_trim(text, *span) for span in spans) if span[0] < span[1]]


def _ends_here(text: str, place: re.Match[str]) -> bool:
    if not place[1].startswith(".") or place[1].startswith(".."):
        return True
    last = re.search(r"[\w.]*$", text[: place.start()])
    word = last[0].lower() if last else ""
    # A single letter is an initial: "J. Watson".
    if word in _SHORT or (len(word) == 1 and word.isalpha()):
        return False
    following = text[place.end() :].lstrip("\"'“‘([")
    # In lower-case text sentences begin small; a small letter ends none elsewhere.
    return following[:1].isupper() or following[:1].isdigit() or text.islower() or not following[:1].isalpha()


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end
