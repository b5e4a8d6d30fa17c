"""`factable study ratings`: how well metrics agree with human ratings."""

from collections.abc import Sequence
from typing import Any

import click
from click.core import ParameterSource

from factable.cli.options import (
    TEXT_FORMATS,
    bootstrap_option,
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
from factable.report.plots.bars import draw_correlations
from factable.report.plots.scatter import draw_scatter
from factable.report.ratings import study_output
from factable.report.tuning import tuning_output
from factable.study.levels import LEVELS
from factable.study.panel import score_panel
from factable.study.ratings import study
from factable.study.tuning import Grid, make_grid, tune


@click.command("ratings")
@click.argument("files", nargs=-1, required=True)
@metric_option
@click.option(
    "--tune", "tuned", metavar="METRIC", help="Instead of -m: choose one parameter, as in 'parent(mix=*)'."
)
@click.option("--grid", "values", help="What --tune tries, such as 0:1:0.05 or 1,2,4.")
@human_option
@click.option(
    "--level", type=click.Choice(LEVELS), default="system", show_default=True, help="What is compared."
)
@bootstrap_option("Draws of items, and permutations; 0 for none.")
@seed_option
@system_options
@plot_option("the correlations as bars")
@plot_option("metrics against ratings as points", "--scatter")
@format_option(*TEXT_FORMATS)
@out_option
@jobs_option
@skip_bad_option
def study_ratings(
    files: Sequence[str],
    specs: Sequence[str],
    tuned: str | None,
    values: str | None,
    bootstrap: int,
    plot: str | None,
    scatter: str | None,
    shape: str | None,
    out: str,
    jobs: int,
    skip_bad: bool,
    **options: Any,
) -> None:
    """Correlate metrics with the human ratings in FILES (JSON lines, CSV or Parquet; - is stdin)."""
    shape = shape or format_of(out, TEXT_FORMATS)
    check_output(files, out)
    grid = _read_grid(tuned, values)
    metrics = grid.metrics if grid else parse_all(specs)
    if grid and (plot or scatter):
        raise UsageError("--plot and --scatter draw the study of -m; drop them or --tune")
    with (
        open_output(out) as stream,
        open_picture(plot, "--plot", files) as draw_bars,
        open_picture(scatter, "--scatter", files) as draw_points,
    ):
        with Progress(files) as progress:
            panel = score_panel(files, metrics, jobs=jobs, skip_bad=skip_bad, listener=progress.take)
        if grid:
            output = tuning_output(tune(panel, grid, draws=bootstrap, **options))
        else:
            found = study(panel, draws=bootstrap, **options)
            draw_bars(lambda: draw_correlations(found))
            draw_points(lambda: draw_scatter(panel, found))
            output = study_output(found)
        write_output(output, shape, out, stream)
    report_skipped(panel.result.skipped)


def _read_grid(tuned: str | None, values: str | None) -> Grid | None:
    """What is to be tuned, if anything is."""
    if tuned is None:
        if values is not None:
            raise UsageError("--grid is for --tune; give both or none")
        return None
    if click.get_current_context().get_parameter_source("specs") is not ParameterSource.DEFAULT:
        raise UsageError("--tune studies one metric; drop -m")
    return make_grid(tuned, values)
