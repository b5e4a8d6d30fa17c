"""Every reader as a function of some bytes, and what may come of it: a value, or an error in clear words."""

import atexit
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import orjson

import factable
from factable.cli.given import read_data
from factable.core.registry import parse
from factable.core.signature import spec
from factable.errors import MAX_CHARACTERS_SHOWN, FactableError, FactableWarning
from factable.gate.baseline import read_baseline
from factable.gate.config import read_config
from factable.io.data import make_table
from factable.io.faults import Malformed
from factable.io.formats import open_format
from factable.io.joins import read_joins
from factable.io.judgements import read_annotations, read_preferences
from factable.io.rows import table_of
from factable.metrics.cider import load_idf
from factable.metrics.extraction.extractors import load_extractor
from factable.metrics.ledger.coverage import facts_said
from factable.metrics.ledger.reading import Reading
from factable.metrics.ledger.required import is_structured
from factable.metrics.ledger.structured import NO_MARKS, StructuredReading, items_of
from factable.metrics.ledger.weights import load_ledger_weights
from factable.metrics.parent.counts import load_counts
from factable.metrics.slots.fact_classifier import load_classifier
from factable.metrics.slots.patterns import load_patterns
from factable.models.runtime import cache
from factable.models.runtime.manifest import read_manifest
from factable.models.templates import load_templates
from factable.report.scores import csv_rows, jsonl_rows
from factable.structure import Structure
from factable.text.answers import answer_spans, answers_beside, value_similarity
from factable.text.linearise import linearise
from factable.text.markdown import segments
from factable.text.opening_hours import hours_claims, parse_hours
from factable.text.polarity import clauses
from factable.text.schema_hints import NO_HINTS
from factable.text.templates import Templates
from factable.text.values import find_value, parts_of
from factable.types import Example, Record
from fuzz import samples

# A message has at most ten faults, each of which shows a place, what was found and what to do.
MAX_MESSAGE = 10 * (3 * MAX_CHARACTERS_SHOWN)


METRICS = (
    *("bleu", "bleu_t", "chrf", "cider", "cider_d", "nist", "parent", "rouge", "ter"),
    *("aligner", "fact_classifier", "rg", "slot_error"),
)


@dataclass(frozen=True)
class Target:
    """A reader by name, valid content for it, how it is asked and how often."""

    name: str
    samples: Sequence[bytes]
    read: Callable[[bytes], object]
    # Slow readers have a case in one of so many rounds.
    every: int = 1


def attempt(target: Target, content: bytes) -> str:
    """What the refusal of some content says, empty if it is read; an error of any other kind is a finding."""
    try:
        target.read(content)
    except FactableError as error:
        message = str(error)
        assert message
        assert message.replace("\n", "").isprintable(), message
        assert len(message) <= MAX_MESSAGE, message
        return message
    return ""


def turns(targets: Sequence[Target]) -> list[int]:
    """The order in which targets, by number, have their turns."""
    rounds = max(target.every for target in targets)
    return [
        number for turn in range(rounds) for number, target in enumerate(targets) if turn % target.every == 0
    ]


def all_targets() -> list[Target]:
    """Every reader, with a folder of their own for their files."""
    # In memory where there is such a folder: some disks take longer to write a file than a reader to read it.
    memory = Path("/dev/shm")  # noqa: S108
    folder = Path(tempfile.mkdtemp(prefix="factable-fuzz-", dir=memory if memory.is_dir() else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return [
        *_example_files(folder),
        *_formats(folder),
        *_judgements(folder),
        *_models(folder),
        *_texts(folder),
    ]


def _of_file(path: Path, read: Callable[[str], object]) -> Callable[[bytes], object]:
    def ask(content: bytes) -> object:
        path.write_bytes(content)
        return read(str(path))

    return ask


def _score(path: str) -> object:
    """Read, score and write: whatever is read must be fit for the rest."""
    examples = factable.read(path)
    pieces = list(factable.score(examples, ["parent", "chrf"]).values())
    return jsonl_rows(examples, pieces), csv_rows(examples, pieces)


def _score_by_all(path: str) -> object:
    """Score by every metric that reads values and words and asks no model."""
    return [list(scores.findings) for scores in factable.score(factable.read(path), METRICS).values()]


def _example_files(folder: Path) -> Iterable[Target]:
    for ending, content in (("jsonl", samples.JSON_LINES), ("json", samples.JSON_LIST)):
        yield Target(ending, [content], _of_file(folder / f"x.{ending}", _score))
    yield Target("csv", [samples.CSV, samples.FACTS], _of_file(folder / "x.csv", factable.read))
    yield Target("parquet", [samples.parquet()], _of_file(folder / "x.parquet", factable.read))
    yield Target(
        "metrics", [samples.JSON_LINES, samples.E2E_LINES], _of_file(folder / "metrics.jsonl", _score_by_all)
    )
    yield Target("references", [samples.REFERENCES], _of_file(folder / "refs.jsonl", read_joins))
    yield Target("packed", samples.packed_lines(), _of_file(folder / "packed", factable.read))


def _formats(folder: Path) -> Iterable[Target]:
    single = {
        "csv": [samples.CSV, samples.FACTS],
        "e2e": [samples.E2E],
        "e2e-outputs": [samples.E2E_OUTPUTS],
        "rotowire": [samples.ROTOWIRE],
        "totto": [samples.TOTTO],
        "webnlg": [samples.WEBNLG],
    }
    for name, content in single.items():
        read = partial(_convert, name)
        yield Target(f"convert {name}", content, _of_file(folder / f"source-{name}", read))
    (folder / "one").write_bytes(b"one line\n")
    beside = str(folder / "one")
    (folder / "reports").mkdir(exist_ok=True)
    (folder / "reports" / "one.txt").write_bytes(b"one line\n")
    (folder / "games").write_bytes(samples.ROTOWIRE)
    games, reports = str(folder / "games"), str(folder / "reports")
    yield Target(
        "convert gsml",
        [samples.GSML],
        _of_file(folder / "marks", lambda path: _convert("gsml", path, games, reports)),
    )
    yield Target(
        "convert wikibio",
        [samples.BOXES],
        _of_file(folder / "boxes", lambda path: _convert("wikibio", path, beside)),
    )
    yield Target(
        "convert parent",
        [samples.TABLES],
        _of_file(folder / "tables", lambda path: _convert("parent", beside, beside, path)),
    )
    yield Target(
        "convert parallel",
        [b'{"a": 1}\n', b"a | b | c\n", b"name[x]\n"],
        _of_file(folder / "data", lambda path: _convert("parallel", beside, beside, data=path)),
    )
    yield from _human_folder(folder / "human")


def _human_folder(folder: Path) -> Iterable[Target]:
    folder.mkdir()
    files = {
        "all_data_final_averaged.csv": samples.RATINGS,
        "MRs.txt": samples.INPUTS,
        "sample-ids.txt": b"18\n27\n\n",
        "gold-sample-reference0.lex": b"f g .\na b .\n",
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)

    def read(name: str, content: bytes) -> object:
        try:
            (folder / name).write_bytes(content)
            return _convert("webnlg-human", str(folder))
        finally:
            (folder / name).write_bytes(files[name])

    for name in ("all_data_final_averaged.csv", "MRs.txt"):
        yield Target(f"convert webnlg-human {name}", [files[name]], partial(read, name))


def _convert(name: str, *sources: str, **options: str) -> object:
    return list(open_format(name)(sources, **options))


def _judgements(folder: Path) -> Iterable[Target]:
    for ending, votes, notes in (
        ("jsonl", samples.PREFERENCES, samples.ANNOTATIONS),
        ("csv", samples.PREFERENCES_CSV, samples.ANNOTATIONS_CSV),
    ):
        yield Target(f"preferences {ending}", [votes], _of_file(folder / f"votes.{ending}", read_preferences))
        read = _of_file(folder / f"notes.{ending}", lambda path: read_annotations([path]))
        yield Target(f"annotations {ending}", [notes], read)


def _models(folder: Path) -> Iterable[Target]:
    readers: dict[str, tuple[list[bytes], Callable[[str], object]]] = {
        "gate config": ([samples.CONFIG], read_config),
        "gate baseline": ([samples.BASELINE], read_baseline),
        "patterns": ([samples.PATTERNS], partial(_forget, load_patterns)),
        "templates": ([samples.TEMPLATES], load_templates),
        "fact classifier": ([samples.CLASSIFIER], load_classifier),
        "ledger weights": ([samples.WEIGHTS], load_ledger_weights),
        "extractor": ([samples.extractor(folder)], load_extractor),
        "counts": ([samples.counts(folder), samples.COUNTS_JSON], load_counts),
        "idf": ([samples.idf(folder)], load_idf),
    }
    for name, (content, read) in readers.items():
        yield Target(name, content, _of_file(folder / name.replace(" ", "-"), read))
    model = folder / "model"
    model.mkdir()
    manifest = _of_file(model / "manifest.json", lambda _: read_manifest(model).identity)
    yield Target("manifest", [samples.MANIFEST], manifest)
    yield Target("answer cache", [samples.answer_cache(folder)], partial(_read_cache, folder))


def _read_cache(folder: Path, content: bytes) -> object:
    """Whatever the file holds, an answer is the one that was cached or none."""
    path = folder / "cache.sqlite"
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FactableWarning)
        answers = cache.get(path, samples.CACHE_KEYS)
        assert answers.items() <= dict.fromkeys(samples.CACHE_KEYS, samples.CACHED).items()
        cache.put(path, {b"new": samples.CACHED})
    path.with_name(f"{path.name}.damaged").unlink(missing_ok=True)
    # Damage may have shown only while writing; a new file is made at the next attempt.
    cache._retry_at.clear()
    return answers


def _forget(load: Callable[[str], object], path: str) -> object:
    """Load, and let the cache of regular expressions go."""
    import re

    re.purge()
    return load(path)


def _texts(_: Path) -> Iterable[Target]:
    yield Target("spec", samples.SPECS, _read_spec)
    yield Target("text", samples.TEXTS, _read_text, every=4)
    yield Target("rules of the ledger", samples.CHECKED, _read_by_rules, every=4)
    yield Target("check", samples.CHECKED, _check, every=40)
    yield Target("data", [b'{"a": {"b": [1, null]}}', b"name[x], food[y]", b"a | b | c"], _read_given)


def _read_spec(content: bytes) -> object:
    metric = parse(content.decode("utf-8", "surrogateescape"))
    text = spec(metric)
    assert parse(text) == metric
    return hash(metric), text


def _read_text(content: bytes) -> object:
    """Everything that is read of a text, and of the same text as a value and as a name."""
    text = content.decode("utf-8", "replace")
    for sentence in segments(text):
        list(hours_claims(text, (sentence.start, sentence.end)))
        clauses(text, (sentence.start, sentence.end))
    record = Record(text, text, text)
    return (
        [find_value(value, text, text) for value in (text, "5 km", "1 May 1990", "Ada")],
        parts_of(text, text),
        answers_beside(text, answer_spans(text), {0: record}),
        value_similarity(text, text, text),
        parse_hours(text),
        linearise({0: record}),
        Templates().sentence(record),
    )


def _data_and_text(content: bytes) -> tuple[object, str]:
    """What stands before an empty line, and what after it; data that is no JSON is a single value."""
    data, _, text = content.decode("utf-8", "replace").partition("\n\n")
    try:
        return orjson.loads(data), text
    except orjson.JSONDecodeError:
        return {"name": data}, text


def _read_by_rules(content: bytes) -> object:
    """All that the ledger reads of data and text without a model."""
    data, text = _data_and_text(content)
    example = Example("", "", text, table_of(data))
    if not is_structured(example.table):
        return Reading.of(example, Templates(), NO_HINTS)
    reading = StructuredReading(example)
    return items_of(reading, [NO_MARKS] * len(reading.sentences)), facts_said(reading), reading.pairs


def _check(content: bytes) -> object:
    """A verdict, by all models of the ledger, which can read whatever there is."""
    try:
        return factable.check(*_data_and_text(content))
    except FactableError as error:
        if "cannot be loaded" in str(error):
            raise AssertionError(str(error)) from error
        raise


def _read_given(content: bytes) -> object:
    text = content.decode("utf-8", "replace")
    # A path or stdin would be another test.
    if text.startswith(("@", "-")) or text.endswith(".json"):
        return None
    try:
        return Structure.of(make_table(read_data(text, "--data")))
    except Malformed as fault:
        # The command makes a fault of it.
        return fault.problem
