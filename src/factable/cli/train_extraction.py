"""`factable train extractor|facts|patterns`: what finds facts in texts, learnt from texts and their data."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from factable.cli.options import seed_option
from factable.cli.progress import Progress
from factable.io.files import open_output
from factable.io.read import iter_examples
from factable.metrics.slots.fact_classifier import write_classifier
from factable.metrics.slots.patterns import load_patterns
from factable.train.extractor.training import Settings, train_extractor
from factable.train.facts import train_classifier
from factable.train.patterns import draft_patterns
from factable.types import Example


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.argument("out", metavar="OUT.toml")
def patterns(files: Sequence[str], out: str) -> None:
    """Draft how texts say the values of a closed domain, for slot_error(patterns="OUT.toml").

    FILES are converted training sets. The draft has each value with frequent paraphrases, to be edited.
    """
    draft, slots = draft_patterns(_read(files))
    with open_output(out) as stream:
        stream.write(draft.encode())
    click.echo(f"patterns of {slots:,} slots written to {out}; read and edit them", err=True)


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.argument("out", metavar="OUT.json")
@click.option("--patterns", "clean", help="Take the facts that these patterns find in texts for theirs.")
@seed_option
def facts(files: Sequence[str], out: str, clean: str | None, seed: int) -> None:
    """Train a classifier of the facts that texts express, for fact_classifier(classifier="OUT.json").

    FILES are converted training sets of a closed domain. Their writers leave facts out and add others; with
    --patterns (e2e, or a file) the facts of each text are those that the patterns find in it.
    """
    known = load_patterns(clean) if clean else None
    trained = train_classifier(_read(files), known, seed=seed, log=_log)
    with open_output(out) as stream:
        stream.write(write_classifier(trained))
    _log(f"classifier written to {out}")


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.argument("held_out", metavar="DEV")
@click.argument("out", metavar="OUT.safetensors", type=click.Path(path_type=Path))
@click.option("--epochs", type=click.IntRange(min=1), default=25, show_default=True, help="At most so many.")
@click.option("--batch", type=click.IntRange(min=1), default=64, show_default=True, help="Texts in a batch.")
@click.option("--rate", type=float, default=3e-4, show_default=True, help="The learning rate.")
@click.option("--hidden", type=click.IntRange(min=1), default=200, show_default=True, help="Units each way.")
@click.option("--dropout", type=click.FloatRange(0, 1, max_open=True), default=0.2, show_default=True)
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True)
@seed_option
def extractor(files: Sequence[str], held_out: str, out: Path, threads: int, **how: Any) -> None:
    """Train a network that extracts records from texts, for rg(extractor="OUT.safetensors") and others.

    FILES are converted training sets, DEV one that tells when to stop; needs the extra train. Stopped, it
    goes on from its last epoch when called again.
    """
    train_extractor(_read(files), _read([held_out]), out, Settings(**how), threads=threads, log=_log)
    _log(f"extractor written to {out}")


def _read(files: Sequence[str]) -> list[Example]:
    with Progress() as progress:
        examples = []
        for file in files:
            examples += list(iter_examples(file, need_text=False))
            progress.advance(0, len(examples))
    return examples


def _log(line: str) -> None:
    click.echo(line, err=True)
