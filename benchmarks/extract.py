"""Texts a second for each extractor and for the metrics that stand on patterns.

OMP_NUM_THREADS=1 python benchmarks/extract.py [--data ../shared/data] [--most 2230]
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path

from factable.core.registry import parse
from factable.io.formats import open_format
from factable.metrics.extraction.extractors import load_extractor

DATA = Path(__file__).parents[2] / "shared" / "data"


def pace(work: Callable[[], object], texts: int) -> str:
    """How many texts a second a piece of work takes, by the clock and by the processor's time."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    return f"{texts / clock:,.0f} texts a second, {texts / processor:,.0f} a second of processor time"


def main() -> None:
    """Print the pace of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--most", type=int, default=2230)
    options = parser.parse_args()
    webnlg = list(open_format("webnlg-human")([str(options.data / "webnlg2017" / "human-evaluation")]))
    e2e = list(open_format("e2e-outputs")([str(options.data / "e2e" / "primary_slot_error.tsv.xz")]))
    webnlg, e2e = webnlg[: options.most], e2e[: options.most]
    for name, examples in (("values", webnlg), ("webnlg", webnlg[:200]), ("e2e", e2e)):
        extractor = load_extractor(name)
        texts = [(example.text, example.table) for example in examples]
        print(f"extractor {name}: {pace(lambda x=extractor, t=texts: x.extract(t), len(texts))}")
    for spec, examples in (
        ("rg_f", webnlg),
        ("slot_error", e2e),
        ('aligner(patterns="e2e")', e2e),
        ("fact_classifier", e2e),
    ):
        metric = parse(spec)
        print(f"{spec}: {pace(lambda m=metric, x=examples: m.score(x), len(examples))}")


if __name__ == "__main__":
    main()
