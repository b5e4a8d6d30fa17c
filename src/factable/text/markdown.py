"""Markdown in texts as structure: sentences, headings, bullets, and mere announcements."""

import re
from typing import Literal, NamedTuple

from factable.text.patterns import lazy_pattern
from factable.text.sentences import sentence_spans
from factable.types import Span

SegmentKind = Literal["sentence", "heading", "announcement"]


class Segment(NamedTuple):
    """A sentence, a bullet or the cells of a row; headings and announcements claim nothing."""

    start: int
    end: int
    kind: SegmentKind = "sentence"

    @property
    def span(self) -> Span:
        """Where it is in the text."""
        return self.start, self.end


_LINE = lazy_pattern(r"[^\n]+")
_HEADING = lazy_pattern(r"\s*(?:#{1,6}\s|\*\*[^*\n]{1,80}\*\*:?\s*\Z|__[^_\n]{1,80}__:?\s*\Z)")
_BULLET = lazy_pattern(r"\s*(?:[-*+•–]|\d{1,2}[.)])\s+")
_RULE = lazy_pattern(r"\s*(?:[-*_=|:]\s*){3,}\Z")
_ANNOUNCEMENT = lazy_pattern(
    r"\s*(?:sure|certainly|of course|okay|ok|absolutely|great)\b[^.\n]*[!.:]?\Z|"
    r"\s*(?:here\s+(?:is|are)|here's|below\s+(?:is|are)|this\s+is|the\s+following\s+(?:is|are)|based\s+on)\b[^.\n]*:\Z",
    re.IGNORECASE,
)
_SHORT_LABEL = lazy_pattern(r"\s*(?:\*\*)?[^.!?\n]{1,60}(?:\*\*)?:\s*(?:\*\*)?\s*\Z")


def segments(text: str) -> list[Segment]:
    """The sentences of a text in order, line by line where the lines are bullets, headings or rows."""
    lines = list(_LINE.finditer(text))
    if not any(_is_structure(line[0]) for line in lines):
        found = [Segment(*span) for span in sentence_spans(text)]
        return [_announced(text, segment) for segment in found]
    parts: list[Segment] = []
    paragraph: list[int] = []

    def close() -> None:
        if paragraph:
            start, end = paragraph[0], paragraph[1]
            parts.extend(
                _announced(text, Segment(start + a, start + b)) for a, b in sentence_spans(text[start:end])
            )
            paragraph.clear()

    last_end = 0
    for line in lines:
        if text[last_end : line.start()].count("\n") > 1:
            close()
        last_end = line.end()
        if _RULE.match(line[0]):
            close()
        elif _HEADING.match(line[0]) or _SHORT_LABEL.fullmatch(line[0]):
            close()
            kind: SegmentKind = "announcement" if _ANNOUNCEMENT.match(line[0].rstrip()) else "heading"
            parts.append(_trimmed(text, line.start(), line.end(), kind))
        elif bullet := _BULLET.match(line[0]):
            close()
            start = line.start() + bullet.end()
            parts.extend(Segment(start + a, start + b) for a, b in sentence_spans(text[start : line.end()]))
        elif paragraph:
            paragraph[1] = line.end()
        else:
            paragraph[:] = [line.start(), line.end()]
    close()
    return [part for part in parts if part.start < part.end]


def _is_structure(line: str) -> bool:
    return bool(
        _HEADING.match(line) or _BULLET.match(line) or _RULE.match(line) or _SHORT_LABEL.fullmatch(line)
    )


def _announced(text: str, segment: Segment) -> Segment:
    """A preamble such as "Sure! Here is a summary:" or a question claims nothing."""
    sentence = text[segment.start : segment.end].rstrip()
    is_announcement = _ANNOUNCEMENT.match(sentence) or sentence.endswith("?")
    return segment._replace(kind="announcement") if is_announcement else segment


def _trimmed(text: str, start: int, end: int, kind: SegmentKind) -> Segment:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Segment(start, end, kind)
