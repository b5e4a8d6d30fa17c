"""Systems side by side: values on the items that all of them have, and paired tests of their differences."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from factable.core.metric import Metric, corpus_results
from factable.core.results import VALUE, Scores, pick
from factable.errors import UsageError, printable
from factable.io.files import COMPRESSION_ENDINGS, source_name
from factable.stats.bootstrap import Draws, Finish, interval
from factable.stats.significance import bootstrap_p, holm, randomization_p
from factable.study.levels import sign_of
from factable.study.panel import Column, Indices, Panel, choose_systems, require_known

NOTHING_SCORED = "no item is scored for every system"
Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Standing:
    """A system under one metric: its value with a 95 % interval, parts, and its cluster (1 is best).

    Systems of one cluster are not told apart; `rank` is None where not all pairs were tested.
    """

    system: str
    rank: int | None
    value: float
    low: float
    high: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Difference:
    """The value of `system` less that of `other`, its interval, and p-values of both tests.

    `p_holm` is that of the randomisation test, corrected for all pairs under the metric.
    """

    system: str
    other: str
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomization: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The systems under one metric, best first, on `items` items; `unscored` further ones are left out."""

    metric: str
    signature: str
    items: int
    unscored: int
    standings: tuple[Standing, ...]
    differences: tuple[Difference, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A ranking for each metric, and what they were made from; `missing` items lack some system."""

    systems: tuple[str, ...]
    baseline: str
    draws: int
    seed: int
    alpha: float
    items: int
    missing: int
    rankings: tuple[Ranking, ...]
    note: str = ""


def names_of_files(files: Sequence[str]) -> list[str]:
    """What the system in each file may be called: the file without ending, or its path if several agree."""
    names = [_file_name(file) for file in files]
    return [
        name if names.count(name) == 1 else source_name(file) for name, file in zip(names, files, strict=True)
    ]


def _file_name(file: str) -> str:
    path = Path(source_name(file))
    return Path(path.stem).stem if path.suffix.lower() in COMPRESSION_ENDINGS else path.stem


def compare(
    panel: Panel,
    *,
    baseline: str = "",
    draws: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
) -> Comparison:
    """Compare all systems with each other, or with the baseline alone, under each metric."""
    panel = choose_systems(panel, systems, excluded)
    names = panel.result.systems
    if baseline:
        require_known("system", [baseline], names)
    if len(names) < 2:
        raise UsageError(f"1 system ({printable(names[0])}), but a comparison needs 2 or more; add systems")
    indices = _pair_up(panel)
    work = _Work(names, baseline, draws, seed, alpha)
    scored = zip(panel.result.metrics, panel.result.scores, strict=True)
    return Comparison(
        systems=names,
        baseline=baseline,
        draws=draws,
        seed=seed,
        alpha=alpha,
        items=len(indices),
        missing=len(panel.items) - len(indices),
        rankings=tuple(_rank(metric, scores, indices, work) for metric, scores in scored),
        note=_why_nothing_can_differ(work),
    )


def _pair_up(panel: Panel) -> Indices:
    """Where the example of each item and system is (items x systems), of the items that all systems have."""
    systems = len(panel.result.systems)
    indices: Indices = np.full((len(panel.items), systems), -1, dtype=np.int64)
    indices[panel.item_of, panel.system_of] = np.arange(len(panel.item_of))
    indices = indices[(indices >= 0).all(axis=1)]
    if not len(indices):
        raise UsageError(f"no item has texts of all {systems} systems; use the same ids, or choose systems")
    return indices


class _Work(NamedTuple):
    """What is the same for all metrics."""

    systems: tuple[str, ...]
    baseline: str
    draws: int
    seed: int
    alpha: float

    def pairs(self, order: Sequence[int]) -> Pairs:
        """Who is compared with whom, for systems in this order."""
        if not self.baseline:
            return list(combinations(order, 2))
        other = self.systems.index(self.baseline)
        return [(system, other) for system in order if system != other]


def _why_nothing_can_differ(work: _Work) -> str:
    """Why no p can come below alpha, or nothing: the least p of a randomisation test is 1 / (draws + 1)."""
    pairs = len(work.pairs(range(len(work.systems))))
    if not work.draws or pairs / (work.draws + 1) < work.alpha:
        return ""
    needed = math.ceil(pairs / work.alpha)
    return (
        f"{work.draws} randomisations cannot tell {pairs} pairs apart at {work.alpha:g}; "
        f"draw {needed} or more, or compare with one baseline"
    )


def _rank(metric: Metric, scores: Scores, indices: Indices, work: _Work) -> Ranking:
    """All about one metric."""
    used = indices[~np.isnan(np.frombuffer(scores.values)[indices]).any(axis=1)]
    wholes = [_whole(metric, pick(scores, mine)) for mine in used.T]
    values = np.array([whole[VALUE] for whole in wholes])
    order = np.argsort(-sign_of(metric) * values, kind="stable").tolist()
    drawn, differences = _test(metric, scores, used, values, order, work)
    ranks = _clusters(differences, order, work)
    standings = [
        Standing(
            system=work.systems[number],
            rank=ranks.get(number),
            value=float(values[number]),
            low=interval(drawn[:, number]).low,
            high=interval(drawn[:, number]).high,
            parts={part: wholes[number][part] for part in metric.parts},
        )
        for number in order
    ]
    return Ranking(
        metric=scores.metric,
        signature=scores.signature,
        items=len(used),
        unscored=len(indices) - len(used),
        standings=tuple(standings),
        differences=tuple(differences),
        reason="" if len(used) else NOTHING_SCORED,
    )


def _whole(metric: Metric, scores: Scores) -> dict[str, float]:
    return corpus_results(metric, scores.values, scores.parts, scores.stats)


def _test(
    metric: Metric, scores: Scores, used: Indices, values: Column, order: Sequence[int], work: _Work
) -> tuple[Column, list[Difference]]:
    """The value of each system in each draw of items (draws x systems), and the differences of pairs."""
    if not len(used):
        return np.empty((0, len(values))), []
    rows, finish = _statistics(metric, scores, used)
    draws = Draws(len(used), work.draws, work.seed)
    drawn = draws.apply(lambda weights: {VALUE: np.stack([finish(weights @ mine) for mine in rows], axis=1)})
    # The first draw is the data itself.
    drawn_values = drawn[VALUE][1:]
    pairs = work.pairs(order)
    p_values = randomization_p(rows, pairs, finish, randomizations=work.draws, seed=work.seed)
    differences = []
    for (one, other), p_value, p_holm in zip(pairs, p_values, holm(p_values), strict=True):
        gaps = drawn_values[:, one] - drawn_values[:, other]
        differences.append(
            Difference(
                system=work.systems[one],
                other=work.systems[other],
                difference=float(values[one] - values[other]),
                low=interval(gaps).low,
                high=interval(gaps).high,
                p_bootstrap=bootstrap_p(gaps),
                p_randomization=p_value,
                p_holm=p_holm,
            )
        )
    return drawn_values, differences


def _statistics(metric: Metric, scores: Scores, used: Indices) -> tuple[list[Column], Finish]:
    """Rows per item for each system, and what makes values of their sums; a mean comes from summed values."""
    if metric.additive:
        table = np.frombuffer(scores.stats).reshape(len(scores.values), -1)
        return [table[mine] for mine in used.T], metric.finish_rows
    column = np.frombuffer(scores.values)[:, None]
    return [column[mine] for mine in used.T], lambda totals: totals[:, 0] / len(used)


def _clusters(differences: Sequence[Difference], order: Sequence[int], work: _Work) -> dict[int, int]:
    """The cluster of each system; one begins where all above are significantly better than all below."""
    if work.baseline or not work.draws or not differences:
        return {}
    apart = np.zeros((len(order), len(order)), dtype=bool)
    # Differences come in the order of pairs, which is that of the upper triangle.
    apart[np.triu_indices(len(order), 1)] = [one.p_holm < work.alpha for one in differences]
    begins = [bool(apart[:index, index:].all()) for index in range(len(order))]
    return dict(zip(order, np.cumsum(begins).tolist(), strict=True))
