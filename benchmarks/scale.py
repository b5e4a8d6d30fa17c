"""Growth with the data, engine by engine: seconds, peak memory of all processes, ratios on the same cores.

python benchmarks/scale.py [--sizes 1000 10000 100000 1000000] [--metric parent] [--jobs 2] [--file FILE]
                           [--ending jsonl|csv|parquet]

Runs `factable score` on a corpus of WikiBio's shape (that of benchmarks/parent.py), or on the first examples
of FILE, written as JSON lines, CSV or Parquet, in one process, in `--jobs` processes and on a Ray of as many
CPUs, which is started and ended each time. Memory is proportional (PSS): pages that processes share count
once. Rates "beyond the start" leave out what the smallest size takes.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from factable import Example
from factable.io.examples import write_examples
from factable.io.read import iter_examples
from parent import make_corpus

LOOKS_PER_SECOND = 10


class Run(NamedTuple):
    """What one run took."""

    examples: int
    seconds: float
    megabytes: float


def run_command(file: Path, out: Path, examples: int, arguments: list[str]) -> Run:
    """Run `factable score` to its end, looking at its memory on the way."""
    command = [sys.executable, "-m", "factable", "score", str(file), "--out", str(out), *arguments]
    environment = {**os.environ, "FACTABLE_CACHE": "off"}
    environment.pop("RAY_ADDRESS", None)
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment)
    peak = [0.0]
    watcher = threading.Thread(target=_watch, args=(process, peak))
    watcher.start()
    code = process.wait()
    seconds = time.perf_counter() - start
    watcher.join()
    if code:
        raise SystemExit(f"factable score failed with exit code {code}")
    return Run(examples, seconds, peak[0])


def _watch(process: "subprocess.Popen[bytes]", peak: list[float]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], sum(map(_megabytes, _tree(process.pid))))
        time.sleep(1 / LOOKS_PER_SECOND)


def _tree(pid: int) -> Iterator[int]:
    """A process and all that came of it."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            below = children.read_text().split()
        except OSError:
            continue
        for child in map(int, below):
            yield from _tree(child)


def _megabytes(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0) / 1024


def _rows(examples: Iterable[Example]) -> list[dict[str, str]]:
    """One row for each example, with JSON in the cells of data and references."""
    made = ((one, [tuple(record) for record in one.table.records]) for one in examples)
    return [
        {"id": one.item, "text": one.text, "data": json.dumps(data), "references": json.dumps(one.references)}
        for one, data in made
    ]


def write_csv(examples: Iterable[Example], file: Path) -> None:
    """A CSV file."""
    rows = _rows(examples)
    with open(file, "w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def write_parquet(examples: Iterable[Example], file: Path) -> None:
    """A Parquet file."""
    from pyarrow import Table, parquet

    parquet.write_table(Table.from_pylist(_rows(examples)), file)


WRITERS = {"jsonl": write_examples, "csv": write_csv, "parquet": write_parquet}


def print_runs(engine: str, runs: list[Run]) -> None:
    """One line per size, and the rate beyond the first."""
    for run in runs:
        rate = run.examples / run.seconds
        print(
            f"{engine:12}{run.examples:>11,} examples {run.seconds:>8.2f} s {rate:>10,.0f} examples/s "
            f"peak {run.megabytes:>6,.0f} MB"
        )
    if len(runs) > 1:
        print(f"{engine:12} beyond the start {_rate(runs):>10,.0f} examples/s")


def _rate(runs: list[Run]) -> float:
    first, last = runs[0], runs[-1]
    return (last.examples - first.examples) / (last.seconds - first.seconds)


def compare(engines: dict[str, list[Run]], jobs: int) -> None:
    """Ray against processes on the same cores."""
    processes, ray = engines[f"{jobs} processes"], engines["ray"]
    print(f"starting Ray takes {ray[0].seconds - processes[0].seconds:.1f} s more than starting processes")
    for ours, theirs in zip(ray, processes, strict=True):
        print(f"{ours.examples:>11,} examples: Ray has {theirs.seconds / ours.seconds:.2f} of the rate")
    if len(ray) > 1:
        print(f"beyond the start: Ray has {_rate(ray) / _rate(processes):.2f} of the rate")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--metric", default="parent")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--file", help="a converted data set, in place of a made-up corpus")
    parser.add_argument("--ending", choices=WRITERS, default="jsonl")
    asked = parser.parse_args()
    many = ["--jobs", str(asked.jobs)]
    engines = {"1 process": [], f"{asked.jobs} processes": many, "ray": ["--engine", "ray", *many]}
    runs: dict[str, list[Run]] = {engine: [] for engine in engines}
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / f"corpus.{asked.ending}", Path(folder) / "scores.json"
        for size in sorted(asked.sizes):
            WRITERS[asked.ending](_corpus(asked.file, size), file)
            for engine, arguments in engines.items():
                runs[engine].append(run_command(file, out, size, ["-m", asked.metric, *arguments]))
    print(f"{asked.metric}, {asked.ending}; {os.cpu_count()} cores")
    for engine, found in runs.items():
        print_runs(engine, found)
    compare(runs, asked.jobs)


def _corpus(file: str | None, size: int) -> Iterable[Example]:
    return islice(iter_examples(file), size) if file else make_corpus(size)


if __name__ == "__main__":
    main()
