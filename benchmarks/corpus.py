"""A corpus of many lines as `factable serve` opens it: CPU time to index, list, sort and search, and memory.

    python benchmarks/corpus.py [LINES]

The peer is a loop that parses every line with orjson and keeps nothing.
"""

import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson

from factable.serve.corpus.corpus import Corpus, Query

LINES = 1_000_000


def write_lines(path: Path, lines: int) -> None:
    """Two systems' texts of restaurants, with a rating."""
    draw = random.Random(0)
    with path.open("w", encoding="utf-8") as stream:
        for number in range(lines):
            food = draw.choice(["French", "Thai", "Italian"])
            data = {"name": f"Restaurant {number // 2}", "food": food, "area": "riverside"}
            text = f"Restaurant {number // 2} serves {food} food by the riverside. Sales: {number}."
            fields = {"id": f"i{number // 2}", "system": "ab"[number % 2], "data": data, "text": text}
            stream.write(json.dumps({**fields, "human": {"semantics": draw.random()}}) + "\n")


def timed(name: str, work: Callable[[], object]) -> float:
    """Print and return the CPU time of some work."""
    start = time.process_time()
    work()
    seconds = time.process_time() - start
    print(f"{name:<32} {seconds:8.3f} s")
    return seconds


def main(lines: int) -> None:
    """Print a table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.jsonl"
        write_lines(path, lines)
        print(f"{lines:,} lines, {path.stat().st_size / 1e6:,.0f} MB; CPU time")
        with path.open("rb") as stream:
            peer = timed("parse with orjson", lambda: [None for line in stream if orjson.loads(line) is None])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        corpus = Corpus([str(path)])
        index = timed("open", corpus.wait)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"{'ratio to parsing':<32} {index / peer:8.2f}")
        print(f"{'memory':<32} {(after - before) / 1024:8.0f} MB")
        timed("sort by a rating", lambda: corpus.page(Query(sort="human.semantics"), 0, 100))
        timed("a page in the middle", lambda: corpus.page(Query(sort="human.semantics"), lines // 2, 100))
        timed("one text with its siblings", lambda: corpus.example(lines // 2))
        timed("search, one text found", lambda: corpus.page(Query(words=f"sales {lines - 1}."), 0, 100))
        timed("search, a third found", lambda: corpus.page(Query(words="thai"), 0, 100))
        corpus.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else LINES)
