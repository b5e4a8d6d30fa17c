"""Where a command's result goes, and in which format."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

import click

from factable.cli.main import QUIET, VERBOSE, with_flags
from factable.engine.collect import Result, Skipped
from factable.engine.plan import Render, Scored
from factable.errors import UsageError
from factable.io.files import open_output, plain_suffix, source_name
from factable.report.formats import render
from factable.report.tables import Output, TableStyle

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from factable.report.html import ExampleListing
    from factable.study.comparison import SystemComparison


FORMAT_OF_ENDING = {".json": "json", ".jsonl": "jsonl", ".csv": "csv", ".md": "markdown", ".tex": "latex"}


def format_of(out: str, formats: Sequence[str]) -> str:
    """The format, of those a command has, that the output's ending stands for."""
    ending = plain_suffix(out)
    if ending in ("", ".txt"):
        return "table"
    if FORMAT_OF_ENDING.get(ending) not in formats:
        known = ", ".join(
            known for known, output_format in FORMAT_OF_ENDING.items() if output_format in formats
        )
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


def shows_colour(out: str = "-") -> bool:
    """Whether an output has colours: on a terminal, or as the environment has it."""
    if os.environ.get("NO_COLOR"):
        return False
    return is_terminal(out) or (out == "-" and bool(os.environ.get("FORCE_COLOR")))


def is_quiet() -> bool:
    """Whether nobody wants to hear of anything but results and errors."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


def say(message: str) -> None:
    """Tell something on stderr, unless told to be quiet."""
    if not is_quiet():
        click.echo(message, err=True)


def explain_run(message: str) -> None:
    """Tell on stderr how a run goes, if asked to."""
    context = click.get_current_context(silent=True)
    if context is not None and context.meta.get(VERBOSE):
        click.echo(f"factable: {message}", err=True)


def write_output(
    output: Output, output_format: str, out: str, stream: IO[bytes], style: TableStyle | None = None
) -> None:
    """Write a result to the stream that `out` names."""
    stream.write(render(output, output_format, colour=shows_colour(out), style=style))


def table_style(digits: int | None, names: Sequence[str]) -> TableStyle:
    """The style of tables from `--digits` and `--name`."""
    renamed = {}
    for each in names:
        # A spec holds equals signs of its own: the last one counts.
        old, _, new = each.rpartition("=")
        if not old.strip() or not new.strip():
            raise UsageError(f"--name is {each!r}; write OLD=NEW, such as bleu=BLEU")
        renamed[old.strip()] = new.strip()
    return TableStyle(digits, renamed)


def report_skipped(skipped: Skipped) -> None:
    """Say on stderr which bad lines were left out."""
    if not skipped.total:
        return
    for fault in skipped.faults:
        say(f"skipped {fault}")
    if skipped.total > len(skipped.faults):
        say("…")
    noun = "line" if skipped.total == 1 else "lines"
    say(f"factable: {skipped.total} bad {noun} skipped")


def report_warnings(result: Result) -> None:
    """Say on stderr what about the data makes the numbers doubtful."""
    command = click.get_current_context().command
    for warning in result.warnings:
        say(f"factable: {with_flags(warning, command)}")


report_option = click.option(
    "--report", metavar="FILE", help="Also write an HTML report with every text beside its data."
)


class ReportPage(NamedTuple):
    """A page to be: what it lists is made and taken during the run, the rest is written at its end.

    Where nobody asked for a page it does nothing.
    """

    title: str = ""
    listing: "ExampleListing | None" = None
    stream: IO[bytes] | None = None

    @property
    def render(self) -> Render | None:
        """What makes the rows of the page, where examples are scored."""
        if self.listing is None:
            return None
        from factable.report.html import listing_rows

        return listing_rows

    def take(self, unit: Scored) -> None:
        """Keep the rows of a unit."""
        if self.listing is not None:
            self.listing.take(unit)

    def write(self, result: Result, comparison: "SystemComparison | None" = None) -> None:
        """Write the page."""
        if self.listing is not None and self.stream is not None:
            from factable.report.html import Report, write_report

            write_report(self.stream, Report(self.title, result, self.listing, comparison=comparison))


@contextmanager
def open_report(path: str | None, files: Sequence[str], *, out: str) -> Iterator[ReportPage]:
    """A page that becomes the file `path` on success; without a path, one that does nothing."""
    if path is None:
        yield ReportPage()
        return
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"--report {path}: a page ends in .html; name such a file")
    if Path(path).absolute() == Path(out).absolute():
        raise UsageError(f"--report and --out are both {path}; give two names")
    check_output(files, path, "--report")
    from factable.report.html import ExampleListing

    title = ", ".join(Path(source_name(file)).name for file in files)
    with ExampleListing() as listing, open_output(path) as stream:
        yield ReportPage(title, listing, stream)


Draw = Callable[[Callable[[], "Figure"]], None]


@contextmanager
def open_picture(path: str | None, option: str, files: Sequence[str]) -> Iterator[Draw]:
    """A function that takes one that makes a figure, and writes it; without a path it does nothing."""
    if path is None:
        yield _draw_nothing
        return
    from factable.report.plots.style import image_format, save

    output_format = image_format(path)
    check_output(files, path, option)
    with open_output(path) as stream:
        yield lambda make: save(make(), stream, output_format)


def _draw_nothing(make: Callable[[], "Figure"]) -> None:
    """Nobody asked for this picture."""
