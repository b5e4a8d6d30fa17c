"""`factable convert`: a data set in, JSON lines out."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from inspect import signature
from itertools import islice
from pathlib import Path

import click

from factable.cli.output import say
from factable.cli.progress import Progress
from factable.errors import DataError, Fault, UsageError
from factable.io.duplicates import SeenKeys
from factable.io.examples import write_examples
from factable.io.faults import Faults
from factable.io.files import iter_lines, plain_suffix, source_name
from factable.io.formats import FORMATS, Reader, open_format
from factable.io.formats.tables import TableExamples
from factable.io.read import describe_key
from factable.kernels import fingerprints
from factable.types import Example

BATCH = 4096
EXAMPLES_PER_STEP = 1000


class FormatsCommand(click.Command):
    """Lists the formats below the options in --help."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """One line for each format: its sources, and what it is."""
        with formatter.section("Formats and their sources"):
            formatter.write_dl(
                [(name, f"{kind.sources}: {kind.about}") for name, kind in sorted(FORMATS.items())]
            )


@click.command(cls=FormatsCommand)
@click.argument("format_name", metavar="FORMAT")
@click.argument("sources", metavar="SRC…", nargs=-1, required=True)
@click.argument("out", metavar="OUT.jsonl")
@click.option("--texts", metavar="FILE", help="Texts to score, one per line, in the order of the source.")
@click.option("--system", metavar="NAME", help="System name for all examples.")
@click.option("--lang", metavar="CODE", help="Language of the references (webnlg only). Default: en.")
@click.option("--data", metavar="FILE", help="Data, one value per line (parallel only).")
def convert(
    format_name: str,
    sources: tuple[str, ...],
    out: str,
    texts: str | None,
    system: str | None,
    lang: str | None,
    data: str | None,
) -> None:
    """Convert a data set to JSON lines, which all other commands read.

    OUT.jsonl may be - for stdout.
    """
    reader = open_format(format_name)
    given = {name: value for name, value in (("lang", lang), ("data", data)) if value is not None}
    _check_call(format_name, reader, {*given, *(["texts"] if texts else [])})
    _check_output(sources, out)
    examples = reader(sources, **given)
    has_texts = examples.has_texts if isinstance(examples, TableExamples) else FORMATS[format_name].has_texts
    if texts is not None:
        if has_texts:
            raise UsageError(f"--texts, but {source_name(sources[0])} has texts of its own; leave it out")
        examples = add_texts(examples, texts)
    if system is not None:
        examples = (replace(example, system=system) for example in examples)
    with_text = has_texts or texts is not None
    count = write_examples(show_progress(check_keys(examples, sources[0])), out, with_text=with_text)
    noun = "example" if count == 1 else "examples"
    say(f"{count} {noun} written to {'stdout' if out == '-' else out}")


def _check_call(format_name: str, reader: Reader, given: set[str]) -> None:
    """Refuse options that the format does not take."""
    taken = set(signature(reader).parameters)
    if not FORMATS[format_name].has_texts:
        taken.add("texts")
    for option in sorted(given - taken):
        why = ", which has texts of its own" if option == "texts" else ""
        raise UsageError(f"--{option} is no option of {format_name}{why}; leave it out")


def _check_output(sources: tuple[str, ...], out: str) -> None:
    """Refuse an output that looks like a source, above all a last source with no output after it."""
    path = Path(out)
    special = out == "-" or (path.exists() and not path.is_file() and not path.is_dir())
    if not special and plain_suffix(out) != ".jsonl":
        raise UsageError(
            f"output {out!r} does not end in .jsonl; name the output last, such as data.jsonl or -"
        )
    if out != "-" and out in sources:
        raise UsageError(f"output {out!r} is a source too; give it another name")


def add_texts(examples: Iterable[Example], path: str) -> Iterator[Example]:
    """The examples with texts from a file, one a line; unequal counts are a fault."""
    lines = iter_lines(path)
    name = source_name(path)
    wanted = given = 0
    for example in examples:
        wanted += 1
        text = next(lines, None)
        if text is None:
            continue
        given += 1
        yield replace(example, text=text.strip())
    given += sum(1 for _ in lines)
    if given != wanted:
        problem = f"has {given} lines, but the source has {wanted} examples"
        raise DataError([Fault(name, None, problem, "give one text a line, in the order of the source")])


def check_keys(examples: Iterable[Example], source: str) -> Iterator[Example]:
    """The examples, if there are any and no two of them share id and system."""
    seen = SeenKeys()
    faults = Faults()
    stream = iter(examples)
    count = 0
    while batch := list(islice(stream, BATCH)):
        for index in seen.add(fingerprints(batch)):
            problem = f"example {count + index + 1} repeats {describe_key(batch[index])}"
            faults.add(Fault(source_name(source), None, problem, "make ids unique"))
        yield from batch
        count += len(batch)
    faults.check()
    if not count:
        raise DataError(
            [Fault(source_name(source), None, "holds no examples", "check that it is the right file")]
        )


def show_progress(examples: Iterable[Example]) -> Iterator[Example]:
    """The examples, counted on stderr if that is a terminal."""
    with Progress() as progress:
        for number, example in enumerate(examples, 1):
            yield example
            if number % EXAMPLES_PER_STEP == 0:
                progress.advance(0, EXAMPLES_PER_STEP)
