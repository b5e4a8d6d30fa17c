"""`factable rerank`: sorts several texts for the same data, best first."""

from typing import Any

import click
import orjson

from factable.cli.ledger import config_options, ledger_defaults
from factable.cli.options import DEFAULT_METRIC, complete_metric, out_option, run_options
from factable.cli.output import check_output, report_skipped, say
from factable.cli.progress import Progress, check_resume, resumable
from factable.core.registry import parse
from factable.engine.collect import Skipped
from factable.errors import DataError, Fault
from factable.gate.policy import UNSCORED
from factable.gate.rerank import Ranked, rank_texts
from factable.io.examples import make_example, to_object
from factable.io.faults import Faults
from factable.io.files import open_output, plain_suffix, source_name
from factable.io.objects import open_objects
from factable.io.read import iter_examples
from factable.types import OK, Example

Row = dict[str, object]
TABLES = (".csv", ".tsv", ".parquet")


@click.command()
@click.argument("file")
@click.option(
    "-m",
    "--metric",
    "spec",
    metavar="METRIC",
    default=DEFAULT_METRIC,
    show_default=True,
    shell_complete=complete_metric,
    help="Metric to rank by.",
)
@click.option(
    "--best", type=click.IntRange(min=1), metavar="N", help="Keep only the best N texts of each item."
)
@config_options
@out_option
@run_options
def rerank(
    file: str,
    spec: str,
    best: int | None,
    config: str,
    no_config: bool,
    out: str,
    skip_bad: bool,
    resume: str | None,
    **scoring: Any,
) -> None:
    """Sort the texts of each item in FILE (JSON lines, CSV or Parquet; - for stdin), best first."""
    check_output([file], out)
    check_resume(resume, [file], {"--out": out})
    metric = parse(spec, defaults=ledger_defaults(config, no_config))
    with resumable(resume), open_output(out) as stream:
        rows, examples, skipped = _read(file, skip_bad=skip_bad)
        # The input has been read by now, so that there is no size to compare with.
        with Progress() as progress:
            ranking = rank_texts(
                examples, metric, best=best, resume=resume, listener=progress.take, **scoring
            )
        for ranked in ranking:
            stream.write(orjson.dumps(_row(rows[ranked.position], ranked), option=orjson.OPT_APPEND_NEWLINE))
    report_skipped(Skipped.of(skipped))
    if len({example.item for example in examples}) == len(examples):
        say("factable: no item has two texts; give texts of the same data the same id")


def _read(file: str, *, skip_bad: bool) -> tuple[list[Row], list[Example], list[Fault]]:
    """Rows as they stand in the file, what is in them, and the faults of rows that were skipped."""
    faults = Faults(skip_bad=skip_bad)
    if plain_suffix(file) in TABLES:
        pairs = [(to_object(example), example) for example in iter_examples(file, faults=faults)]
    else:
        pairs = [pair for _, pair in open_objects(file, _make_pair, faults)[1]]
    if not skip_bad or not pairs:
        faults.check()
    if not pairs:
        raise DataError([Fault(source_name(file), None, "holds no examples", "give at least one")])
    rows, examples = zip(*pairs, strict=True)
    return list(rows), list(examples), faults.pop_all()


def _make_pair(source: object, number: int) -> tuple[Row, Example]:
    example = make_example(source, number)
    assert isinstance(source, dict)
    return source, example


def _row(row: Row, ranked: Ranked) -> Row:
    """The row with its rank and score, and its label where the metric gives one; no score is null."""
    row = {**row, "rank": ranked.rank, "score": ranked.score}
    if not ranked.label:
        return row
    return {**row, "ok": None if ranked.label == UNSCORED else ranked.label == OK, "label": ranked.label}
