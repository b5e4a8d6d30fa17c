"""PARENT on a WikiBio-shaped corpus: examples per second, peak memory, and the ratio to a peer.

python benchmarks/parent.py [--peer CHECKOUT] [--sizes 10000 100000 1000000] [--jobs 2]

The corpus: 12 records of about 4 tokens, references of 26 and texts of 20 tokens. `--peer` names a checkout
of KaijuML/parent, whose function for one example is timed on one core on the same examples; its F values
are compared too.
"""

import argparse
import importlib.util
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from factable import Example, Record, Table
from factable.core.registry import parse
from factable.io.examples import write_examples
from factable.kernels import COMPILED, score_parent
from factable.kernels.parent import ParentOptions

VOCABULARY = 20_000
RECORDS, VALUE_TOKENS, REFERENCE_TOKENS, TEXT_TOKENS = 12, 4, 26, 20
SAMPLE = 20_000
PEER_SAMPLE = 1_000


def make_corpus(size: int, seed: int = 0) -> Iterator[Example]:
    """Examples of WikiBio's shape: half of the words of text and reference come from the table."""
    chance = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(VOCABULARY)]

    def sentence(table: list[str], length: int) -> str:
        return " ".join(
            chance.choice(table) if chance.random() < 0.5 else chance.choice(words) for _ in range(length)
        )

    for number in range(size):
        values = [
            chance.choices(words, k=chance.randint(VALUE_TOKENS - 1, VALUE_TOKENS + 1))
            for _ in range(RECORDS)
        ]
        records = tuple(
            Record("", f"{chance.choice(words)}_{chance.choice(words)}", " ".join(v)) for v in values
        )
        flat = [token for value in values for token in value]
        yield Example(
            f"item-{number}",
            "bench",
            sentence(flat, TEXT_TOKENS),
            Table(records),
            (sentence(flat, REFERENCE_TOKENS),),
        )


def rate(size: int, seconds: float) -> str:
    """Examples per second."""
    return f"{size / seconds:>12,.0f} examples/s"


def best_of(repeats: int, work: object) -> float:
    """The least processor time of several runs."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()  # type: ignore[operator]
        times.append(time.process_time() - start)
    return min(times)


def run_command(file: Path, out: Path, jobs: int) -> tuple[float, float]:
    """Seconds and peak megabytes (all processes together) of `factable score`."""
    command = [sys.executable, "-m", "factable", "score", str(file), "-m", "parent", "--jobs", str(jobs)]
    start = time.perf_counter()
    process = subprocess.Popen([*command, "--out", str(out)])
    peak = [0.0]
    watcher = threading.Thread(target=_watch, args=(process, peak))
    watcher.start()
    code = process.wait()
    seconds = time.perf_counter() - start
    watcher.join()
    if code:
        raise SystemExit(f"factable score failed with exit code {code}")
    return seconds, peak[0]


def _watch(process: "subprocess.Popen[bytes]", peak: list[float]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], _tree_megabytes(process.pid))
        time.sleep(0.05)


def _tree_megabytes(parent: int) -> float:
    """Proportional memory of a process and its children: shared pages count once."""
    pages = 0
    children = Path(f"/proc/{parent}/task/{parent}/children")
    pids = [parent, *map(int, children.read_text().split())] if children.exists() else [parent]
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            pages += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        except (OSError, StopIteration):
            continue
    return pages / 1024


def score_by_peer(checkout: str, examples: list[Example]) -> list[float]:
    """The F of each example by KaijuML/parent."""
    path = Path(checkout) / "parent" / "parent.py"
    described = importlib.util.spec_from_file_location("kaiju_parent", path)
    assert described is not None
    assert described.loader is not None
    peer = importlib.util.module_from_spec(described)
    described.loader.exec_module(peer)
    packages = [
        (
            example.text.split(),
            [reference.split() for reference in example.references],
            [(record.attribute.split(), record.value.split()) for record in example.table.records],
        )
        for example in examples
    ]
    return [peer.parent_instance_level(package)[2] for package in packages]


def time_peer(checkout: str, corpus: list[Example]) -> None:
    """One core of the peer against one core of ours, on the same examples and with the same F."""
    sample = corpus[:PEER_SAMPLE]
    start = time.process_time()
    theirs = score_by_peer(checkout, sample)
    peer_seconds = time.process_time() - start
    metric = parse('parent(compat="kaiju", mix=0.5)')
    ours = metric.score(sample).values
    seconds = best_of(3, lambda: metric.score(corpus))
    ratio = (len(corpus) / seconds) / (len(sample) / peer_seconds)
    worst = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    print(f"peer, tokens given, 1 core   {rate(len(sample), peer_seconds)}")
    print(f"ours, tokenising too, 1 core {rate(len(corpus), seconds)}   {ratio:,.0f} times the peer")
    print(f"largest difference of F: {worst:.1e}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer", help="a checkout of KaijuML/parent")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    arguments = parser.parse_args()
    print(f"compiled kernels: {COMPILED}; {os.cpu_count()} cores")
    corpus = list(make_corpus(SAMPLE))
    options = ParentOptions("words", "overlap", None, 4, 1e-5, False, False)
    kernel = best_of(3, lambda: score_parent(corpus, options, None))
    library = best_of(3, lambda: parse("parent").score(corpus))
    print(f"kernel, 1 core               {rate(SAMPLE, kernel)}")
    print(f"library, 1 core              {rate(SAMPLE, library)}")
    if arguments.peer:
        time_peer(arguments.peer, corpus)
    with tempfile.TemporaryDirectory() as folder:
        for size in arguments.sizes:
            file, out = Path(folder) / "corpus.jsonl", Path(folder) / "scores.json"
            write_examples(make_corpus(size), file)
            seconds, megabytes = run_command(file, out, arguments.jobs)
            print(
                f"command, {arguments.jobs} jobs, {size:>9,}   {rate(size, seconds)}   "
                f"{seconds:6.2f} s   peak {megabytes:5.0f} MB   ({file.stat().st_size / 1e6:,.0f} MB read)"
            )


if __name__ == "__main__":
    main()
