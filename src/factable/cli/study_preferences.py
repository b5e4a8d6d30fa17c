"""`factable study preferences`: do metrics prefer the texts that people prefer."""

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
from factable.engine.collect import Skipped
from factable.engine.score import parse_all
from factable.errors import MAX_FAULTS_SHOWN, UsageError
from factable.io.files import open_output
from factable.io.judgements import check_texts, read_preferences
from factable.report.preferences import preferences_output
from factable.study.panel import score_panel
from factable.study.preferences import study, systems_of_items


@click.command("preferences")
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--pairs",
    required=True,
    metavar="PAIRS",
    help="Who prefers what: id, system_a, system_b, winner (JSON lines or CSV).",
)
@metric_option
@bootstrap_option()
@seed_option
@system_options
@format_option(*TEXT_FORMATS)
@out_option
@jobs_option
@skip_bad_option
def study_preferences(
    files: Sequence[str],
    pairs: str,
    specs: Sequence[str],
    bootstrap: int,
    seed: int,
    systems: Sequence[str],
    excluded: Sequence[str],
    shape: str | None,
    out: str,
    jobs: int,
    skip_bad: bool,
) -> None:
    """Compare metrics with preferences for texts in FILES (JSON lines, CSV or Parquet; - is stdin)."""
    shape = shape or format_of(out, TEXT_FORMATS)
    check_output([*files, pairs], out)
    if pairs == "-" and "-" in files:
        raise UsageError("--pairs and FILES are both stdin; name a file for one of them")
    metrics = parse_all(specs)
    # Before scoring, which may take long.
    preferences = read_preferences(pairs, skip_bad=skip_bad)
    with open_output(out) as stream:
        with Progress(files) as progress:
            panel = score_panel(
                files, metrics, need_ratings=False, jobs=jobs, skip_bad=skip_bad, listener=progress.take
            )
        preferences = check_texts(preferences, systems_of_items(panel), skip_bad=skip_bad)
        found = study(panel, preferences, draws=bootstrap, seed=seed, systems=systems, excluded=excluded)
        write_output(preferences_output(found), shape, out, stream)
    report_skipped(panel.result.skipped)
    report_skipped(Skipped(len(preferences.skipped), preferences.skipped[:MAX_FAULTS_SHOWN]))
