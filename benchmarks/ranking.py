"""The ranking metric: time and memory at 10^3, 10^4 and 10^5 facts and references; embedding.

python benchmarks/ranking.py [--base FOLDER] [--texts 1000] [--most 100000]

The peer is a plain script of the benchmark's own: it embeds with sentence-transformers, multiplies all
texts with all facts and references, and sorts each row. Rankings are made from made-up embeddings, so that
only the ranking is timed, each in a process of its own, whose peak memory is printed. Then texts are
embedded: ours with the embedded int8 model, one text at a time in threads; the peer's in fp32 and its own
batches. `--base` is the folder of its encoder, all-MiniLM-L6-v2.
"""

import argparse
import multiprocessing
import os
import resource
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

os.environ["FACTABLE_CACHE"] = "off"

from factable import Example, Record, Table
from factable.metrics.ranking.evaluator import RankingEvaluator, RankingOptions
from factable.metrics.ranking.pool import IndexedPool, Pool, collect_contents
from factable.metrics.ranking.rankers import DIRECTIONS, EmbeddingIndex
from factable.models.encoder import SCALE, embed
from factable.models.runtime.progress import ParallelMap
from factable.models.runtime.threads import core_count
from factable.text.documents import RECORDS, table_documents

WIDTH = 384
FACTS_EACH = 3
SIZES = (1_000, 10_000, 100_000)
EMBEDDED = 400


def make_examples(size: int) -> list[Example]:
    """As many facts as references: tables of three facts, of which neighbours share two."""
    records = [
        Record(f"subject {number // 5}", f"attribute {number % 7}", f"value {number}")
        for number in range(size)
    ]
    return [
        Example(
            str(number),
            "",
            f"text {number}",
            Table(tuple(records[number : number + FACTS_EACH])),
            (f"text {number}",),
        )
        for number in range(size)
    ]


def make_rows(count: int, seed: int) -> np.ndarray:
    """Embeddings that mean nothing."""
    rows = np.random.default_rng(seed).standard_normal((count, WIDTH)).astype(np.float32)
    return np.rint(rows / np.linalg.norm(rows, axis=1, keepdims=True) * SCALE)


class RandomRanker:
    """A ranker whose embeddings are made up."""

    def read(self, texts: Sequence[str]) -> np.ndarray:
        """A row for each text."""
        return make_rows(len(texts), 0)

    def index(self, documents: Sequence[str], _parallel_map: ParallelMap = map) -> EmbeddingIndex:
        """A row for each document."""
        return EmbeddingIndex("", make_rows(len(documents), 1))


def rank_ours(size: int, texts: int) -> float:
    """Seconds for texts, the pool being ready."""
    examples = make_examples(size)
    indexed = IndexedPool(
        Pool(collect_contents(examples, RECORDS)), dict.fromkeys(DIRECTIONS, RandomRanker())
    )
    assert indexed.index("table") is not indexed.index("references")
    options = RankingOptions(0.0, "ideal", 0)
    evaluator = RankingEvaluator(indexed, DIRECTIONS, options)
    chosen = examples[:: max(1, size // texts)][:texts]
    began = time.perf_counter()
    results = evaluator.evaluate(chosen, [frozenset(table_documents(each.table, RECORDS)) for each in chosen])
    assert len(list(results)) == len(chosen)
    return (time.perf_counter() - began) / len(chosen)


def rank_plainly(size: int, texts: int) -> float:
    """The same by sorting all scores of all texts."""
    examples = make_examples(size)
    units = sorted({unit for example in examples for unit in table_documents(example.table, RECORDS)})
    index = {unit: number for number, unit in enumerate(units)}
    tables = [set(table_documents(example.table, RECORDS)) for example in examples]
    facts, references = make_rows(len(units), 1), make_rows(size, 2)
    chosen = list(range(0, size, max(1, size // texts)))[:texts]
    queries = make_rows(len(chosen), 0)
    began = time.perf_counter()
    for order, degrees_of in (
        (np.argsort(-(queries @ facts.T), axis=1), lambda own: {index[unit]: 1.0 for unit in own}),
        (np.argsort(-(queries @ references.T), axis=1), lambda own: overlaps(own, tables)),
    ):
        for row, number in zip(order, chosen, strict=True):
            degrees = np.zeros(order.shape[1])
            for relevant, degree in degrees_of(tables[number]).items():
                degrees[relevant] = degree
            ranked, ideal = degrees[row], np.sort(degrees)[::-1]
            (np.cumsum(ranked) / np.cumsum(ideal) * ideal).sum() / ideal.sum()
    return (time.perf_counter() - began) / len(chosen)


def overlaps(own: set[str], tables: Sequence[set[str]]) -> dict[int, float]:
    """Intersection over union with every table."""
    return {number: len(own & other) / len(own | other) for number, other in enumerate(tables) if own & other}


def in_a_process(work, size: int, texts: int) -> tuple[float, float]:
    """Seconds a text, and peak memory in MB."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_measure, (work, size, texts))


def _measure(work, size: int, texts: int) -> tuple[float, float]:
    seconds = work(size, texts)
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def embedding_rates(base: Path | None) -> None:
    """Texts of about 20 words embedded a second."""
    texts = [
        f"{' '.join(f'word{number * index % 97}' for index in range(12))} {number}"
        for number in range(EMBEDDED)
    ]
    embed("embed", texts[:10])
    began = time.perf_counter()
    embed("embed", texts)
    ours = EMBEDDED / (time.perf_counter() - began)
    print(f"embedded: {ours:,.0f} texts/s", end="")
    if base is None or not find_spec("sentence_transformers"):
        print("; peer left out: install sentence-transformers and name its encoder with --base")
        return
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(base), device="cpu")
    model.encode(texts[:10])
    began = time.perf_counter()
    model.encode(texts)
    theirs = EMBEDDED / (time.perf_counter() - began)
    print(f"   sentence-transformers {theirs:,.0f} texts/s   {ours / theirs:.1f} times")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path)
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--most", type=int, default=SIZES[-1])
    options = parser.parse_args()
    print(f"{core_count()} cores, {options.texts:,} texts")
    for size in (size for size in SIZES if size <= options.most):
        ours, peer = (in_a_process(work, size, options.texts) for work in (rank_ours, rank_plainly))
        print(
            f"{size:>7,} facts and references: {ours[0] * 1e3:8.3f} ms a text, {ours[1]:6,.0f} MB"
            f"   plain {peer[0] * 1e3:8.3f} ms, {peer[1]:6,.0f} MB   {peer[0] / ours[0]:.1f} times",
            flush=True,
        )
    embedding_rates(options.base)


if __name__ == "__main__":
    main()
