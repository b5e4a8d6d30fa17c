"""Findings in words, for the terminal."""

from collections.abc import Sequence

from factable.errors import printable
from factable.report.summary import show_number
from factable.types import Example, Finding, Scores

MARKS = {
    "supported": "✓",
    "omitted": "−",
    "contradicted": "✗",
    "unsupported": "+",
    "repeated": "=",
    "unscored": "?",
}


def explanation_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
    """A few lines per example: its text, then what each metric found."""
    return [
        _explain(example, [(piece, index) for piece in pieces]).encode("utf-8", "replace")
        for index, example in enumerate(examples)
    ]


def _explain(example: Example, pieces: list[tuple[Scores, int]]) -> str:
    name = " · ".join(printable(part) for part in (example.item, example.system) if part)
    lines = [name, f"  {printable(example.text)}"]
    for scores, index in pieces:
        lines.append(f"  {scores.metric} {show_number(scores.values[index])}")
        lines += [f"    {_sentence(finding, example)}" for finding in scores.findings[index]]
    return "\n".join(lines) + "\n\n"


def _sentence(finding: Finding, example: Example) -> str:
    pieces = [f"{MARKS[finding.kind]} {finding.kind:<12}"]
    if finding.record is not None:
        record = example.table.records[finding.record]
        pieces.append(" | ".join(part for part in record if part))
    if finding.span is not None:
        start, end = finding.span
        pieces.append(f"“{example.text[start:end]}”")
    if finding.note:
        pieces.append(f"({finding.note})")
    return printable("  ".join(pieces))
