"""Options that several commands have."""

from collections.abc import Callable
from typing import Any

import click

from factable.engine.engines import ENGINES

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
TEXT_FORMATS = ("table", "json", "csv", "markdown", "latex")
DEFAULT_METRICS = ("parent", "bleu")

metric_option = click.option(
    "-m",
    "--metric",
    "specs",
    multiple=True,
    default=DEFAULT_METRICS,
    show_default=True,
    help="A metric, such as parent or 'parent(mix=0.5)'; may be repeated.",
)
human_option = click.option(
    "--human", "humans", multiple=True, help="A rating, such as semantics; default: all."
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of all that is drawn."
)
out_option = click.option(
    "--out", default="-", help="Write here instead of to stdout; .gz, .xz and .zst compress."
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes to score with."
)
engine_option = click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default=ENGINES[0],
    show_default=True,
    help="Where to work: on this machine, or on a Ray cluster (needs the extra ray).",
)
engine_jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes, or CPUs of the Ray cluster; default: 1 process, or all CPUs.",
)
skip_bad_option = click.option(
    "--skip-bad", is_flag=True, help="Leave bad lines out and report how many there were."
)


def bootstrap_option(what: str = "Draws of items; 0 for none.", default: int = 500) -> Decorator:
    """`--bootstrap`, with what is drawn."""
    return click.option(
        "--bootstrap", type=click.IntRange(min=0), default=default, show_default=True, help=what
    )


def format_option(*formats: str) -> Decorator:
    """`--format`, of those that a command has."""
    return click.option(
        "--format", "shape", type=click.Choice(formats), help="Default: by the ending of --out, else table."
    )


def plot_option(what: str, name: str = "--plot") -> Decorator:
    """An option that draws a picture into a file."""
    return click.option(name, metavar="FILE", help=f"Draw {what} (.png, .svg or .pdf; needs the extra plot).")


def system_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--system` and `--exclude-system`."""
    only = click.option("--system", "systems", multiple=True, help="Only this system; may be repeated.")
    without = click.option(
        "--exclude-system", "excluded", multiple=True, help="Not this system; may be repeated."
    )
    return only(without(command))
