"""Reading JSON lines: factable.read beside orjson alone, with compiled records and with their Python twins.

python benchmarks/reading.py [--size 40000] [--peer CHECKOUT]

Each example has 12 facts, as an object, as nested objects, as rows or as triples. Then `factable score -m
parent --jobs 2`, file to file, on objects; `--peer` names a checkout of KaijuML/parent, whose function for
one example is given tokens, and whose own reading is not counted. All rates are per second of processor time,
which other programs on the same machine do not change much.
"""

import argparse
import gc
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import orjson

import factable
from factable.io import blocks, data, duplicates
from factable.kernels import COMPILED, lines, reading
from factable.types import Example
from parent import PEER_SAMPLE, make_corpus, score_by_peer

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


def write(examples: list[Example], form: str, path: Path) -> None:
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


def end_to_end(path: Path, examples: list[Example], peer: str | None) -> None:
    """Print the rate of the command with two processes, its start included, and what it is to a peer's."""
    command = [sys.executable, "-m", "factable", "score", str(path), "-m", "parent", "--jobs", "2"]
    subprocess.run([*command, "--format", "jsonl", "--out", str(path.with_suffix(".out"))], check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    rate = len(examples) / (used.ru_utime + used.ru_stime)
    least = len(examples) / seconds(partial(parse_only, path))
    print(
        f"factable score, file to file: {rate:,.0f} examples/s, {least / rate:.1f} times the time of orjson"
    )
    if peer:
        sample = examples[:PEER_SAMPLE]
        theirs = len(sample) / seconds(partial(score_by_peer, peer, sample), repeats=3)
        print(f"peer, given tokens: {theirs:,.0f} examples/s; we are {rate / theirs:.0f} times as fast")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=40_000)
    parser.add_argument("--peer", help="a checkout of KaijuML/parent")
    arguments = parser.parse_args()
    examples = list(make_corpus(arguments.size))
    gc.collect()
    gc.freeze()
    with tempfile.TemporaryDirectory() as folder:
        compare(examples, Path(folder))
        end_to_end(Path(folder) / "object.jsonl", examples, arguments.peer)


if __name__ == "__main__":
    main()
