"""`factable train qa`, `questions` and `questeval`: what the metric questeval asks with and who answers."""

from collections.abc import Sequence
from pathlib import Path

import click
import orjson

from factable.cli.options import seed_option
from factable.errors import DataError, Fault
from factable.io.files import open_output
from factable.train.qa.training import Settings, train_qa
from factable.train.questeval.training import Settings as WriterSettings
from factable.train.questeval.training import train_questeval
from factable.train.questions import learn_questions, read_asked_facts

DEFAULTS = Settings()
WRITER_DEFAULTS = WriterSettings()


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--held-out", multiple=True, help="A file of the same kinds to measure the model on.")
@click.option("--base", type=click.Path(path_type=Path), help="The encoder to begin with; default: MiniLM.")
@click.option("--questions", default="learnt", show_default=True, help="How facts become questions.")
@click.option("--per-text", type=click.IntRange(min=1), default=DEFAULTS.per_text, show_default=True)
@click.option("--most", type=click.IntRange(min=1), default=DEFAULTS.most, show_default=True)
@click.option("--batch", type=click.IntRange(min=2), default=DEFAULTS.batch, show_default=True)
@click.option(
    "--rate", type=float, default=DEFAULTS.rate, show_default=True, help="The highest learning rate."
)
@click.option("--about", default="question answering", help="What the model is, in a few words.")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True)
@seed_option
def qa(
    files: Sequence[str],
    out: Path,
    held_out: Sequence[str],
    base: Path | None,
    questions: str,
    about: str,
    threads: int,
    **how: int,
) -> None:
    """Train a model for questeval(qa="OUT") from FILES; needs the extra train.

    FILES are converted data sets (.jsonl), of whose references --per-text questions each are made and --most
    of each file taken, and files of SQuAD 1.1 (.json). Stopped, it goes on from its last checkpoint when
    called again.
    """
    train_qa(
        files,
        held_out,
        base,
        out,
        Settings(**how),
        questions=questions,
        about=about,
        threads=threads,
        log=lambda line: click.echo(line, err=True),
    )
    click.echo(f"model written to {out}", err=True)


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.argument("out", metavar="OUT.json")
def questions(files: Sequence[str], out: str) -> None:
    """Learn how people ask for attributes, for questeval(questions="OUT.json").

    FILES are JSON lines with question, entity and predicate. The file is there to be read and edited; the
    first question of each list counts.
    """
    found = learn_questions(asked for file in files for asked in read_asked_facts(file))
    if not found:
        raise DataError([Fault(files[0], None, "no two questions are alike", "give more questions")])
    with open_output(out) as stream:
        stream.write(orjson.dumps(found, option=orjson.OPT_INDENT_2) + b"\n")
    click.echo(f"questions for {len(found):,} attributes written to {out}", err=True)


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--writer", required=True, help="The model that writes questions about texts.")
@click.option("--base", required=True, help="The model that both trained ones begin with.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=WRITER_DEFAULTS.most,
    show_default=True,
    help="Answers taken of each file.",
)
@click.option("--epochs", type=click.IntRange(min=1), default=WRITER_DEFAULTS.epochs, show_default=True)
@click.option("--batch", type=click.IntRange(min=1), default=WRITER_DEFAULTS.batch, show_default=True)
@click.option(
    "--rate", type=float, default=WRITER_DEFAULTS.rate, show_default=True, help="The highest learning rate."
)
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True)
@seed_option
def questeval(files: Sequence[str], out: Path, writer: str, base: str, threads: int, **how: int) -> None:
    """Train models that write and answer questions about data, from FILES; needs the extra hf.

    FILES are converted data sets with references; --writer and --base are T5-like models: folders, or names
    on the hub. Use them as `questeval(writer="OUT/writer", qa="OUT/qa")`. Stopped, it goes on from its last
    checkpoint when called again.
    """
    train_questeval(
        files,
        out,
        WriterSettings(**how),
        writer=writer,
        base=base,
        threads=threads,
        log=lambda line: click.echo(line, err=True),
    )
    click.echo(f"models written to {out}", err=True)
