"""`factable study fix`: what metrics give to texts that people wrote."""

from collections.abc import Sequence

import click

from factable.cli.options import TEXT_FORMATS, format_option, jobs_option, metric_option, out_option
from factable.cli.output import check_output, format_of, write_output
from factable.engine.score import parse_all
from factable.io.files import open_output
from factable.io.read import iter_examples
from factable.report.gold import gold_output
from factable.study.gold import study_gold


@click.command("fix")
@click.argument("files", nargs=-1, required=True)
@metric_option
@format_option(*TEXT_FORMATS)
@out_option
@jobs_option
def study_fix(files: Sequence[str], specs: Sequence[str], shape: str | None, out: str, jobs: int) -> None:
    """Score the references in FILES as texts: the best a metric can give, and what paraphrases leave of it.

    `factable study --fix FILES` is the same.
    """
    shape = shape or format_of(out, TEXT_FORMATS)
    check_output(files, out)
    metrics = parse_all(specs)
    with open_output(out) as stream:
        examples = (example for file in files for example in iter_examples(file, need_text=False))
        write_output(gold_output(study_gold(examples, metrics, jobs=jobs)), shape, out, stream)
