"""Reading JSON lines beside orjson alone, and PARENT from file to file beside KaijuML/parent.

python benchmarks/reading.py [--size 40000] [--rows 160000] [--peer CHECKOUT] [--before CHECKOUT]

Each example has 12 facts, as an object, as nested objects, as rows or as triples: `factable.read` with
compiled code and with its Python twins. Then `factable score -m parent`, file to file, on `--rows` objects,
with one and with two processes: in all, and what each stage takes. `--peer` names a checkout of
KaijuML/parent, whose own command reads, splits and scores the same rows, fewer of them, with as many
processes; its start is taken off, ours is not. `--before` names a built checkout of another version of
factable, whose command is run, too. All times are processor time, which other programs on the same machine
change less than seconds; from file to file, the least of three runs of each program, all in turn, and Python
may keep its bytecode, as it does for an installed package.
"""

import argparse
import gc
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import orjson

import factable
from factable.core.registry import parse
from factable.io import blocks, data, duplicates
from factable.io.blocks import iter_blocks
from factable.kernels import COMPILED, fingerprints, lines, reading
from factable.report.scores import jsonl_rows
from factable.types import Example
from parent import make_corpus

# Examples for the peer, and for its start alone.
PEER_ROWS, PEER_START = 2_000, 200
ROUNDS = 3

FORMS: dict[str, Callable[[Example], object]] = {
    "object": lambda example: {record.attribute: record.value for record in example.table.records},
    "nested": lambda example: {
        f"part{part}": {record.attribute: record.value for record in example.table.records[part::3]}
        for part in range(3)
    },
    "rows": lambda example: [
        {"row": str(row), **{record.attribute: record.value for record in example.table.records[row::3]}}
        for row in range(3)
    ],
    "triples": lambda example: [list(record) for record in example.table.records],
}


def write(examples: Iterable[Example], form: str, path: Path) -> None:
    """Write examples with their data in one form."""
    with path.open("wb") as stream:
        for example in examples:
            line = {"id": example.item, "text": example.text, "references": example.references}
            stream.write(orjson.dumps({**line, "data": FORMS[form](example)}) + b"\n")


def seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """The least processor time of several runs."""
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def parse_only(path: Path) -> list[Any]:
    """What any reader has to do at least."""
    gc.disable()
    try:
        with path.open("rb") as stream:
            return [orjson.loads(line) for line in stream]
    finally:
        gc.enable()


def with_twins(path: Path) -> float:
    """The time of reading with the Python twins."""
    names = {
        blocks: ("read_lines",),
        data: ("flatten", "flatten_rows", "make_records"),
        duplicates: ("count_colons", "count_names"),
    }
    kept = {(module, name): getattr(module, name) for module in names for name in names[module]}
    try:
        for module, name in kept:
            setattr(module, name, getattr(lines if name == "read_lines" else reading, name))
        return seconds(partial(factable.read, path))
    finally:
        for (module, name), function in kept.items():
            setattr(module, name, function)


def compare(examples: list[Example], folder: Path) -> None:
    """Print the table of all forms."""
    print(
        f"{len(examples):,} examples, one core, compiled: {COMPILED}; examples per second of processor time"
    )
    print(f"{'data':<10}{'orjson':>10}{'read':>10}{'of orjson':>11}{'twins':>10}")
    for form in FORMS:
        path = folder / f"{form}.jsonl"
        write(examples, form, path)
        least = seconds(partial(parse_only, path))
        ours, twins = seconds(partial(factable.read, path)), with_twins(path)
        rates = [len(examples) / spent for spent in (least, ours, twins)]
        print(f"{form:<10}{rates[0]:>10,.0f}{rates[1]:>10,.0f}{ours / least:>10.2f}x{rates[2]:>10,.0f}")


def command_seconds(command: list[str], *, source: Path | None = None) -> float:
    """The processor time of a command and its children; `source` is where it finds factable."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | ({"PYTHONPATH": str(source)} if source else {})
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime


def score_seconds(path: Path, jobs: int, source: Path | None = None) -> float:
    """The processor time of `factable score`."""
    out = str(path.with_suffix(".out"))
    options = ["-m", "parent", "--jobs", str(jobs), "--format", "jsonl", "--out", out]
    command = [sys.executable, "-m", "factable", "score", str(path), *options]
    return command_seconds(command, source=source)


# The command, telling the processor time of its first process alone.
FIRST = """
import atexit, resource
atexit.register(lambda: print(sum(resource.getrusage(resource.RUSAGE_SELF)[:2])))
from factable.cli.main import main
main()
"""


def first_process_seconds(path: Path) -> float:
    """What the first of three processes takes: it reads the file, and collects and writes the scores."""
    options = ["-m", "parent", "--jobs", "2", "--format", "jsonl", "--out", str(path.with_suffix(".out"))]
    command = [sys.executable, "-c", FIRST, "score", str(path), *options]
    return float(subprocess.run(command, check=True, capture_output=True).stdout)


def peer_seconds(checkout: str, examples: list[Example], jobs: int, folder: Path, size: int) -> float:
    """The processor time of so many examples in the peer's own command, without its start, from fewer."""
    spent = []
    for rows in (PEER_START, PEER_ROWS):
        files = [folder / name for name in ("texts", "references", "tables", "scores")]
        lines: list[list[str]] = [[], [], []]
        for example in examples[:rows]:
            table = [(record.attribute.split(), record.value.split()) for record in example.table.records]
            row = (example.text, example.references[0], orjson.dumps(table).decode())
            for column, cell in zip(lines, row, strict=True):
                column.append(cell + "\n")
        for file, column in zip(files, lines, strict=False):
            file.write_text("".join(column))
        files[3].unlink(missing_ok=True)
        command = [sys.executable, str(Path(checkout) / "parent" / "parent.py"), "--tqdm", "False"]
        for option, file in zip(("-p", "-r", "-t", "--dest"), files, strict=True):
            command += [option, str(file)]
        spent.append(command_seconds([*command, "--n_jobs", str(jobs)]))
    return size * (spent[1] - spent[0]) / (PEER_ROWS - PEER_START)


def end_to_end(path: Path, examples: list[Example], size: int, peer: str | None, before: str | None) -> None:
    """Print what an example takes from file to file, beside orjson, the peer and another version."""
    print(f"\nPARENT, JSON lines file to file, {size:,} objects of {path.stat().st_size / 1e6:,.0f} MB")
    for jobs in (1, 2):
        programs: dict[str, Callable[[], float]] = {
            "orjson": partial(seconds, partial(parse_only, path), repeats=1),
            "ours": partial(score_seconds, path, jobs),
        }
        if before:
            programs["before"] = partial(score_seconds, path, jobs, Path(before) / "src")
        if peer:
            programs["peer"] = partial(peer_seconds, peer, examples, jobs, path.parent, size)
        rounds = [{name: measure() for name, measure in programs.items()} for _ in range(ROUNDS)]
        least = {name: min(each[name] for each in rounds) / size for name in programs}
        ours, parsing = least.pop("ours"), least.pop("orjson")
        print(f"--jobs {jobs}: {1e6 * ours:.1f} µs an example, start included")
        print(f"  orjson alone: {1e6 * parsing:.1f} µs; we take {ours / parsing:.2f} times as long")
        for name, theirs in least.items():
            print(f"  {name}: {1e6 * theirs:.1f} µs; we are {theirs / ours:.2f} times as fast")
    print(f"  its first process: {1e6 * first_process_seconds(path) / size:.1f} µs, start included")


def stages(path: Path) -> None:
    """Print what each stage of scoring takes, in this process and one after the other."""
    metric = parse("parent")
    spent: dict[str, float] = {}

    def timed(stage: str, work: Callable[..., Any], *arguments: Any) -> Any:
        start = time.process_time()
        result = work(*arguments)
        spent[stage] = spent.get(stage, 0.0) + time.process_time() - start
        return result

    count = 0
    found = iter_blocks(path)
    gc.disable()
    while block := timed("read the file, cut it at line ends", next, found, None):
        examples = timed("lines to examples and records", block.parse).examples
        count += len(examples)
        scores = timed("tokens, n-grams, PARENT", metric.score, examples)
        timed("rows of JSON", jsonl_rows, examples, [scores])
        timed("fingerprints, to find repeats", fingerprints, examples)
        timed("free the examples", examples.clear)
    gc.enable()
    for stage, total in spent.items():
        print(f"  {stage:<36}{1e6 * total / count:>6.2f} µs")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=40_000)
    parser.add_argument("--rows", type=int, default=160_000)
    parser.add_argument("--peer", help="a checkout of KaijuML/parent")
    parser.add_argument("--before", help="a built checkout of another version of factable")
    arguments = parser.parse_args()
    examples = list(make_corpus(arguments.size))
    gc.collect()
    gc.freeze()
    with tempfile.TemporaryDirectory() as folder:
        compare(examples, Path(folder))
        path = Path(folder) / "large.jsonl"
        write(make_corpus(arguments.rows), "object", path)
        end_to_end(path, examples, arguments.rows, arguments.peer, arguments.before)
        stages(path)


if __name__ == "__main__":
    main()
