"""Where a command's result goes, and in which format."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import click

from factable.errors import UsageError
from factable.io.files import plain_suffix
from factable.report.output import Output, render
from factable.run.collect import Skipped

FORMAT_OF_ENDING = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".md": "markdown", ".tex": "latex"}


def format_of(out: str, formats: Sequence[str]) -> str:
    """The format, of those a command has, that the output's ending stands for."""
    ending = plain_suffix(out)
    if ending in ("", ".txt"):
        return "table"
    if FORMAT_OF_ENDING.get(ending) not in formats:
        known = ", ".join(known for known, shape in FORMAT_OF_ENDING.items() if shape in formats)
        raise UsageError(f"no format ends in {ending!r}; end --out in {known} or .txt, or give --format")
    return FORMAT_OF_ENDING[ending]


def check_output(files: Sequence[str], out: str, option: str = "--out") -> None:
    """Refuse an output that would replace an input."""
    path = Path(out)
    if out != "-" and path.is_file() and any(Path(f).exists() and path.samefile(f) for f in files):
        raise UsageError(f"{option} {out} is an input too; give it another name")


def is_terminal(out: str) -> bool:
    """Whether the output goes to a terminal, which shows colours."""
    return out == "-" and sys.stdout.isatty()


def write_output(output: Output, shape: str, out: str, stream: IO[bytes]) -> None:
    """Write a result to the stream that `out` names."""
    stream.write(render(output, shape, colour=is_terminal(out)))


def report_skipped(skipped: Skipped) -> None:
    """Say on stderr which bad lines were left out."""
    if not skipped.total:
        return
    for fault in skipped.faults:
        click.echo(f"skipped {fault}", err=True)
    if skipped.total > len(skipped.faults):
        click.echo("…", err=True)
    noun = "line" if skipped.total == 1 else "lines"
    click.echo(f"factable: {skipped.total} bad {noun} skipped", err=True)
