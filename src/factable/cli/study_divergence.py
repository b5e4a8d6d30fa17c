"""`factable study divergence`: what references that differ from the data do to metrics."""

from collections.abc import Sequence
from typing import Any

import click

from factable.cli.options import (
    TEXT_FORMATS,
    format_option,
    human_option,
    jobs_option,
    metric_option,
    out_option,
    plot_option,
    seed_option,
    skip_bad_option,
    system_options,
)
from factable.cli.output import check_output, format_of, open_picture, report_skipped, write_output
from factable.cli.progress import Progress
from factable.engine.score import parse_all
from factable.errors import UsageError
from factable.io.files import open_output
from factable.report.divergence import divergence_output
from factable.report.plots.curves import draw_coverage, draw_curves
from factable.study.divergence import COVERING, LABEL, LEVELS, measure_coverage, measure_divergence
from factable.study.panel import Panel, require_known, score_panel


@click.command("divergence")
@click.argument("files", nargs=-1, required=True)
@metric_option
@human_option
@click.option("--label", help=f"The rating that says whose references are entailed; default: {LABEL}.")
@click.option(
    "--level", type=click.Choice(LEVELS), default="system", show_default=True, help="What is compared."
)
@click.option(
    "--steps", type=click.IntRange(min=1), default=10, show_default=True, help="From 0 to 100 % entailed."
)
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    help="Samples of items at each step.",
)
@seed_option
@system_options
@plot_option("the curves")
@plot_option("how much of the data the references have", "--histogram")
@format_option(*TEXT_FORMATS)
@out_option
@jobs_option
@skip_bad_option
def study_divergence(
    files: Sequence[str],
    specs: Sequence[str],
    label: str | None,
    plot: str | None,
    histogram: str | None,
    shape: str | None,
    out: str,
    jobs: int,
    skip_bad: bool,
    **options: Any,
) -> None:
    """Say how much of the data the references in FILES have, and what divergent ones do to metrics."""
    shape = shape or format_of(out, TEXT_FORMATS)
    check_output(files, out)
    metrics = parse_all(specs)
    with (
        open_output(out) as stream,
        open_picture(plot, "--plot", files) as draw_plot,
        open_picture(histogram, "--histogram", files) as draw_histogram,
    ):
        with Progress(files) as progress:
            scored = parse_all([*metrics, COVERING])
            listener = progress.take
            panel = score_panel(
                files, scored, need_ratings=False, jobs=jobs, skip_bad=skip_bad, listener=listener
            )
        coverage = measure_coverage(panel, systems=options["systems"], excluded=options["excluded"])
        divergence = None
        if _has_labels(panel, label, asked=bool(plot or options["humans"])):
            found = divergence = measure_divergence(panel, metrics, label=label or LABEL, **options)
            draw_plot(lambda: draw_curves(found))
        draw_histogram(lambda: draw_coverage(coverage))
        write_output(divergence_output(coverage, divergence), shape, out, stream)
    report_skipped(panel.result.skipped)


def _has_labels(panel: Panel, label: str | None, *, asked: bool) -> bool:
    """Whether there can be curves; where they were asked for, there must."""
    if label is not None:
        require_known("rating", [label], list(panel.ratings))
    if label is not None or LABEL in panel.ratings:
        return True
    missing = f"no rating {LABEL!r} says whose references the data entails"
    if asked:
        raise UsageError(f'{missing}, which curves need; add "human": {{"{LABEL}": 1}} or 0, or give --label')
    click.echo(f"factable: {missing}, so there are no curves", err=True)
    return False
