"""Options that several commands have."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from factable.engine.engines import ENGINES

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
TEXT_FORMATS = ("table", "json", "csv", "markdown", "latex")
DEFAULT_METRIC = "ledger"


def complete_metric(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Names of metrics for shell completion."""
    from factable.core.registry import names

    return [name for name in names() if name.startswith(incomplete)]


metric_option = click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    shell_complete=complete_metric,
    default=(DEFAULT_METRIC,),
    show_default=True,
    help="Metric to use, such as parent or 'parent(mix=0.5)'; repeatable.",
)
human_option = click.option(
    "--human",
    "humans",
    metavar="RATING",
    multiple=True,
    help="Human rating to use, such as semantics; repeatable. Default: all.",
)
seed_option = click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Random seed; the same seed gives the same numbers.",
)
out_option = click.option(
    "-o",
    "--out",
    metavar="FILE",
    default="-",
    help="Output file, compressed if it ends in .gz, .xz or .zst. Default: stdout.",
)
engine_option = click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default=ENGINES[0],
    show_default=True,
    help="Run on this machine or on a Ray cluster (needs the ray extra).",
)
jobs_option = click.option(
    "-j",
    "--jobs",
    metavar="N",
    type=click.IntRange(min=1),
    help="Number of worker processes (default: 1), or of CPUs with --engine ray (default: all).",
)
resume_option = click.option(
    "--resume",
    metavar="FILE",
    help="Checkpoint file: results are saved here as they come, and the same command continues from it.",
)
skip_bad_option = click.option(
    "--skip-bad", is_flag=True, help="Skip bad lines instead of stopping, and report how many there were."
)


@contextmanager
def _tell_usage(budget: str) -> Iterator[None]:
    """Keep to a budget, and say at the end what judges were asked and what it cost."""
    from factable.cli.output import say
    from factable.models.llm.usage import Usage, track_usage

    usage = Usage()
    try:
        with track_usage(budget) as usage:
            yield
    finally:
        if usage.asked or usage.cached or usage.failures:
            say(f"factable: judge: {usage}")


def _track_usage(ctx: click.Context, _param: click.Parameter, budget: str) -> None:
    ctx.with_resource(_tell_usage(budget))


budget_option = click.option(
    "--budget",
    default="",
    metavar="MAX",
    expose_value=False,
    callback=_track_usage,
    help="Most that judges may cost: money, such as 2.50, or '500000 tokens'. Default: no limit.",
)


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How texts are scored: `--engine`, `--jobs`, `--resume`, `--skip-bad` and `--budget`."""
    return engine_option(jobs_option(resume_option(skip_bad_option(budget_option(command)))))


def join_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--references` and `--ratings`."""
    references = click.option(
        "--references", metavar="FILE", help="References of the texts, by id (JSON lines, CSV or TSV)."
    )
    ratings = click.option(
        "--ratings",
        metavar="FILE",
        help="Ratings of the texts, by id and system (JSON lines, CSV or TSV).",
    )
    return references(ratings(command))


def alpha_option(compared: str) -> Decorator:
    """`--alpha`, with what is compared."""
    return click.option(
        "--alpha",
        metavar="P",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.05,
        show_default=True,
        help=f"Significance level: {compared} differ if p is below it.",
    )


def bootstrap_option(
    about: str = "Bootstrap samples of items; 0 for no intervals.", default: int = 500
) -> Decorator:
    """`--bootstrap`, with what is drawn."""
    return click.option(
        "--bootstrap",
        "draws",
        metavar="N",
        type=click.IntRange(min=0),
        default=default,
        show_default=True,
        help=about,
    )


def format_option(*formats: str) -> Decorator:
    """`--format`, of those that a command has."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(formats),
        help="Output format. Default: from the file name of --out, else table.",
    )


def style_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--digits` and `--name`."""
    digits = click.option(
        "--digits",
        metavar="N",
        type=click.IntRange(0, 10),
        help="Digits after the point in tables. Default: 3.",
    )
    names = click.option(
        "--name",
        "names",
        metavar="OLD=NEW",
        multiple=True,
        help="Show a metric, rating or system under another name in tables and plots; repeatable.",
    )
    return digits(names(command))


def plot_option(content: str, name: str = "--plot") -> Decorator:
    """An option that draws a picture into a file."""
    return click.option(
        name, metavar="FILE", help=f"Plot {content} (.png, .svg, .pdf or .pgf; needs the plot extra)."
    )


width_option = click.option(
    "--width",
    type=click.Choice(["column", "text"]),
    help="Width of plots: a column (3.3 inches) or the text (6.8 inches) of a two-column paper. Default: "
    "a column for one panel, the text for several.",
)


def system_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--system` and `--exclude-system`."""
    only = click.option(
        "--system", "systems", metavar="NAME", multiple=True, help="Use only this system; repeatable."
    )
    without = click.option(
        "--exclude-system",
        "excluded",
        metavar="NAME",
        multiple=True,
        help="Leave this system out; repeatable.",
    )
    return only(without(command))
