"""`factable train counts|everyday|idf|patterns|questions|templates`: files counted, drafted or made up."""

from collections.abc import Sequence
from typing import Any, Literal

import click

from factable.cli.options import engine_option, jobs_option, seed_option
from factable.cli.train import files_argument, iter_with_progress, log, read_with_progress, write_json_file
from factable.errors import DataError, Fault
from factable.kernels.tokens import TOKENIZERS

tokens_option = click.option(
    "--tokens", type=click.Choice(TOKENIZERS), default=TOKENIZERS[0], show_default=True, help="Tokenizer."
)


@click.command()
@files_argument
@click.argument("out", metavar="OUT.counts")
@tokens_option
@engine_option
@jobs_option
def counts(files: Sequence[str], out: str, tokens: str, **where: Any) -> None:
    """Count which words go with which data, for parent(entailment="cooccurrence", counts="OUT.counts").

    Each reference in FILES counts, or the text where there are no references.
    """
    from factable.cli.progress import Progress
    from factable.metrics.parent.counts import save_counts
    from factable.train.counts import count_files

    with Progress() as progress:
        builder = count_files(files, tokens, advance=lambda number: progress.advance(0, number), **where)
    if not builder.texts:
        raise DataError([Fault(files[0], None, "no references and no texts", "give a training set")])
    result = builder.finish()
    save_counts(result, out)
    words, pairs = len(result.vocabulary), len(result.pairs)
    log(f"{builder.texts:,} texts, {words:,} words and {pairs:,} pairs written to {out}")


@click.command()
@click.argument("out", metavar="OUT.jsonl")
@click.option(
    "--part",
    type=click.Choice(["train", "test"]),
    default="train",
    show_default=True,
    help="Domains and wordings to use; the two parts share none.",
)
@click.option(
    "--count",
    type=click.IntRange(min=1),
    metavar="N",
    default=10_000,
    show_default=True,
    help="Number of examples.",
)
@seed_option
def everyday(out: str, part: Literal["train", "test"], count: int, seed: int) -> None:
    """Make up everyday JSON records with texts, for training and calibrating models.

    Half of the texts are faithful, the others have one fault each, whose words are in `spans`.
    """
    import orjson

    from factable.io.files import open_output
    from factable.train.everyday import example_row, make_examples

    with open_output(out) as stream:
        for number, example in enumerate(make_examples(part, count, seed)):
            stream.write(orjson.dumps(example_row(example, number)) + b"\n")
    log(f"{count:,} examples written to {out}")


@click.command()
@files_argument
@click.argument("out", metavar="OUT.idf")
@tokens_option
@click.option("--stem", is_flag=True, help="Count word stems (needs the rouge extra).")
@click.option("--orders", metavar="N", default=4, show_default=True, help="Length of the longest n-grams.")
def idf(files: Sequence[str], out: str, tokens: str, stem: bool, orders: int) -> None:
    """Count in how many items each n-gram occurs, for cider(idf="OUT.idf") and cider_d.

    An item in FILES counts once, however many systems have texts for it.
    """
    from factable.cli.progress import Progress
    from factable.metrics.cider import Cider, reference_documents, write_idf

    metric = Cider(tokens=tokens, stem=stem, orders=orders)
    with Progress() as progress:
        # Two files may use the same ids for different items.
        by_file = [reference_documents(iter_with_progress(file, progress.advance)) for file in files]
        items = write_idf([document for items in by_file for document in items.values()], metric, out)
    log(f"n-grams of {items:,} items written to {out}")


@click.command()
@files_argument
@click.argument("out", metavar="OUT.json")
@click.option("--model", metavar="MODEL", default="nli", show_default=True, help="NLI model that ranks them.")
def templates(files: Sequence[str], out: str, model: str) -> None:
    """Extract sentence templates for facts, for nli(templates="OUT.json").

    The templates come from texts in FILES that state one fact each. Read and edit the file: the first
    template of each attribute is used.
    """
    from factable.train.templates import extract_templates, pick_templates

    examples = read_with_progress(files)
    picked = pick_templates(extract_templates(examples), examples, model)
    if not picked:
        raise DataError([Fault(files[0], None, "no text states exactly one fact", "give a training set")])
    write_json_file(picked, out)
    log(f"templates of {len(picked):,} attributes written to {out}")


@click.command()
@files_argument
@click.argument("out", metavar="OUT.json")
def questions(files: Sequence[str], out: str) -> None:
    """Learn how people ask for attributes, for questeval(questions="OUT.json").

    FILES are JSON lines with question, entity and predicate. Read and edit the result: the first question of
    each attribute is used.
    """
    from factable.train.question_templates import learn_questions, read_asked_facts

    learnt = learn_questions(asked for file in files for asked in read_asked_facts(file))
    if not learnt:
        raise DataError([Fault(files[0], None, "no two questions are alike", "give more questions")])
    write_json_file(learnt, out)
    log(f"questions for {len(learnt):,} attributes written to {out}")


@click.command()
@files_argument
@click.argument("out", metavar="OUT.toml")
def patterns(files: Sequence[str], out: str) -> None:
    """Draft patterns for the values of a closed domain, for slot_error(patterns="OUT.toml").

    The draft has each value in FILES with frequent paraphrases. Read and edit it.
    """
    from factable.io.files import open_output
    from factable.train.slots import draft_patterns

    draft, slots = draft_patterns(read_with_progress(files))
    with open_output(out) as stream:
        stream.write(draft.encode())
    log(f"patterns of {slots:,} slots written to {out}; read and edit them")
