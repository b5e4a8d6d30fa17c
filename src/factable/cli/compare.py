"""`factable compare`: systems side by side, with intervals and paired tests."""

from collections.abc import Sequence
from typing import Any

import click

from factable.cli.options import (
    TEXT_FORMATS,
    bootstrap_option,
    format_option,
    jobs_option,
    metric_option,
    out_option,
    plot_option,
    seed_option,
    skip_bad_option,
    system_options,
)
from factable.cli.output import (
    check_output,
    format_of,
    open_picture,
    open_report,
    report_option,
    report_skipped,
    write_output,
)
from factable.cli.progress import Progress
from factable.engine.plan import Scored
from factable.engine.score import parse_all
from factable.io.files import open_output
from factable.report.compare import comparison_output
from factable.report.plots.bars import draw_comparison
from factable.study.comparison import compare as compare_systems
from factable.study.comparison import names_of_files
from factable.study.panel import score_panel


@click.command()
@click.argument("files", nargs=-1, required=True)
@metric_option
@click.option("--baseline", default="", metavar="SYSTEM", help="Compare with this system only.")
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="The p below which systems differ.",
)
@bootstrap_option("Draws of items, and randomisations; 0 for none.", default=1000)
@seed_option
@system_options
@plot_option("the systems with their intervals")
@report_option
@format_option(*TEXT_FORMATS)
@out_option
@jobs_option
@skip_bad_option
def compare(
    files: Sequence[str],
    specs: Sequence[str],
    bootstrap: int,
    plot: str | None,
    report: str | None,
    shape: str | None,
    out: str,
    jobs: int,
    skip_bad: bool,
    **options: Any,
) -> None:
    """Compare the systems in FILES (JSON lines, CSV or Parquet; - is stdin) on the items all of them have.

    Texts that name no system are of the one their file is called after.
    """
    shape = shape or format_of(out, TEXT_FORMATS)
    check_output(files, out)
    metrics = parse_all(specs)
    with (
        open_output(out) as stream,
        open_picture(plot, "--plot", files) as draw,
        open_report(report, files, out=out) as page,
    ):
        with Progress(files) as progress:

            def take(unit: Scored) -> None:
                page.take(unit)
                progress.take(unit)

            panel = score_panel(
                files,
                metrics,
                need_ratings=False,
                jobs=jobs,
                skip_bad=skip_bad,
                listing=page.render,
                listener=take,
                systems=names_of_files(files),
            )
        found = compare_systems(panel, draws=bootstrap, **options)
        draw(lambda: draw_comparison(found))
        page.write(panel.result, comparison=found)
        write_output(comparison_output(found), shape, out, stream)
    report_skipped(panel.result.skipped)
    if found.note:
        click.echo(f"factable: {found.note}", err=True)
