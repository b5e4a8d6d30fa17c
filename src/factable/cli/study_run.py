"""What all study commands share: their options, and one run from the input files to the output."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from factable.cli.ledger import config_options, ledger_defaults
from factable.cli.options import (
    TEXT_FORMATS,
    Decorator,
    format_option,
    join_options,
    out_option,
    run_options,
    style_options,
    width_option,
)
from factable.cli.output import (
    Draw,
    check_output,
    format_of,
    open_picture,
    report_skipped,
    report_warnings,
    table_style,
    write_output,
)
from factable.cli.progress import Progress, check_resume, resumable
from factable.core.metric import Metric
from factable.engine.collect import Listener, Result, Skipped
from factable.engine.plan import Render, Scored
from factable.engine.score import parse_all
from factable.errors import Fault
from factable.io.files import open_output
from factable.io.joins import Joins, read_joins
from factable.metrics.ledger.second_opinion import load_judge
from factable.report.tables import Output, TableStyle
from factable.study.panel import Panel, score_panel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from factable.report.plots.style import Look

OUTPUT_OPTIONS = (format_option(*TEXT_FORMATS), style_options, out_option)
UNJOINED_OPTIONS = (config_options, *OUTPUT_OPTIONS, run_options)
# Parameters of the options in `run_options`.
SCORING = ("jobs", "engine", "resume", "skip_bad")
SCORING_OPTIONS = (join_options, *UNJOINED_OPTIONS)


class StudyRun:
    """One run of a study: scores the files, draws plots and writes the result.

    As a context it opens all outputs; on success they replace what was there, and skipped lines are reported.
    `scoring` says how: jobs, engine, resume and skip_bad, as far as the command has these options.
    """

    def __init__(
        self,
        files: Sequence[str],
        out: str,
        output_format: str | None,
        *,
        scoring: Mapping[str, Any],
        joins: Joins | None = None,
        style: TableStyle | None = None,
        width: str | None = None,
        plots: Mapping[str, str | None],
    ) -> None:
        self.joins, self._style, self._width = joins, style, width
        self.files, self.out, self.scoring = files, out, scoring
        self.skip_bad = bool(scoring.get("skip_bad"))
        self._format = output_format or format_of(out, TEXT_FORMATS)
        check_output(files, out)
        check_resume(scoring.get("resume"), files, {"--out": out, **plots})
        self.plots = plots
        self._figures: dict[str, Draw] = {}
        self._open = ExitStack()
        self._skipped: list[Skipped] = []
        self._results: list[Result] = []

    def __enter__(self) -> "StudyRun":
        self._open.enter_context(resumable(self.scoring.get("resume")))
        self._stream = self._open.enter_context(open_output(self.out))
        for flag, path in self.plots.items():
            self._figures[flag] = self._open.enter_context(open_picture(path, flag, self.files))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)
        if error is None:
            # A study may score the same lines several times.
            for skipped in dict.fromkeys(self._skipped):
                report_skipped(skipped)
            for result in {result.warnings: result for result in self._results}.values():
                report_warnings(result)

    def score(
        self,
        metrics: Sequence[Metric],
        *,
        need_ratings: bool = True,
        systems: Sequence[str] = (),
        listing: Render | None = None,
        listener: Listener | None = None,
    ) -> Panel:
        """Score the files, with a progress bar."""
        with Progress(self.files) as progress:

            def take(unit: Scored) -> None:
                if listener:
                    listener(unit)
                progress.take(unit)

            panel = score_panel(
                self.files,
                metrics,
                need_ratings=need_ratings,
                **self.scoring,
                systems=systems,
                listing=listing,
                listener=take,
                joins=self.joins,
            )
        self._skipped.append(panel.result.skipped)
        self._results.append(panel.result)
        return panel

    def skip(self, faults: Sequence[Fault]) -> None:
        """Report these lines as skipped."""
        self._skipped.append(Skipped.of(faults))

    def draw(self, flag: str, make_figure: Callable[["Look"], "Figure"]) -> None:
        """Draw a figure, if its flag was given."""
        from factable.report.plots.style import Look

        look = Look(self._width, self._style.name if self._style else str)
        self._figures[flag](lambda: make_figure(look))

    def write(self, output: Output) -> None:
        """Write the result."""
        write_output(output, self._format, self.out, self._stream, self._style)


def study_command(
    name: str, *options: Decorator, plots: Sequence[str] = ()
) -> Callable[[Callable[..., None]], click.Command]:
    """A command that takes FILES and these options; its function gets a StudyRun and its own options.

    `metrics` are parsed; `plots` are the flags that name figures.
    """

    def decorate(function: Callable[..., None]) -> click.Command:
        @wraps(function)
        def command(
            files: Sequence[str],
            out: str,
            output_format: str | None,
            references: str | None = None,
            ratings: str | None = None,
            digits: int | None = None,
            names: Sequence[str] = (),
            width: str | None = None,
            config: str = "",
            no_config: bool = False,
            **own: Any,
        ) -> None:
            if "metrics" in own:
                defaults = ledger_defaults(config, no_config)
                own["metrics"] = parse_all(own["metrics"], defaults=defaults)
                if "judge" in own:
                    own["judge"] = load_judge(own["judge"], defaults)
            scoring = {name: own.pop(name) for name in SCORING if name in own}
            paths = {flag: own.pop(flag.removeprefix("--")) for flag in plots}
            joins = read_joins(references, ratings)
            run = StudyRun(
                files,
                out,
                output_format,
                scoring=scoring,
                joins=joins,
                style=table_style(digits, names),
                width=width,
                plots=paths,
            )
            function(run, **own)

        decorated: Callable[..., Any] = command
        files_argument: Decorator = click.argument("files", nargs=-1, required=True)
        # Plots have a width, wherever there are any.
        widths: tuple[Decorator, ...] = (width_option,) if plots else ()
        for option in reversed((files_argument, *options, *widths)):
            decorated = option(decorated)
        return click.command(name)(decorated)

    return decorate
