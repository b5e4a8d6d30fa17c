"""`factable train`: files that some metrics need, made from your own data."""

from collections.abc import Iterator, Sequence

import click

from factable.cli.progress import Progress
from factable.errors import DataError, Fault
from factable.io.read import iter_examples
from factable.kernels.tokens import TOKENIZERS
from factable.metrics.cider import Cider
from factable.metrics.idf import documents_of, write_idf
from factable.models.counts import save_counts
from factable.train.counts import CountsBuilder
from factable.types import Example

EXAMPLES_PER_STEP = 1000


@click.group()
def train() -> None:
    """Make the files that some metrics need from your own data."""


@train.command()
@click.argument("files", nargs=-1, required=True)
@click.argument("out", metavar="OUT.counts")
@click.option("--tokens", type=click.Choice(TOKENIZERS), default=TOKENIZERS[0], show_default=True)
def counts(files: Sequence[str], out: str, tokens: str) -> None:
    """Count which words come with which data, for parent(entailment="cooccurrence", counts=OUT.counts).

    FILES are converted training sets; each reference counts, or the text where there are none.
    """
    builder = CountsBuilder(tokens)
    with Progress() as progress:
        for example in _iter_files(files, progress):
            builder.add(example)
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
        documents = [document for file in files for document in documents_of(_iter_files([file], progress))]
        items = write_idf(documents, metric, out)
    click.echo(f"n-grams of {items:,} items written to {out}", err=True)


def _iter_files(files: Sequence[str], progress: Progress) -> Iterator[Example]:
    for file in files:
        for number, example in enumerate(iter_examples(file, need_text=False), 1):
            yield example
            if number % EXAMPLES_PER_STEP == 0:
                progress.advance(0, EXAMPLES_PER_STEP)
