"""Output formats: a result as terminal text, Markdown, LaTeX, CSV or JSON."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import orjson

from factable.errors import printable
from factable.report.tables import Output, TableStyle, TextTable

PIPE_WIDTH = 1000
MAX_NAME_WIDTH = 24
# Characters that would end a cell, or make text bold, struck out, code or a link.
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
        # Some font encodings have other characters in place of these.
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        # At the beginning of a row they would be options of the command that ends the row above.
        "[": "{[}",
        "*": "{*}",
    }
)
# What formulas begin with, in narrow and in wide characters; and the apostrophe, so that it can be undone.
FORMULA = re.compile(r"['=+\-@\t\r＝＋－＠]")
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
APOSTROPHE = "'"
# Characters that would end a cell or a row.
TO_QUOTE = re.compile('[",\r\n]')


def render(
    output: Output, output_format: str, *, colour: bool = False, style: TableStyle | None = None
) -> bytes:
    """The output as table (terminal text), json, csv, markdown or latex; a style is for tables."""
    if output_format == "json":
        return orjson.dumps(output.document, option=orjson.OPT_SERIALIZE_NUMPY) + b"\n"
    if output_format == "csv":
        return b"".join(csv_lines([_csv_cell(value) for value in row] for row in output.csv_rows))
    shown = show_tables(output.tables, output_format, output.signatures, style=style, colour=colour)
    return shown.encode()


def show_tables(
    tables: Sequence[TextTable],
    output_format: str,
    signatures: Sequence[str] = (),
    *,
    style: TableStyle | None = None,
    colour: bool = False,
) -> str:
    """Tables as terminal text, markdown or latex, in a style."""
    if style is not None:
        tables = [table.styled(style) for table in tables]
    if output_format == "markdown":
        return to_markdown(tables, signatures)
    if output_format == "latex":
        return to_latex(tables, signatures)
    return to_terminal(tables, signatures, colour=colour)


def to_markdown(tables: Sequence[TextTable], signatures: Sequence[str] = ()) -> str:
    """A heading, a table and the signature of each; then the signatures of metrics."""
    lines = [f"- {_markdown_code(signature)}\n" for signature in signatures]
    return "\n".join([*map(_markdown_table, tables), "".join(lines)]).rstrip("\n") + "\n"


def _markdown_code(text: str) -> str:
    return f"`{_one_line(text).replace('`', '')}`"


def _markdown_table(table: TextTable) -> str:
    rule = ["---", *("---:" for _ in table.header[1:])]
    rows = _mark_best(table, escape_markdown, "**{}**")
    lines = [[*map(escape_markdown, table.header)], rule, *rows]
    grid = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    note = f"\\{table.note}\n\n" if table.note else ""
    return f"### {escape_markdown(table.title)}\n\n{grid}\n\n{note}{_markdown_code(table.signature)}\n"


def _mark_best(table: TextTable, escape: Callable[[str], str], mark: str) -> list[list[str]]:
    """Escaped cells, the best ones inside `mark`."""
    return [
        [
            mark.format(escape(cell)) if (row, column) in table.best else escape(cell)
            for column, cell in enumerate(cells)
        ]
        for row, cells in enumerate(table.rows)
    ]


def escape_markdown(text: str) -> str:
    """Text that can break neither the table nor, as HTML, the page around it."""
    return MARKDOWN_MARKS.sub(r"\\\g<0>", _one_line(text).replace("&", "&amp;").replace("<", "&lt;"))


def _one_line(text: str) -> str:
    """Text without line breaks and hidden characters."""
    return printable(" ".join(text.split()))


def to_latex(tables: Sequence[TextTable], signatures: Sequence[str] = ()) -> str:
    r"""A `table` with its caption for each (needs \usepackage{booktabs}), signatures as comments."""
    comments = "".join(f"% {_one_line(signature)}\n" for signature in signatures)
    return "\n".join(map(_latex_table, tables)) + comments


def _latex_table(table: TextTable) -> str:
    lines = [
        f"% {_one_line(table.signature)}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape_latex(_caption(table))}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}",
        r"\toprule",
        _latex_row([*map(escape_latex, table.header)]),
        r"\midrule",
        *map(_latex_row, _mark_best(table, escape_latex, r"\textbf{{{}}}")),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _caption(table: TextTable) -> str:
    """The title as a sentence, and what bold and marks mean."""
    title, best = table.title, table.bold_note if table.best else ""
    first, *others = title.split(" ")
    # The name of a metric or a rating stays as it is.
    if first.isalpha() and others:
        title = f"{title[:1].upper()}{title[1:]}"
    return " ".join(filter(None, (f"{title}.", best, table.note)))


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def escape_latex(text: str) -> str:
    """Text that LaTeX sets as it is."""
    return _one_line(text).translate(LATEX_ESCAPES)


def to_terminal(tables: Sequence[TextTable], signatures: Sequence[str] = (), *, colour: bool = False) -> str:
    """Tables for the terminal; names are shown escaped, so that they cannot control it."""
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
                # As Text, because rich reads style marks in a plain string.
                head = Text(printable(name))
                grid.add_column(head, justify=side, style=style, min_width=widest, overflow="fold")
            for index, row in enumerate(table.rows):
                bold = ["bold" if (index, column) in table.best else "" for column in range(len(row))]
                grid.add_row(*(Text(printable(c), style=b) for c, b in zip(row, bold, strict=True)))
            console.print(Text(f"\n {printable(table.title)}", style="bold"), soft_wrap=True)
            console.print(grid)
            if table.note:
                console.print(Text(table.note, style="dim"), soft_wrap=True)
            console.print(Text(printable(table.signature), style="dim"), soft_wrap=True)
        for number, signature in enumerate(signatures):
            start = "" if number else "\n"
            console.print(Text(start + printable(signature), style="dim"), soft_wrap=True)
    return captured.get()


def csv_lines(rows: Iterable[Sequence[str]]) -> list[bytes]:
    """Lines of CSV, one for each row of cells.

    The csv module refuses some characters, which ones depends on the version of Python.
    """
    return [f"{','.join(map(_quoted, row))}\n".encode("utf-8", "surrogatepass") for row in rows]


def _quoted(cell: str) -> str:
    if not TO_QUOTE.search(cell):
        return cell
    doubled = cell.replace('"', '""')
    return f'"{doubled}"'


def _csv_cell(value: str | float) -> str:
    if isinstance(value, float):
        return csv_number(value)
    return csv_text(value) if isinstance(value, str) else str(value)


def csv_number(value: float) -> str:
    """A number with all its digits; empty where it is missing."""
    return "" if math.isnan(value) else repr(value)


def csv_text(text: str) -> str:
    """The text, after an apostrophe if a spreadsheet would take it for a formula; a number stays a number."""
    if not FORMULA.match(text) or NUMBER.fullmatch(text):
        return text
    return APOSTROPHE + text
