"""`factable score`: texts and data in, scores out."""

from collections.abc import Sequence
from tempfile import SpooledTemporaryFile
from typing import Any

import click

from factable.cli.ledger import config_options, ledger_defaults
from factable.cli.options import (
    format_option,
    join_options,
    metric_option,
    out_option,
    run_options,
    style_options,
)
from factable.cli.output import (
    check_output,
    format_of,
    is_terminal,
    open_report,
    report_option,
    report_skipped,
    report_warnings,
    shows_colour,
    table_style,
)
from factable.cli.progress import Progress, check_resume, resumable
from factable.engine.plan import Render, Scored
from factable.engine.score import parse_all, score_files
from factable.errors import UsageError
from factable.io.files import open_output
from factable.io.joins import read_joins
from factable.report.formats import show_tables
from factable.report.scores import csv_header, csv_rows, jsonl_rows, summarize, write_json

FORMATS = ("table", "json", "jsonl", "csv", "markdown", "latex")
EXPLAINING = ("table", "json", "jsonl")
BYTES_IN_MEMORY = 1 << 26


@click.command()
@click.argument("files", nargs=-1, required=True)
@metric_option
@format_option(*FORMATS)
@style_options
@out_option
@click.option("--explain", is_flag=True, help="Show which facts and words are behind each score.")
@report_option
@join_options
@config_options
@run_options
def score(
    files: Sequence[str],
    metrics: Sequence[str],
    output_format: str | None,
    digits: int | None,
    names: Sequence[str],
    out: str,
    explain: bool,
    report: str | None,
    references: str | None,
    ratings: str | None,
    config: str,
    no_config: bool,
    resume: str | None,
    **options: Any,
) -> None:
    """Score the texts in FILES (JSON lines, CSV or Parquet; - for stdin) against their data."""
    output_format = output_format or format_of(out, FORMATS)
    if explain and output_format not in EXPLAINING:
        raise UsageError(f"--explain has no place in {output_format}; use --format {' or '.join(EXPLAINING)}")
    style = table_style(digits, names)
    check_output(files, out)
    check_resume(resume, files, {"--out": out, "--report": report})
    parsed = parse_all(metrics, defaults=ledger_defaults(config, no_config))
    options["joins"] = read_joins(references, ratings)
    render = _render(output_format, explain)
    on_terminal = is_terminal(out)
    colour = shows_colour(out)
    with (
        resumable(resume),
        open_output(out) as stream,
        open_report(report, files, out=out) as page,
        # Rows that stand behind what is known at the end only.
        SpooledTemporaryFile(BYTES_IN_MEMORY) as kept,
    ):
        waiting = [csv_header(parsed)] if output_format == "csv" else []
        # A bar and rows that scroll by on one terminal would write over each other.
        with Progress(files, shown=not (render and on_terminal)) as progress:

            def take(unit: Scored) -> None:
                while waiting:
                    stream.write(waiting.pop())
                (kept if output_format == "json" else stream).write(b"".join(unit.rows))
                page.take(unit)
                progress.take(unit)

            options |= {"render": render, "listing": page.render, "listener": take}
            result = score_files(files, parsed, explain=explain, resume=resume, **options)
        page.write(result)
        kept.seek(0)
        if output_format == "json":
            write_json(result, kept, stream)
        elif output_format not in ("jsonl", "csv"):
            stream.write(show_tables(summarize(result), output_format, style=style, colour=colour).encode())
    report_skipped(result.skipped)
    report_warnings(result)


def _render(output_format: str, explain: bool) -> Render | None:
    """How rows look that are written as they come."""
    if output_format == "table":
        if not explain:
            return None
        from factable.report.verdict import explanation_rows

        return explanation_rows
    return {"json": jsonl_rows, "jsonl": jsonl_rows, "csv": csv_rows}.get(output_format)
