"""`factable study`: how well metrics agree with human ratings."""

import sys
from collections.abc import Sequence

import click

from factable.cli.progress import Progress
from factable.cli.score import check_output, format_of
from factable.io.files import open_output
from factable.report.study import study_csv, study_json, study_tables
from factable.report.text import to_latex, to_markdown, to_terminal
from factable.run.score import parse_all
from factable.study.levels import LEVELS
from factable.study.rated import score_rated
from factable.study.ratings import Study
from factable.study.ratings import study as make_study

FORMATS = ("table", "json", "csv", "markdown", "latex")
DEFAULT_METRICS = ("parent", "bleu")


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option(
    "-m", "--metric", "specs", multiple=True, help="A metric, such as parent; default: parent, bleu."
)
@click.option("--human", "humans", multiple=True, help="A rating, such as semantics; default: all.")
@click.option(
    "--level", type=click.Choice(LEVELS), default="system", show_default=True, help="What is compared."
)
@click.option(
    "--bootstrap",
    type=click.IntRange(min=0),
    default=500,
    show_default=True,
    help="Draws of items, and permutations; 0 for none.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of all that is drawn."
)
@click.option("--system", "systems", multiple=True, help="Only this system; may be repeated.")
@click.option("--exclude-system", "excluded", multiple=True, help="Not this system; may be repeated.")
@click.option(
    "--format", "shape", type=click.Choice(FORMATS), help="Default: by the ending of --out, else table."
)
@click.option("--out", default="-", help="Write here instead of to stdout; .gz, .xz and .zst compress.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, help="Processes to score with.")
def study(
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
) -> None:
    """Correlate metrics with the human ratings in FILES (JSON lines, CSV or Parquet; - is stdin)."""
    shape = shape or format_of(out, FORMATS)
    check_output(files, out)
    metrics = parse_all(specs or DEFAULT_METRICS)
    with open_output(out) as stream:
        with Progress(files) as progress:
            rated = score_rated(
                files,
                metrics,
                jobs=jobs,
                listener=lambda unit: progress.advance(unit.size, len(unit.items)),
            )
        found = make_study(
            rated,
            humans=humans,
            level=level,
            draws=bootstrap,
            seed=seed,
            systems=systems,
            excluded=excluded,
        )
        stream.write(_render(found, shape, colour=out == "-" and sys.stdout.isatty()))


def _render(found: Study, shape: str, *, colour: bool) -> bytes:
    if shape == "json":
        return study_json(found)
    if shape == "csv":
        return study_csv(found)
    tables = study_tables(found)
    if shape == "markdown":
        return to_markdown(tables).encode()
    return (to_latex(tables) if shape == "latex" else to_terminal(tables, colour=colour)).encode()
