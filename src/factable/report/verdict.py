"""A verdict for the terminal: facts with their states, the text with its faults marked, and the label."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from factable.core.results import Scores
from factable.errors import printable
from factable.metrics.ledger.verdict import SIGNS, Claim, Fact, Verdict
from factable.report.tables import DIGITS, format_cell
from factable.types import Example, Finding, Kind, Record

if TYPE_CHECKING:
    from rich.text import Text


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
        lines.append(f"  {scores.metric} {format_cell(scores.values[index], DIGITS)}")
        lines += [f"    {_sentence(finding, example)}" for finding in scores.findings[index]]
    return "\n".join(lines) + "\n\n"


def _sentence(finding: Finding, example: Example) -> str:
    pieces = [f"{SIGNS[finding.kind]} {finding.kind:<12}"]
    if finding.record is not None:
        record = example.table.records[finding.record]
        pieces.append(" | ".join(part for part in record if part))
    if finding.span is not None:
        start, end = finding.span
        pieces.append(f"“{example.text[start:end]}”")
    if finding.note:
        pieces.append(f"({finding.note})")
    return printable("  ".join(pieces))


COLOURS = {"supported": "green", "omitted": "yellow", "contradicted": "red", "unsupported": "magenta"}
STATES: tuple[Kind, ...] = ("contradicted", "unsupported")
MEANINGS = {"contradicted": "the data says otherwise", "unsupported": "the data does not say it"}
WIDEST_RECORD = 48
STATE_WIDTH = 12
PIPE_WIDTH = 1000
Marked = tuple[int, int, str]


def verdict_text(verdict: Verdict, *, colour: bool = False) -> str:
    """The verdict as a few lines; colours add nothing that marks and words do not say."""
    return print_lines(_lines(verdict), colour=colour)


def print_lines(lines: Iterable["Text"], *, colour: bool) -> str:
    """Lines with their colours, or without; what is too long is left to the terminal to wrap."""
    from rich.console import Console

    console = Console(width=PIPE_WIDTH, force_terminal=colour, no_color=not colour, highlight=False)
    with console.capture() as captured:
        for line in lines:
            console.print(line, soft_wrap=True)
    return captured.get()


def label_line(label: str, probability: float | None) -> "Text":
    """`✓ OK` or `✗ omission`, and how probable it is that the text is OK."""
    from rich.text import Text

    good = label == "OK"
    line = Text().append(f"{'✓' if good else '✗'} {label}", style="bold green" if good else "bold red")
    if probability is not None:
        line.append(f"  (probability of OK {probability:.2f})", style="dim")
    return line


def mark_text(text: str, spans: Iterable[Marked], *, indent: str = "  ") -> "Text":
    """The text, coloured, with spans that are faults in brackets: `[✗ 1.5 litres]`."""
    from rich.text import Text

    line = Text(indent if text else f"{indent}(empty)")
    position = 0
    for start, end, state in sorted(spans):
        if start < position:
            # Inside one that is marked already.
            continue
        line.append(_lines_of(text[position:start], indent))
        said = _lines_of(text[start:end], indent)
        line.append(said if state == "supported" else f"[{SIGNS[state]} {said}]", style=COLOURS[state])
        position = end
    return line.append(_lines_of(text[position:], indent))


def state_line(state: str, subject: str, said: str, note: str, *, width: int = 0) -> "Text":
    """One line such as `✗ contradicted  area | riverside  “city centre”`."""
    from rich.text import Text

    line = Text("  ").append(f"{SIGNS[state]} {state:<{STATE_WIDTH}}", style=COLOURS[state])
    if subject:
        line.append(f"  {printable(subject):<{width if said or note else 0}}")
    if said:
        line.append(f"  “{printable(said)}”")
    return line.append(f"  ({printable(note)})", style="dim") if note else line


def record_words(record: Record) -> str:
    """A record as people read it."""
    return " | ".join(part for part in record if part)


def _lines(verdict: Verdict) -> list["Text"]:
    from rich.text import Text

    records = [record_words(verdict.table.records[fact.record]) for fact in verdict.facts]
    width = min(WIDEST_RECORD, max((len(printable(record)) for record in records), default=0))
    facts = [_fact_line(*both, verdict.text, width) for both in zip(verdict.facts, records, strict=True)]
    marked = [(*claim.span, claim.state) for claim in verdict.claims]
    return [
        label_line(verdict.label, verdict.probability),
        Text("\nfacts", style="bold"),
        *facts,
        Text("\ntext", style="bold"),
        mark_text(verdict.text, marked),
        *_legend(verdict.claims),
    ]


def _fact_line(fact: Fact, record: str, text: str, width: int) -> "Text":
    said = text[slice(*fact.span)] if fact.span else ""
    notes = [fact.note] if fact.note else []
    notes += [] if fact.required else ["optional"]
    return state_line(fact.state, record, said, ", ".join(notes), width=width)


def _legend(claims: Sequence[Claim]) -> list["Text"]:
    """What the brackets mean, where there are any."""
    from rich.text import Text

    states = [state for state in STATES if any(claim.state == state for claim in claims)]
    if not states:
        return []
    return [Text("  " + ", ".join(f"[{SIGNS[s]}] {s}: {MEANINGS[s]}" for s in states), style="dim")]


def _lines_of(text: str, indent: str) -> str:
    """Text with its line breaks, and with all else that could steer a terminal written as escapes."""
    return f"\n{indent}".join(map(printable, text.replace("\r\n", "\n").split("\n")))
