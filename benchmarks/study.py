"""Studies of ten metrics on the WebNLG 2017 ratings (2,230 texts): seconds after scoring, by level.

python benchmarks/study.py [--data ../shared/data] [--draws 500]

Three ratings, five statistics, all comparisons of metrics. "means" are the six whose system value is a mean,
without those that sum statistics. The peer resamples items and calls
scipy.stats.pearsonr in a loop, as a script would, for the Pearson's r of those six alone; it is timed on a
tenth of the draws.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from scipy.stats import pearsonr

from factable.core.registry import parse
from factable.io.formats import open_format
from factable.study.levels import LEVELS
from factable.study.panel import Panel, score_panel
from factable.study.ratings import study_ratings

SHARED = Path(__file__).parents[2] / "shared" / "data"
MEANS = ("parent", "parent(mix=0.5)", "rouge", 'rouge(kind="1")', "cider", "cider_d")
ADDITIVE = ("bleu", "bleu_t", "chrf", "nist")


def seconds_of_peer(rated: Panel, draws: int) -> float:
    """Bootstrap of Pearson's r over systems for every metric and rating, one draw after the other."""
    generator = np.random.default_rng(0)
    items = int(rated.item_of.max()) + 1
    systems = [np.flatnonzero(rated.system_of == number) for number in range(len(rated.result.systems))]
    start = time.perf_counter()
    for scores in rated.result.scores:
        values = np.frombuffer(scores.values)
        for ratings in rated.ratings.values():
            for _ in range(draws):
                chosen = generator.integers(items, size=items)
                pearsonr(*([column[mine[chosen]].mean() for mine in systems] for column in (values, ratings)))
    return time.perf_counter() - start


def main() -> None:
    """Print the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--draws", type=int, default=500)
    options = parser.parse_args()
    folder = options.data / "webnlg2017" / "human-evaluation"
    examples = list(open_format("webnlg-human")([str(folder)]))
    for name, specs in (("all ten", MEANS + ADDITIVE), ("means", MEANS)):
        rated = score_panel([examples], [parse(spec) for spec in specs])
        for level in LEVELS:
            start = time.perf_counter()
            study_ratings(rated, level=level, draws=options.draws)
            print(f"{name:<8} {level:<8} {time.perf_counter() - start:7.2f} s")
    peer = seconds_of_peer(rated, options.draws // 10) * 10
    print(f"{'peer':<8} {'system':<8} {peer:7.2f} s")


if __name__ == "__main__":
    main()
