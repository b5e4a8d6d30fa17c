"""`factable study ratings`: how well metrics agree with human ratings."""

from collections.abc import Sequence

import click

from factable.cli.options import (
    TEXT_FORMATS,
    bootstrap_option,
    format_option,
    human_option,
    jobs_option,
    metric_option,
    out_option,
    seed_option,
    skip_bad_option,
    system_options,
)
from factable.cli.output import check_output, format_of, report_skipped, write_output
from factable.cli.progress import Progress
from factable.io.files import open_output
from factable.report.ratings import study_output
from factable.run.score import parse_all
from factable.study.levels import LEVELS
from factable.study.panel import score_panel
from factable.study.ratings import study


@click.command("ratings")
@click.argument("files", nargs=-1, required=True)
@metric_option
@human_option
@click.option(
    "--level", type=click.Choice(LEVELS), default="system", show_default=True, help="What is compared."
)
@bootstrap_option("Draws of items, and permutations; 0 for none.")
@seed_option
@system_options
@format_option(*TEXT_FORMATS)
@out_option
@jobs_option
@skip_bad_option
def study_ratings(
    files: Sequence[str],
    specs: Sequence[str],
    humans: Sequence[str],
    level: str,
    bootstrap: int,
    seed: int,
    systems: Sequence[str],
    excluded: Sequence[str],
    shape: str | None,
    out: str,
    jobs: int,
    skip_bad: bool,
) -> None:
    """Correlate metrics with the human ratings in FILES (JSON lines, CSV or Parquet; - is stdin)."""
    shape = shape or format_of(out, TEXT_FORMATS)
    check_output(files, out)
    metrics = parse_all(specs)
    with open_output(out) as stream:
        with Progress(files) as progress:
            panel = score_panel(files, metrics, jobs=jobs, skip_bad=skip_bad, listener=progress.take)
        found = study(
            panel,
            humans=humans,
            level=level,
            draws=bootstrap,
            seed=seed,
            systems=systems,
            excluded=excluded,
        )
        write_output(study_output(found), shape, out, stream)
    report_skipped(panel.result.skipped)
