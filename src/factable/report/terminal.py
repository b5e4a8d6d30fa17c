"""Summary tables as Markdown, LaTeX and terminal output."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from factable.core.metric import Metric, corpus_results
from factable.core.results import VALUE, Scores, pick
from factable.engine.collect import Result
from factable.errors import printable

DIGITS = 4


@dataclass(frozen=True, slots=True)
class SummaryTable:
    """A table of text, such as the means of one metric; `best` has (row, column) of cells to be in bold."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    signature: str
    best: frozenset[tuple[int, int]] = frozenset()


def summarize(result: Result) -> list[SummaryTable]:
    """One table per metric."""
    system_of = np.frombuffer(result.system_of, dtype=np.uint32)
    groups = [(name or "(unnamed)", system_of == number) for number, name in enumerate(result.systems)]
    if len(groups) != 1:
        groups.append(("all", np.ones(len(system_of), dtype=bool)))
    tables = []
    for metric, scores in zip(result.metrics, result.scores, strict=True):
        rows = [(system, *_row(metric, pick(scores, members))) for system, members in groups]
        parts = (part.replace("_", " ") for part in metric.parts)
        header = ("system", metric.name, *parts, "n", "unscored")
        if all(row[-1] == "0" for row in rows):
            header, rows = header[:-1], [row[:-1] for row in rows]
        tables.append(SummaryTable(scores.metric, header, tuple(rows), scores.signature))
    return tables


def _row(metric: Metric, scores: Scores) -> list[str]:
    """Value, parts and numbers of examples of one system."""
    together = corpus_results(metric, scores.values, scores.parts, scores.stats)
    unscored = sum(map(math.isnan, scores.values))
    shown = [show_number(together[name]) for name in (VALUE, *metric.parts)]
    return [*shown, str(len(scores.values)), str(unscored)]


def show_number(value: float) -> str:
    """A value as people read it; a missing one is a dash."""
    return "–" if math.isnan(value) else f"{value:.{DIGITS}f}"


PIPE_WIDTH = 1000
MAX_NAME_WIDTH = 24
# What would end a cell, or make text bold, struck out, code or a link.
MARKDOWN_MARKS = re.compile(r"[\\|`*~\[]|\b_|_\b")
LATEX_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "_": r"\_",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
        # Other characters than these in some font encodings.
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        # Options of the command that ends the row above, if a row begins with them.
        "[": "{[}",
        "*": "{*}",
    }
)


def to_markdown(tables: Sequence[SummaryTable], signatures: Sequence[str] = ()) -> str:
    """A heading, a table and the signature of each; then the signatures of metrics."""
    lines = [f"- {_markdown_code(signature)}\n" for signature in signatures]
    return "\n".join([*map(_markdown_table, tables), "".join(lines)]).rstrip("\n") + "\n"


def _markdown_code(text: str) -> str:
    return f"`{_one_line(text).replace('`', '')}`"


def _markdown_table(table: SummaryTable) -> str:
    rule = ["---", *("---:" for _ in table.header[1:])]
    rows = _mark_best(table, _escape_markdown, "**{}**")
    lines = [[*map(_escape_markdown, table.header)], rule, *rows]
    grid = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"### {_escape_markdown(table.title)}\n\n{grid}\n\n{_markdown_code(table.signature)}\n"


def _mark_best(table: SummaryTable, escape: Callable[[str], str], mark: str) -> list[list[str]]:
    """Escaped cells, the best ones inside `mark`."""
    return [
        [
            mark.format(escape(cell)) if (row, column) in table.best else escape(cell)
            for column, cell in enumerate(cells)
        ]
        for row, cells in enumerate(table.rows)
    ]


def _escape_markdown(text: str) -> str:
    """Text that can break neither the table nor, as HTML, the page around it."""
    return MARKDOWN_MARKS.sub(r"\\\g<0>", _one_line(text).replace("&", "&amp;").replace("<", "&lt;"))


def _one_line(text: str) -> str:
    """Text without line breaks and hidden characters."""
    return printable(" ".join(text.split()))


def to_latex(tables: Sequence[SummaryTable], signatures: Sequence[str] = ()) -> str:
    r"""A `tabular` per table (needs \usepackage{booktabs}), signatures as comments."""
    comments = "".join(f"% {_one_line(signature)}\n" for signature in signatures)
    return "\n".join(map(_latex_table, tables)) + comments


def _latex_table(table: SummaryTable) -> str:
    lines = [
        f"% {_one_line(table.signature)}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}",
        r"\toprule",
        _latex_row([*map(_escape_latex, table.header)]),
        r"\midrule",
        *map(_latex_row, _mark_best(table, _escape_latex, r"\textbf{{{}}}")),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _escape_latex(text: str) -> str:
    return _one_line(text).translate(LATEX_ESCAPES)


def to_terminal(
    tables: Sequence[SummaryTable], signatures: Sequence[str] = (), *, colour: bool = False
) -> str:
    """Tables for the terminal; names are shown escaped, so that they cannot steer it."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # A file or a pipe has no width; nothing is cut there.
    console = Console(width=None if colour else PIPE_WIDTH, force_terminal=colour, no_color=not colour)
    with console.capture() as captured:
        for table in tables:
            grid = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
            for number, name in enumerate(table.header):
                style = "bold" if number == 1 and not table.best else None
                words = name.split() if number else [row[0] for row in table.rows]
                widest = min(MAX_NAME_WIDTH, max(map(len, words), default=1))
                side: Literal["left", "right"] = "right" if number else "left"
                # A text of its own: in a string rich would look for marks of style.
                shown = Text(printable(name))
                grid.add_column(shown, justify=side, style=style, min_width=widest, overflow="fold")
            for index, row in enumerate(table.rows):
                bold = ["bold" if (index, column) in table.best else "" for column in range(len(row))]
                grid.add_row(*(Text(printable(c), style=b) for c, b in zip(row, bold, strict=True)))
            console.print(Text(f"\n {printable(table.title)}", style="bold"), soft_wrap=True)
            console.print(grid)
            console.print(Text(printable(table.signature), style="dim"), soft_wrap=True)
        for number, signature in enumerate(signatures):
            start = "" if number else "\n"
            console.print(Text(start + printable(signature), style="dim"), soft_wrap=True)
    return captured.get()
