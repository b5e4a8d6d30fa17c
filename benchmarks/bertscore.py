"""BERTScore: the ratio to the package bert_score on the same model, and growth of time and memory.

python benchmarks/bertscore.py --base FOLDER --data RATED.jsonl [--rows 500] [--threads 1] [--most 16000]

`--base` is the folder of an encoder, such as all-MiniLM-L6-v2, whose last layer is compared; `--data` has
texts of several systems with references. Texts are scored all in one call, and again one system after the
other, as results of systems come in. Both run in fp32 by torch in as many threads, loaded before, from texts
to scores; ours also with the embedded int8 encoder. Seconds are those of the processor, so that other work on
the machine counts little. Growth is that of the embedded encoder on made-up texts that all differ, each size
in a process of its own.
"""

import argparse
import multiprocessing
import os
import resource
import time
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

SIZES = (1_000, 4_000, 16_000)
WORDS = ("river", "house", "old", "red", "city", "music", "north", "king", "light", "stone", "green", "year")
WORDS_EACH = 12
Score = Callable[[Sequence[Any]], object]


def compare(base: Path, data: Path, rows: int) -> None:
    """Time the package and ourselves on the same texts."""
    from factable.metrics.bertscore import Bertscore

    examples = choose(data, rows)
    systems = [list(group) for _, group in groupby(examples, key=lambda one: one.system)]
    pairs = sum(len(one.references) for one in examples)
    print(f"{len(examples):,} texts of {len(systems)} systems, {pairs:,} pairs")
    peer = load_peer(base)
    runs = {
        "torch, fp32": Bertscore(model=str(base), compat="bert_score").score,
        "embedded, int8": Bertscore().score,
    }
    for calls in ([examples], systems):
        theirs = clock(peer, calls)
        print(f"{len(calls):>3} calls: bert_score {theirs:.1f} s", end="")
        for name, run in runs.items():
            seconds = clock(run, calls)
            print(f"   ours, {name}: {seconds:.1f} s, {theirs / seconds:.1f} times", end="")
        print(flush=True)


def choose(data: Path, rows: int) -> list[Any]:
    """All texts of the first items, so many in all; systems one after the other."""
    import factable

    examples = sorted(factable.read(data), key=lambda one: one.item)[:rows]
    return sorted(examples, key=lambda one: one.system)


def load_peer(base: Path) -> Score:
    """The package's scorer; for transformers 5 it is told the tokens of an empty text."""
    from bert_score import BERTScorer
    from transformers import AutoConfig

    layers = AutoConfig.from_pretrained(base).num_hidden_layers
    scorer = BERTScorer(model_type=str(base), num_layers=layers, device="cpu")
    tokenizer = scorer._tokenizer
    marks = [tokenizer.cls_token_id, tokenizer.sep_token_id]
    tokenizer.build_inputs_with_special_tokens = lambda _: marks
    return lambda some: scorer.score([one.text for one in some], [list(one.references) for one in some])


def clock(score: Score, calls: Sequence[Sequence[Any]]) -> float:
    """Seconds of the processor for all calls, with models loaded but no text seen before."""
    from factable.models import token_encoder

    score(calls[0][:2])
    token_encoder._cached.clear()
    began = time.process_time()
    for call in calls:
        score(call)
    return time.process_time() - began


def grow(size: int) -> tuple[float, float]:
    """Seconds for so many texts with a reference each, and peak memory in MB."""
    from factable import Example, Table
    from factable.metrics.bertscore import Bertscore

    def make(number: int, step: int) -> str:
        return (
            " ".join(WORDS[(number + index * step) % len(WORDS)] for index in range(WORDS_EACH))
            + f" {number}"
        )

    examples = [
        Example(str(number), "", make(number, 5), Table(()), (make(number, 7),)) for number in range(size)
    ]
    Bertscore().score(examples[:1])
    began = time.process_time()
    Bertscore().score(examples)
    return time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--most", type=int, default=SIZES[-1])
    options = parser.parse_args()
    # Before torch and NumPy start threads of their own.
    for variable in ("FACTABLE_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = str(options.threads)
    if options.base and options.data:
        compare(options.base, options.data, options.rows)
    for size in (size for size in SIZES if size <= options.most):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, megabytes = pool.apply(grow, (size,))
        print(f"{size:>7,} texts: {seconds / size * 1e3:.2f} ms each, {megabytes:,.0f} MB", flush=True)


if __name__ == "__main__":
    main()
