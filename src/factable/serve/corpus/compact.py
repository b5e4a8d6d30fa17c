"""Data and findings in the short form that the page of a corpus gets."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from factable.types import Finding, Table

# In the order in which the page numbers them.
KINDS = ("supported", "omitted", "contradicted", "unsupported", "repeated", "unscored")
NUMBER_OF = {kind: number for number, kind in enumerate(KINDS)}
DIGITS = 6


def page_data(table: Table, references: Sequence[str]) -> tuple[object, ...]:
    """Title, records and references as pages have them."""
    records = [tuple(map(_clean, record)) for record in table.records]
    return _clean(table.title), records, tuple(map(_clean, references))


def page_findings(findings: Iterable[Finding], text: str) -> list[tuple[object, ...]]:
    """Findings as pages have them: kind by number, record, span in UTF-16 units, score and note."""
    index = _script_positions(text)
    return [
        (
            NUMBER_OF[finding.kind],
            finding.record,
            *((index(finding.span[0]), index(finding.span[1])) if finding.span else (None, None)),
            _rounded(finding.score),
            _clean(finding.note),
        )
        for finding in findings
    ]


def _clean(text: str) -> str:
    """Text with lone surrogates, which no file can hold, replaced; the length stays."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _rounded(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else round(value, DIGITS)


def _script_positions(text: str) -> Callable[[int], int]:
    """Positions as JavaScript counts them, in UTF-16 units."""
    if not text or max(text) <= "\uffff":
        return int
    return list(accumulate((1 + (letter > "\uffff") for letter in text), initial=0)).__getitem__
