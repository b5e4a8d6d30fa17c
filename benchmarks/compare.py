"""Two systems of WebNLG 2017 compared by BLEU: seconds on one core, and the ratio to sacrebleu's PairedTest.

python benchmarks/compare.py [--data ../shared/data] [--draws 1000]

Ours scores the texts, draws intervals and makes both tests; the peer scores them and makes one test, with
intervals ("bs" is the paired bootstrap, "ar" approximate randomisation). The best of three runs counts, each
without memories of texts. Growth is that of the comparison alone, after scoring, on copies of the items.
"""

import os

# One core for everybody; read when NumPy is first imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import resource
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from factable import Example
from factable.core.registry import parse
from factable.study.comparison import SystemComparison, compare_systems
from factable.study.panel import score_panel
from text import SHARED, best_seconds, read_webnlg

SYSTEMS = ("final_result.txt", "smt_test.out.ordered")
COPIES = (1, 4, 16, 64)


def compare_by_peer(systems: Sequence[Sequence[Example]], test: str, draws: int) -> float:
    """The p of sacrebleu's test."""
    named = [(texts[0].system, [one.text for one in texts]) for texts in systems]
    references = [list(stream) for stream in zip_longest(*(one.references for one in systems[0]))]
    metrics = {"BLEU": BLEU(lowercase=True, force=True, references=references)}
    confidence = draws if test == "ar" else -1
    paired = PairedTest(named, metrics, None, test_type=test, n_samples=draws, n_ar_confidence=confidence)
    p_value: float = paired()[1]["BLEU"][1].p_value
    return p_value


def compare_by_us(examples: Sequence[Example], draws: int) -> SystemComparison:
    """Texts in, both tests out."""
    panel = score_panel([examples], [parse("bleu(lowercase=True)")], need_ratings=False)
    return compare_systems(panel, draws=draws)


def show_growth(examples: Sequence[Example], draws: int) -> None:
    """Seconds and peak memory for more and more items."""
    for copies in COPIES:
        many = [replace(one, item=f"{one.item}/{copy}") for copy in range(copies) for one in examples]
        panel = score_panel([many], [parse("bleu(lowercase=True)")], need_ratings=False)
        start = time.perf_counter()
        compare_systems(panel, draws=draws)
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        items = len(panel.items)
        print(f"{items:>9,} items {seconds:7.2f} s, {1e6 * seconds / items:5.0f} µs an item, {peak:,.0f} MB")


def main() -> None:
    """Print the seconds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--draws", type=int, default=1000)
    options = parser.parse_args()
    by_name = {name: [] for name in SYSTEMS}
    for example in read_webnlg(options.data):
        by_name.get(Path(example.system).name, []).append(example)
    systems = list(by_name.values())
    examples = [example for texts in systems for example in texts]
    (difference,) = compare_by_us(examples, options.draws).rankings[0].differences
    ours = best_seconds(lambda: compare_by_us(examples, options.draws))
    p_values = f"p bootstrap {difference.p_bootstrap:.3f}, p randomization {difference.p_randomization:.3f}"
    print(f"{len(systems[0]):,} items, {options.draws:,} draws\nfactable      {ours:7.2f} s   {p_values}")
    for test in ("bs", "ar"):
        p_value = compare_by_peer(systems, test, options.draws)
        theirs = best_seconds(lambda test=test: compare_by_peer(systems, test, options.draws))
        print(f"sacrebleu {test}  {theirs:7.2f} s   p {p_value:.3f}   {theirs / ours:.1f} times ours")
    show_growth(examples, options.draws)


if __name__ == "__main__":
    main()
