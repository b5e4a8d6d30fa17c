"""`factable study agreement`: how far annotators agree with each other."""

from collections.abc import Sequence

import click

from factable.cli.options import (
    TEXT_FORMATS,
    bootstrap_option,
    format_option,
    out_option,
    seed_option,
    skip_bad_option,
)
from factable.cli.output import check_output, format_of, report_skipped, write_output
from factable.engine.collect import Skipped
from factable.errors import MAX_FAULTS_SHOWN
from factable.io.files import open_output
from factable.io.judgements import read_annotations
from factable.report.agreement import agreement_output
from factable.study.agreement import study


@click.command("agreement")
@click.argument("files", nargs=-1, required=True)
@bootstrap_option("Draws of texts; 0 for none.")
@seed_option
@format_option(*TEXT_FORMATS)
@out_option
@skip_bad_option
def study_agreement(
    files: Sequence[str], bootstrap: int, seed: int, shape: str | None, out: str, skip_bad: bool
) -> None:
    """Say how far annotators agree, from FILES with a row per text and annotator (JSON lines or CSV)."""
    shape = shape or format_of(out, TEXT_FORMATS)
    check_output(files, out)
    with open_output(out) as stream:
        annotations = read_annotations(files, skip_bad=skip_bad)
        found = study(annotations.rows, draws=bootstrap, seed=seed)
        write_output(agreement_output(found), shape, out, stream)
    report_skipped(Skipped(len(annotations.skipped), annotations.skipped[:MAX_FAULTS_SHOWN]))
