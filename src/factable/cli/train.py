"""`factable train`: files that some metrics need, made from your own data."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import orjson

from factable.cli.options import engine_jobs_option, engine_option, seed_option
from factable.cli.progress import Progress
from factable.cli.train_extraction import extractor, facts, patterns
from factable.cli.train_questions import qa, questeval, questions
from factable.errors import DataError, Fault
from factable.io.files import open_output
from factable.io.read import iter_examples
from factable.kernels.tokens import TOKENIZERS
from factable.metrics.cider import Cider, documents_of, write_idf
from factable.metrics.parent.counts import save_counts
from factable.train.counts import count_files
from factable.train.ledger.fit import train_weights
from factable.train.nli.training import train_nli
from factable.train.ranker.training import Settings, train_ranker
from factable.train.templates import extract_templates, pick_templates
from factable.types import Example

EXAMPLES_PER_STEP = 1000


@click.group()
def train() -> None:
    """Make the files that some metrics need from your own data."""


for command in (extractor, facts, patterns, qa, questeval, questions):
    train.add_command(command)


@train.command()
@click.argument("files", nargs=-1, required=True)
@click.argument("out", metavar="OUT.counts")
@click.option("--tokens", type=click.Choice(TOKENIZERS), default=TOKENIZERS[0], show_default=True)
@engine_option
@engine_jobs_option
def counts(files: Sequence[str], out: str, tokens: str, **where: Any) -> None:
    """Count which words come with which data, for parent(entailment="cooccurrence", counts=OUT.counts).

    FILES are converted training sets; each reference counts, or the text where there are none.
    """
    with Progress() as progress:
        builder = count_files(files, tokens, advance=lambda number: progress.advance(0, number), **where)
    if not builder.texts:
        raise DataError([Fault(files[0], None, "holds no references and no texts", "give a training set")])
    result = builder.finish()
    save_counts(result, out)
    words, pairs = len(result.vocabulary), len(result.pairs)
    click.echo(f"{builder.texts:,} texts, {words:,} words and {pairs:,} pairs written to {out}", err=True)


@train.command()
@click.argument("files", nargs=-1, required=True)
@click.argument("out", metavar="OUT.idf")
@click.option("--tokens", type=click.Choice(TOKENIZERS), default=TOKENIZERS[0], show_default=True)
@click.option("--stem", is_flag=True, help="Count stems of words (needs the extra rouge).")
@click.option("--orders", default=4, show_default=True, help="The longest n-grams counted.")
def idf(files: Sequence[str], out: str, tokens: str, stem: bool, orders: int) -> None:
    """Count how many items have each n-gram in their references, for cider(idf=OUT.idf) and cider_d.

    FILES are converted data sets; each item counts once, however many systems it has texts of.
    """
    metric = Cider(tokens=tokens, stem=stem, orders=orders)
    with Progress() as progress:
        # Two files may use the same ids for different items.
        by_file = [documents_of(_iter_files([file], progress)) for file in files]
        documents = [document for mine in by_file for document in mine.values()]
        items = write_idf(documents, metric, out)
    click.echo(f"n-grams of {items:,} items written to {out}", err=True)


@train.command()
@click.argument("files", nargs=-1, required=True)
@click.argument("out", metavar="OUT.json")
@click.option("--model", default="nli", show_default=True, help="The NLI model that picks the best.")
def templates(files: Sequence[str], out: str, model: str) -> None:
    """Extract sentences for facts from texts that say one fact each, for nli(templates="OUT.json").

    FILES are converted training sets. The file is there to be read and edited; the first of each list counts.
    """
    with Progress() as progress:
        examples = list(_iter_files(files, progress))
    found = pick_templates(extract_templates(examples), examples, model)
    if not found:
        raise DataError([Fault(files[0], None, "no text says one fact", "give a training set")])
    with open_output(out) as stream:
        stream.write(orjson.dumps(found, option=orjson.OPT_INDENT_2) + b"\n")
    click.echo(f"templates of {len(found):,} attributes written to {out}", err=True)


@train.command()
@click.argument("recipe", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--data", type=click.Path(path_type=Path), default=Path(), help="Where the recipe's files are.")
@click.option("--base", type=click.Path(path_type=Path), help="The encoder to begin with; default: MiniLM.")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True)
def nli(recipe: Path, out: Path, data: Path, base: Path | None, threads: int) -> None:
    """Train a model for the metric nli by a RECIPE (TOML); needs the extra train.

    Use it as `nli(model="OUT")`. Stopped, it goes on from its last checkpoint when called again.
    """
    train_nli(recipe, data, base, out, threads=threads, log=lambda line: click.echo(line, err=True))
    click.echo(f"model written to {out}", err=True)


@train.command()
@click.argument("files", nargs=-1, required=True)
@click.argument("out", metavar="OUT.json")
@click.option("--model", default="nli", show_default=True, help="The NLI model of the ledger.")
@click.option("--templates", default="default", show_default=True, help="How facts become sentences.")
@seed_option
def ledger(files: Sequence[str], out: str, model: str, templates: str, seed: int) -> None:
    """Fit the weights of the metric ledger to faults that are put into faithful texts.

    FILES are converted data sets whose references say all, and only, what their data says.
    Use it as `ledger(weights="OUT.json")`.
    """
    with Progress() as progress:
        corpora = [list(_iter_files([file], progress)) for file in files]
    with Progress() as progress:
        weights, kinds = train_weights(
            corpora,
            model=model,
            templates=templates,
            seed=seed,
            advance=lambda number: progress.advance(0, number),
        )
    with open_output(out) as stream:
        content = {"texts": kinds, "weights": weights.by_part}
        stream.write(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
    click.echo(f"weights from {kinds.total():,} texts written to {out}", err=True)


@train.command()
@click.argument("files", nargs=-1, required=True)
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--base", type=click.Path(path_type=Path), help="The encoder to begin with; default: MiniLM.")
@click.option("--epochs", type=click.IntRange(min=1), default=4, show_default=True, help="At most so many.")
@click.option("--batch", type=click.IntRange(min=2), default=48, show_default=True, help="Texts in a batch.")
@click.option("--rate", type=float, default=1e-4, show_default=True, help="The highest learning rate.")
@click.option("--about", default="ranker", help="What the model is, in a few words.")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True)
@seed_option
def ranker(files: Sequence[str], out: Path, base: Path | None, about: str, threads: int, **how: Any) -> None:
    """Train an encoder for ranking(ranker="OUT") from converted training sets; needs the extra train.

    A fifth of the tables is held out; the best epoch on it is kept. Stopped, it goes on from its last
    checkpoint when called again.
    """
    with Progress() as progress:
        examples = list(_iter_files(files, progress))
    settings = Settings(**how)
    train_ranker(
        examples,
        base,
        out,
        settings,
        about=about,
        threads=threads,
        log=lambda line: click.echo(line, err=True),
    )
    click.echo(f"model written to {out}", err=True)


def _iter_files(files: Sequence[str], progress: Progress) -> Iterator[Example]:
    for file in files:
        for number, example in enumerate(iter_examples(file, need_text=False), 1):
            yield example
            if number % EXAMPLES_PER_STEP == 0:
                progress.advance(0, EXAMPLES_PER_STEP)
