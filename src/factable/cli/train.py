"""`factable train`: makes the models and data files of metrics; and the options its commands share."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from factable.cli.main import LazyGroup
from factable.cli.options import Decorator

if TYPE_CHECKING:
    from factable.types import Example

EXAMPLES_PER_STEP = 1000


class TrainGroup(LazyGroup):
    """The commands of `factable train`."""

    modules = {  # noqa: RUF012
        "counts": ("train_files:counts", "Count which words go with which data, for parent."),
        "everyday": (
            "train_files:everyday",
            "Make up everyday records with texts, faithful or with one fault each.",
        ),
        "extractor": ("train_models:extractor", "Train a network that extracts records from texts, for rg."),
        "facts": ("train_models:facts", "Train a classifier of facts in texts, for fact_classifier."),
        "idf": ("train_files:idf", "Count in how many items each n-gram occurs, for cider."),
        "ledger": ("train_models:ledger", "Fit the weights of ledger to texts with known faults."),
        "marks": (
            "train_models:marks",
            "Train a model that marks words the data does not support, for ledger.",
        ),
        "nli": ("train_models:nli", "Train a model for nli and ledger."),
        "patterns": (
            "train_files:patterns",
            "Draft patterns for values of a closed domain, for slot_error.",
        ),
        "qa": ("train_models:qa", "Train a model that answers questions, for questeval."),
        "questeval": ("train_models:questeval", "Train a T5 that asks and answers, for questeval."),
        "questions": ("train_files:questions", "Learn how people ask for attributes, for questeval."),
        "ranker": ("train_models:ranker", "Train an encoder, for ranking."),
        "templates": ("train_files:templates", "Extract sentence templates from texts, for nli."),
    }


@click.group(cls=TrainGroup)
def train() -> None:
    """Train the models and data files of metrics on your own data.

    FILES are data sets as `factable convert` writes them.
    """


files_argument = click.argument("files", nargs=-1, required=True)
base_option = click.option(
    "--base",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Encoder to start from. Default: all-MiniLM-L6-v2.",
)
threads_option = click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Number of threads to train with.",
)


def about_option(default: str) -> Decorator:
    """`--about`, which goes into the manifest of a model."""
    return click.option(
        "--about", default=default, show_default=True, metavar="TEXT", help="Short description of the model."
    )


def schedule_options(defaults: Any, *, min_batch: int = 1) -> Decorator:
    """`--epochs`, `--batch` and `--rate`, as far as a training has them, with its defaults."""
    options = {
        "epochs": click.option(
            "--epochs",
            type=click.IntRange(min=1),
            metavar="N",
            default=getattr(defaults, "epochs", None),
            show_default=True,
            help="Maximum number of passes over the data.",
        ),
        "batch_size": click.option(
            "--batch",
            "batch_size",
            type=click.IntRange(min=min_batch),
            metavar="N",
            default=defaults.batch_size,
            show_default=True,
            help="Batch size.",
        ),
        "learning_rate": click.option(
            "--rate",
            "learning_rate",
            type=float,
            metavar="RATE",
            default=defaults.learning_rate,
            show_default=True,
            help="Maximum learning rate.",
        ),
    }

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed(options):
            if name in defaults._fields:
                command = options[name](command)
        return command

    return decorate


def read_with_progress(files: Sequence[str]) -> "list[Example]":
    """All examples of files, with progress."""
    from factable.cli.progress import Progress

    with Progress() as progress:
        return [example for file in files for example in iter_with_progress(file, progress.advance)]


def iter_with_progress(file: str, advance: Callable[[int, int], None]) -> "Iterator[Example]":
    """The examples of a file; `advance` is told of bytes (none) and examples read."""
    from factable.io.read import iter_examples

    number = 0
    for number, example in enumerate(iter_examples(file, need_text=False), 1):
        yield example
        if number % EXAMPLES_PER_STEP == 0:
            advance(0, EXAMPLES_PER_STEP)
    advance(0, number % EXAMPLES_PER_STEP)


def write_json_file(content: object, out: str) -> None:
    """Write a readable JSON file."""
    import orjson

    from factable.io.files import open_output

    with open_output(out) as stream:
        stream.write(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")


def log(line: str) -> None:
    """Print a line of progress."""
    click.echo(line, err=True)
