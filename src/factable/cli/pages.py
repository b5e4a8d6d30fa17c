"""The option `--report`: an HTML page, opened before the work and written whole or not at all."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import click

from factable.cli.output import check_output
from factable.errors import UsageError
from factable.io.files import open_output, source_name
from factable.metric import Metric
from factable.report.html import Listing, Report, write_report
from factable.run.collect import Result
from factable.run.units import Render, Scored
from factable.study.comparison import Comparison

report_option = click.option(
    "--report", metavar="FILE", help="Also write a page to read in a browser (.html), with every example."
)


class ReportPage(NamedTuple):
    """A page to be: what it lists is made and taken during the run, the rest is written at its end.

    Where nobody asked for a page it does nothing.
    """

    title: str = ""
    listing: Listing | None = None
    stream: IO[bytes] | None = None

    @property
    def render(self) -> Render | None:
        """What makes the rows of the page, where examples are scored."""
        return self.listing.render if self.listing is not None else None

    def take(self, unit: Scored) -> None:
        """Keep the rows of a unit."""
        if self.listing is not None:
            self.listing.take(unit)

    def write(self, result: Result, comparison: Comparison | None = None) -> None:
        """Write the page."""
        if self.listing is not None and self.stream is not None:
            write_report(self.stream, Report(self.title, result, self.listing, comparison=comparison))


@contextmanager
def open_report(
    path: str | None, files: Sequence[str], metrics: Sequence[Metric], *, out: str, explained: bool = False
) -> Iterator[ReportPage]:
    """A page that becomes the file `path` on success; without a path, one that does nothing."""
    if path is None:
        yield ReportPage()
        return
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"--report {path}: a page ends in .html; name such a file")
    if Path(path).absolute() == Path(out).absolute():
        raise UsageError(f"--report and --out are both {path}; give two names")
    check_output(files, path, "--report")
    title = ", ".join(Path(source_name(file)).name for file in files)
    with Listing(metrics, explained=explained) as listing, open_output(path) as stream:
        yield ReportPage(title, listing, stream)
