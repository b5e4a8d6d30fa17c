"""`factable compare`: systems side by side, with intervals and paired tests."""

from collections.abc import Sequence
from typing import Any

import click

from factable.cli.options import (
    alpha_option,
    bootstrap_option,
    metric_option,
    plot_option,
    seed_option,
    system_options,
)
from factable.cli.output import open_report, report_option, say
from factable.cli.study_run import SCORING_OPTIONS, StudyRun, study_command
from factable.core.metric import Metric
from factable.report.comparison import comparison_output
from factable.report.plots.figures import draw_comparison
from factable.study.comparison import compare_systems, names_of_files


@study_command(
    "compare",
    metric_option,
    click.option("--baseline", default="", metavar="SYSTEM", help="Compare with this system only."),
    alpha_option("systems"),
    bootstrap_option("Bootstrap samples of items, and randomisations; 0 for no tests.", default=1000),
    seed_option,
    system_options,
    plot_option("the systems with their intervals"),
    report_option,
    *SCORING_OPTIONS,
    plots=("--plot",),
)
def compare(run: StudyRun, metrics: Sequence[Metric], report: str | None, **options: Any) -> None:
    """Compare the systems in FILES (JSON lines, CSV or Parquet; - is stdin) on the items all of them have.

    Texts that name no system belong to the one that their file is named after.
    """
    with run, open_report(report, run.files, out=run.out) as page:
        panel = run.score(
            metrics,
            need_ratings=False,
            systems=names_of_files(run.files),
            listing=page.render,
            listener=page.take,
        )
        comparison = compare_systems(panel, **options)
        run.draw("--plot", lambda look: draw_comparison(comparison, look))
        page.write(panel.result, comparison=comparison)
        run.write(comparison_output(comparison))
    if comparison.note:
        say(f"factable: {comparison.note}")
