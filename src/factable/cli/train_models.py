"""`factable train extractor|facts|ledger|nli|qa|questeval|ranker`: trained models and weights."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from factable.cli.options import Decorator, seed_option
from factable.cli.train import (
    about_option,
    base_option,
    files_argument,
    iter_with_progress,
    log,
    read_with_progress,
    schedule_options,
    threads_option,
    write_json_file,
)
from factable.train.options import (
    EXTRACTOR_TARGETS,
    ExtractorOptions,
    MarksOptions,
    QaOptions,
    QuestevalOptions,
    RankerOptions,
)

folder_argument = click.argument("out", type=click.Path(path_type=Path))


def count_option(flag: str, name: str, default: int, text: str) -> Decorator:
    """An option that is a number of things."""
    return click.option(
        flag, name, type=click.IntRange(min=1), metavar="N", default=default, show_default=True, help=text
    )


def start_option(text: str) -> Decorator:
    """The option for a model folder to begin with."""
    return click.option(
        "--start",
        type=click.Path(path_type=Path),
        metavar="FOLDER",
        help=f"{text} Default: the base.",
    )


@click.command()
@click.argument("recipe", type=click.Path(path_type=Path))
@folder_argument
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    default=Path(),
    help="Folder of the files in the recipe. Default: the current one.",
)
@base_option
@start_option("NLI model folder to train further.")
@threads_option
def nli(recipe: Path, out: Path, data: Path, base: Path | None, start: Path | None, threads: int) -> None:
    """Train an NLI model from a RECIPE (TOML); needs the train extra.

    Use it as nli(model="OUT") or ledger(model="OUT"). Run the command again to resume a training that was
    stopped.
    """
    from factable.train.nli import train_nli

    train_nli(recipe, data, base, out, start=start, threads=threads, log=log)
    log(f"model written to {out}")


@click.command()
@files_argument
@folder_argument
@click.option("--held-out", metavar="FILE", multiple=True, help="File to measure the model on; repeatable.")
@click.option(
    "--questions",
    metavar="NAME",
    default="learnt",
    show_default=True,
    help="Question templates: learnt, general, or a file.",
)
@count_option("--per-text", "per_text", QaOptions().per_text, "Questions to make from each reference.")
@count_option("--max-questions", "max_questions", QaOptions().max_questions, "Maximum per file.")
@click.option(
    "--relations", is_flag=True, help="Also ask what only who did what decides, as the ledger's model learnt."
)
@base_option
@start_option("QA model folder to train further.")
@schedule_options(QaOptions(), min_batch=2)
@about_option("question answering")
@threads_option
@seed_option
def qa(
    files: Sequence[str],
    out: Path,
    held_out: Sequence[str],
    base: Path | None,
    start: Path | None,
    questions: str,
    about: str,
    threads: int,
    **options: Any,
) -> None:
    """Train a model for questeval(qa="OUT"); needs the train extra.

    FILES are converted data sets (.jsonl), from whose references questions are made, and SQuAD 1.1 files
    (.json). Run the command again to resume a training that was stopped.
    """
    from factable.train.qa import train_qa

    train_qa(
        files,
        held_out,
        base,
        out,
        QaOptions(**options),
        questions=questions,
        about=about,
        threads=threads,
        log=log,
        start=start,
    )
    log(f"model written to {out}")


@click.command()
@files_argument
@folder_argument
@base_option
@start_option("Model folder whose encoder to start from; of a marks model, all weights.")
@schedule_options(MarksOptions(), min_batch=2)
@about_option("marks")
@threads_option
@seed_option
def marks(
    files: Sequence[str],
    out: Path,
    base: Path | None,
    start: Path | None,
    about: str,
    threads: int,
    **options: Any,
) -> None:
    """Train the model that marks words beside objects and rows; needs the train extra.

    FILES are texts with error spans, as `factable study spans` reads them. One input in five is held out and
    measured. Run the command again to resume a training that was stopped.
    """
    from factable.train.marks import train_marks

    train_marks(files, base, start, out, MarksOptions(**options), about=about, threads=threads, log=log)
    log(f"model written to {out}")


@click.command()
@files_argument
@folder_argument
@click.option("--base", metavar="MODEL", required=True, help="T5 model from which the training starts.")
@click.option("--writer", metavar="MODEL", default="", help="Model that writes questions, instead of SQuAD.")
@click.option(
    "--questions",
    "further",
    metavar="FILE",
    multiple=True,
    help="Further questions, such as questions.jsonl of another model; repeatable.",
)
@count_option("--max-squad", "max_squad", QuestevalOptions().max_squad, "Maximum of questions of SQuAD.")
@count_option("--max-answers", "max_answers", QuestevalOptions().max_answers, "Maximum per data set.")
@count_option("--max-tokens", "max_tokens", QuestevalOptions().max_tokens, "Leave out longer inputs.")
@schedule_options(QuestevalOptions())
@about_option("asks and answers")
@threads_option
@seed_option
def questeval(
    files: Sequence[str],
    out: Path,
    writer: str,
    base: str,
    further: Sequence[str],
    about: str,
    threads: int,
    **options: Any,
) -> None:
    """Train a T5 that writes and answers questions; needs the train extra.

    Use it as questeval(compat="paper", writer="OUT"). FILES are SQuAD 1.1 (.json), from which it learns to
    ask and answer, and converted data sets with references (.jsonl), about which it asks itself. --base and
    --writer are folders, or names on the Hugging Face hub. Run the command again to resume a training that
    was stopped.
    """
    from factable.train.questeval import train_questeval

    train_questeval(
        files,
        out,
        QuestevalOptions(**options),
        writer=writer,
        base=base,
        further=further,
        about=about,
        threads=threads,
        log=log,
    )
    log(f"model written to {out}")


@click.command()
@files_argument
@folder_argument
@base_option
@schedule_options(RankerOptions(), min_batch=2)
@click.option(
    "--objective",
    type=click.Choice(("contrast", "pairs")),
    default="contrast",
    show_default=True,
    help="contrast: one encoder, each fact and text against all others of a batch. pairs: as in the paper, "
    "an encoder for each direction, on labelled pairs.",
)
@about_option("ranker")
@threads_option
@seed_option
def ranker(
    files: Sequence[str],
    out: Path,
    base: Path | None,
    objective: str,
    about: str,
    threads: int,
    **options: Any,
) -> None:
    """Train encoders for ranking(ranker="OUT"); needs the train extra.

    A fifth of the tables in FILES is held out; the best epoch on them is kept. Run the command again to
    resume a training that was stopped.
    """
    from factable.train.ranker import RankerTraining, train_ranker
    from factable.train.ranker_pairs import train_pairs

    train = train_pairs if objective == "pairs" else train_ranker
    training = RankerTraining(base, out, RankerOptions(**options), about, threads, log)
    train(read_with_progress(files), training)
    log(f"model written to {out}")


@click.command()
@files_argument
@click.argument("held_out", metavar="DEV")
@click.argument("out", metavar="OUT.safetensors", type=click.Path(path_type=Path))
@schedule_options(ExtractorOptions())
@count_option("--hidden", "hidden", ExtractorOptions().hidden, "Hidden units per direction of the encoder.")
@click.option(
    "--dropout",
    type=click.FloatRange(0, 1, max_open=True),
    metavar="SHARE",
    default=ExtractorOptions().dropout,
    show_default=True,
    help="Dropout.",
)
@click.option(
    "--target",
    type=click.Choice(EXTRACTOR_TARGETS),
    default=ExtractorOptions().target,
    show_default=True,
    help="stated: the records that a text states. table: the whole table, as in the paper on PARENT.",
)
@click.option(
    "--embeddings",
    metavar="FILE",
    default="",
    help="Word vectors to start from, as GloVe has them: a word and its numbers in a line.",
)
@threads_option
@seed_option
def extractor(files: Sequence[str], held_out: str, out: Path, threads: int, **options: Any) -> None:
    """Train a network for rg(extractor="OUT.safetensors") and others; needs the train extra.

    The network learns to extract records from the references in FILES. Training stops when the loss on DEV
    no longer falls, and the best epoch is kept. Run the command again to resume a training that was stopped.
    """
    from factable.train.extractor import train_extractor

    train_extractor(
        read_with_progress(files),
        read_with_progress([held_out]),
        out,
        ExtractorOptions(**options),
        threads=threads,
        log=log,
    )
    log(f"extractor written to {out}")


@click.command()
@files_argument
@click.argument("out", metavar="OUT.json")
@click.option(
    "--patterns",
    "pattern_file",
    metavar="NAME",
    help="Take the facts that these patterns find in a text (e2e, or a file), not those of its data.",
)
@seed_option
def facts(files: Sequence[str], out: str, pattern_file: str | None, seed: int) -> None:
    """Train a classifier for fact_classifier(classifier="OUT.json").

    FILES are of a closed domain. Where writers left facts out or added some, --patterns gives cleaner data.
    """
    from factable.io.files import open_output
    from factable.metrics.slots.fact_classifier import write_classifier
    from factable.metrics.slots.patterns import load_patterns
    from factable.train.slots import train_classifier

    patterns = load_patterns(pattern_file) if pattern_file else None
    trained = train_classifier(read_with_progress(files), patterns, seed=seed, log=log)
    with open_output(out) as stream:
        stream.write(write_classifier(trained))
    log(f"classifier written to {out}")


@click.command()
@files_argument
@click.argument("out", metavar="OUT.json")
@click.option("--model", metavar="MODEL", default="nli", show_default=True, help="NLI model of the ledger.")
@click.option(
    "--templates",
    metavar="NAME",
    default="default",
    show_default=True,
    help="Templates that turn facts into sentences, as in nli(templates=…).",
)
@seed_option
def ledger(files: Sequence[str], out: str, model: str, templates: str, seed: int) -> None:
    """Fit the weights of the metric ledger to texts with known faults.

    Use them as ledger(weights="OUT.json"). The references in FILES must say all, and only, what their data
    says; the faults are put into them.
    """
    from factable.cli.progress import Progress
    from factable.train.ledger import train_weights

    with Progress() as progress:
        corpora = [list(iter_with_progress(file, progress.advance)) for file in files]
    with Progress() as progress:
        weights, kinds = train_weights(
            corpora,
            model=model,
            templates=templates,
            seed=seed,
            advance=lambda number: progress.advance(0, number),
        )
    by_part = {evidence: fitted.by_part for evidence, fitted in weights.items()}
    write_json_file({"texts": kinds, "weights": by_part}, out)
    log(f"weights from {kinds.total():,} texts written to {out}")
