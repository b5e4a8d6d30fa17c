"""`factable score`: texts and data in, scores out."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import click

from factable.cli.progress import Progress
from factable.errors import UsageError
from factable.io.files import open_output, plain_suffix
from factable.report.document import write_json
from factable.report.explain import explanation_rows
from factable.report.rows import csv_header, csv_rows, jsonl_rows
from factable.report.summary import summarize
from factable.report.text import to_latex, to_markdown, to_terminal
from factable.run.collect import Result, Skipped
from factable.run.score import parse_all, score_files
from factable.run.units import Render, Scored

FORMATS = ("table", "json", "jsonl", "csv", "markdown", "latex")
FORMAT_OF_ENDING = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".md": "markdown", ".tex": "latex"}
EXPLAINING = ("table", "json", "jsonl")
DEFAULT_METRIC = "parent"


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("-m", "--metric", "specs", multiple=True, help="A metric, such as parent or 'parent(mix=0.5)'.")
@click.option(
    "--format", "shape", type=click.Choice(FORMATS), help="Default: by the ending of --out, else table."
)
@click.option("--out", default="-", help="Write here instead of to stdout; .gz, .xz and .zst compress.")
@click.option("--explain", is_flag=True, help="Say which facts and words are behind each score.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, help="Processes to use.")
@click.option("--skip-bad", is_flag=True, help="Leave bad lines out and report how many there were.")
def score(
    files: Sequence[str],
    specs: Sequence[str],
    shape: str | None,
    out: str,
    explain: bool,
    jobs: int,
    skip_bad: bool,
) -> None:
    """Score the texts in FILES (JSON lines, CSV or Parquet; - is stdin) against their data."""
    shape = shape or format_of(out, FORMATS)
    if explain and shape not in EXPLAINING:
        raise UsageError(f"--explain has no place in {shape}; use --format {' or '.join(EXPLAINING)}")
    check_output(files, out)
    metrics = parse_all(specs or (DEFAULT_METRIC,))
    render = _render(shape, explain)
    on_terminal = out == "-" and sys.stdout.isatty()
    with open_output(out) as stream:
        waiting = [csv_header(metrics)] if shape == "csv" else []
        # A bar and rows that scroll by on one terminal would write over each other.
        with Progress(files, shown=not (render and on_terminal)) as progress:

            def take(unit: Scored) -> None:
                while waiting:
                    stream.write(waiting.pop())
                for row in unit.rows:
                    stream.write(row)
                progress.advance(unit.size, len(unit.items))

            result = score_files(
                files, metrics, explain=explain, jobs=jobs, skip_bad=skip_bad, render=render, listener=take
            )
        _write(result, shape, stream, colour=on_terminal)
    _report_skipped(result.skipped)


def format_of(out: str, formats: Sequence[str]) -> str:
    """The format, of those a command has, that the output's ending stands for."""
    ending = plain_suffix(out)
    if ending in ("", ".txt"):
        return "table"
    if FORMAT_OF_ENDING.get(ending) not in formats:
        known = ", ".join(known for known, shape in FORMAT_OF_ENDING.items() if shape in formats)
        raise UsageError(f"no format ends in {ending!r}; end --out in {known} or .txt, or give --format")
    return FORMAT_OF_ENDING[ending]


def check_output(files: Sequence[str], out: str) -> None:
    """Refuse an output that would replace an input."""
    path = Path(out)
    if out != "-" and path.is_file() and any(Path(f).exists() and path.samefile(f) for f in files):
        raise UsageError(f"--out {out} is an input too; give it another name")


def _render(shape: str, explain: bool) -> Render | None:
    """How rows look that are written as they come."""
    if shape == "table":
        return explanation_rows if explain else None
    return {"jsonl": jsonl_rows, "csv": csv_rows}.get(shape)


def _write(result: Result, shape: str, stream: IO[bytes], *, colour: bool) -> None:
    """What is written at the end."""
    if shape == "json":
        write_json(result, stream)
    elif shape == "markdown":
        stream.write(to_markdown(summarize(result)).encode())
    elif shape == "latex":
        stream.write(to_latex(summarize(result)).encode())
    elif shape == "table":
        stream.write(to_terminal(summarize(result), colour=colour).encode())


def _report_skipped(skipped: Skipped) -> None:
    if not skipped.total:
        return
    for fault in skipped.faults:
        click.echo(f"skipped {fault}", err=True)
    if skipped.total > len(skipped.faults):
        click.echo("…", err=True)
    noun = "line" if skipped.total == 1 else "lines"
    click.echo(f"factable: {skipped.total} bad {noun} skipped", err=True)
