"""Results as HTML for notebooks: tables, and a text with its claims coloured."""

from collections.abc import Iterable, Sequence
from html import escape

# Backgrounds that black text and white text can both be read on, by state.
COLOURS = {
    "supported": "#2a9d5c55",
    "omitted": "#d9a40055",
    "contradicted": "#d6333355",
    "unsupported": "#a23bd655",
    "repeated": "#7a7a7a55",
}


def table_html(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are text, escaped here, or HTML made by `coloured`."""
    head = "".join(f'<th style="text-align:left">{escape(name)}</th>' for name in header)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{_cell(cell)}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class _Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def _cell(cell: str) -> str:
    return cell if isinstance(cell, _Html) else escape(cell)


def coloured(words: str, state: str, title: str = "") -> str:
    """Words on the background of a state."""
    style = f"background:{COLOURS[state]};padding:0 .15em"
    return _Html(f'<span style="{style}" title="{escape(title)}">{escape(words)}</span>')


def marked_html(text: str, spans: Iterable[tuple[int, int, str, str]]) -> str:
    """The text with spans, given as start, end, state and title, on their backgrounds."""
    pieces, position = [], 0
    for start, end, state, title in sorted(spans):
        if start < position:
            continue
        pieces += [escape(text[position:start]), coloured(text[start:end], state, title)]
        position = end
    return f'<p style="white-space:pre-wrap">{"".join([*pieces, escape(text[position:])])}</p>'
