"""`factable study verdicts`: metrics that say whether a text is right, against labels."""

import math
from collections.abc import Sequence

import click

from factable.cli.options import (
    TEXT_FORMATS,
    bootstrap_option,
    format_option,
    jobs_option,
    metric_option,
    out_option,
    seed_option,
    skip_bad_option,
    system_options,
)
from factable.cli.output import check_output, format_of, report_skipped, write_output
from factable.cli.progress import Progress
from factable.core.metric import Metric
from factable.core.registry import parse
from factable.engine.score import parse_all
from factable.errors import UsageError
from factable.io.files import open_output
from factable.report.verdicts import verdicts_output
from factable.study.labels import FOLDS, HALLUCINATION, OMISSION, THRESHOLDS
from factable.study.panel import score_panel
from factable.study.verdicts import study_verdicts as find_verdicts


@click.command("verdicts")
@click.argument("files", nargs=-1, required=True)
@metric_option
@click.option("--human", "humans", multiple=True, help="A rating: a text is OK from --threshold on.")
@click.option(
    "--threshold",
    "thresholds",
    type=float,
    multiple=True,
    help=f"Of --human; may be repeated; default: {', '.join(map(str, THRESHOLDS))}.",
)
@click.option(
    "--omission",
    multiple=True,
    help=f"A label, above 0 where facts are left out; may be repeated; default: {OMISSION}.",
)
@click.option(
    "--hallucination",
    multiple=True,
    help=f"A label, above 0 where facts are made up; may be repeated; default: {HALLUCINATION}.",
)
@click.option(
    "--cut",
    "cuts",
    multiple=True,
    metavar="METRIC=VALUE",
    help=f"From where on a metric says OK; may be repeated; default: chosen in {FOLDS} folds of items.",
)
@bootstrap_option()
@seed_option
@system_options
@format_option(*TEXT_FORMATS)
@out_option
@jobs_option
@skip_bad_option
def study_verdicts(
    files: Sequence[str],
    specs: Sequence[str],
    humans: Sequence[str],
    thresholds: Sequence[float],
    omission: Sequence[str],
    hallucination: Sequence[str],
    cuts: Sequence[str],
    bootstrap: int,
    seed: int,
    systems: Sequence[str],
    excluded: Sequence[str],
    shape: str | None,
    out: str,
    jobs: int,
    skip_bad: bool,
) -> None:
    """Compare which texts metrics and people call OK in FILES (JSON lines, CSV or Parquet; - is stdin)."""
    shape = shape or format_of(out, TEXT_FORMATS)
    check_output(files, out)
    metrics = parse_all(specs)
    given = dict(map(_read_cut, cuts))
    with open_output(out) as stream:
        with Progress(files) as progress:
            panel = score_panel(files, metrics, jobs=jobs, skip_bad=skip_bad, listener=progress.take)
        found = find_verdicts(
            panel,
            humans=humans,
            thresholds=thresholds,
            omission=omission,
            hallucination=hallucination,
            cuts=given,
            draws=bootstrap,
            seed=seed,
            systems=systems,
            excluded=excluded,
        )
        write_output(verdicts_output(found), shape, out, stream)
    report_skipped(panel.result.skipped)


def _read_cut(text: str) -> tuple[Metric, float]:
    """A metric and its cut from text such as `parent(mix=0.5)=0.3`."""
    spec, _, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not spec or not math.isfinite(value):
        raise UsageError(f"cannot read --cut {text!r}; write a metric and a number, such as parent=0.4")
    return parse(spec), value
