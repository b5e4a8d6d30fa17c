"""Systems side by side: values on the items that all of them have, and paired tests of their differences."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from factable.core.metric import Metric, corpus_results
from factable.core.results import VALUE, Scores, pick
from factable.errors import UsageError, printable
from factable.io.files import COMPRESSION_ENDINGS, source_name
from factable.io.limits import MAX_COMPARED
from factable.io.read import Source
from factable.stats import Column, Indices
from factable.stats.bootstrap import Draws, Finish, interval
from factable.stats.significance import bootstrap_p, holm, randomization_p
from factable.study.levels import sign_of
from factable.study.panel import Panel, StudyData, as_panel, as_sources, choose_systems, require_known

NOTHING_SCORED = "no item is scored for every system"
Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Standing:
    """A system under one metric: its value with a 95 % interval, parts, and its cluster (1 is best).

    The tests do not separate systems of one cluster; `rank` is None where not all pairs were tested.
    """

    system: str
    rank: int | None
    value: float
    low: float
    high: float
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SystemDifference:
    """The value of `system` minus that of `other`, its interval, and p-values of both tests.

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
class SystemRanking:
    """The systems under one metric, best first, on `items` items; `unscored` further ones are left out."""

    metric: str
    signature: str
    bounds: tuple[float, float]
    higher_is_better: bool
    items: int
    unscored: int
    standings: tuple[Standing, ...]
    differences: tuple[SystemDifference, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SystemComparison:
    """A ranking for each metric, and the settings they were made with; `missing` items lack some system."""

    systems: tuple[str, ...]
    baseline: str
    draws: int
    seed: int
    alpha: float
    items: int
    missing: int
    rankings: tuple[SystemRanking, ...]
    note: str = ""


def compare_systems(
    data: StudyData,
    metrics: Iterable[str | Metric] = (),
    *,
    baseline: str = "",
    draws: int = 1000,
    seed: int = 0,
    alpha: float = 0.05,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
    jobs: int = 1,
) -> SystemComparison:
    """Compare all systems with each other, or with the `baseline` alone, under each metric.

    Texts that name no system belong to the one that their file is named after.
    """
    names_of = () if isinstance(data, Panel) else names_of_files(as_sources(data))
    panel = as_panel(data, metrics, need_ratings=False, jobs=jobs, systems=names_of)
    panel = choose_systems(panel, systems, excluded)
    names = panel.result.systems
    if baseline:
        require_known("system", [baseline], names)
    if len(names) < 2:
        raise UsageError(f"1 system ({printable(names[0])}), but a comparison needs 2 or more; add systems")
    if len(names) > MAX_COMPARED:
        raise UsageError(f"{len(names)} systems; a comparison takes {MAX_COMPARED} at most: choose `systems`")
    indices = _pair_up(panel)
    options = _Options(names, baseline, draws, seed, alpha)
    scored = zip(panel.result.metrics, panel.result.scores, strict=True)
    return SystemComparison(
        systems=names,
        baseline=baseline,
        draws=draws,
        seed=seed,
        alpha=alpha,
        items=len(indices),
        missing=len(panel.items) - len(indices),
        rankings=tuple(_rank(metric, scores, indices, options) for metric, scores in scored),
        note=_why_nothing_can_differ(options),
    )


def names_of_files(sources: Sequence[Source]) -> list[str]:
    """A system name for each source: the file name without ending, or its path where two are equal.

    A source that is no file has none.
    """
    paths = [source if isinstance(source, str | os.PathLike) else "" for source in sources]
    names = [_file_name(path) if path else "" for path in paths]
    return [
        name if names.count(name) == 1 else source_name(path) if path else ""
        for name, path in zip(names, paths, strict=True)
    ]


def _file_name(file: str | os.PathLike[str]) -> str:
    path = Path(source_name(file))
    return Path(path.stem).stem if path.suffix.lower() in COMPRESSION_ENDINGS else path.stem


def _pair_up(panel: Panel) -> Indices:
    """The example of each item and system (items x systems), for the items that all systems have."""
    systems = len(panel.result.systems)
    indices: Indices = np.full((len(panel.items), systems), -1, dtype=np.int64)
    indices[panel.item_of, panel.system_of] = np.arange(len(panel.item_of))
    indices = indices[(indices >= 0).all(axis=1)]
    if not len(indices):
        raise UsageError(f"no item has texts of all {systems} systems; use the same ids, or choose systems")
    return indices


class _Options(NamedTuple):
    """What is the same for all metrics."""

    systems: tuple[str, ...]
    baseline: str
    draws: int
    seed: int
    alpha: float

    def pairs(self, order: Sequence[int]) -> Pairs:
        """The pairs to compare, for systems in this order."""
        if not self.baseline:
            return list(combinations(order, 2))
        other = self.systems.index(self.baseline)
        return [(system, other) for system in order if system != other]


def _why_nothing_can_differ(options: _Options) -> str:
    """Why no p can be below alpha, if none can: the least p of a randomisation test is 1 / (draws + 1)."""
    pairs = len(options.pairs(range(len(options.systems))))
    if not options.draws or pairs / (options.draws + 1) < options.alpha:
        return ""
    needed = math.ceil(pairs / options.alpha)
    return (
        f"{options.draws} randomisations cannot tell {pairs} pairs apart at {options.alpha:g}; "
        f"draw {needed} or more, or compare with one baseline"
    )


def _rank(metric: Metric, scores: Scores, indices: Indices, options: _Options) -> SystemRanking:
    """The systems under one metric."""
    used = indices[~np.isnan(np.frombuffer(scores.values)[indices]).any(axis=1)]
    totals = [_corpus_values(metric, pick(scores, column)) for column in used.T]
    values = np.array([total[VALUE] for total in totals])
    order = np.argsort(-sign_of(metric) * values, kind="stable").tolist()
    drawn, differences = _test(metric, scores, used, values, order, options)
    ranks = _clusters(differences, order, options)
    standings = [
        Standing(
            system=options.systems[number],
            rank=ranks.get(number),
            value=float(values[number]),
            low=interval(drawn[:, number]).low,
            high=interval(drawn[:, number]).high,
            parts={part: totals[number][part] for part in metric.parts},
        )
        for number in order
    ]
    return SystemRanking(
        metric=scores.metric,
        signature=scores.signature,
        bounds=metric.bounds,
        higher_is_better=metric.higher_is_better,
        items=len(used),
        unscored=len(indices) - len(used),
        standings=tuple(standings),
        differences=tuple(differences),
        reason="" if len(used) else NOTHING_SCORED,
    )


def _corpus_values(metric: Metric, scores: Scores) -> dict[str, float]:
    return corpus_results(metric, scores.values, scores.parts, scores.stats)


def _test(
    metric: Metric, scores: Scores, used: Indices, values: Column, order: Sequence[int], options: _Options
) -> tuple[Column, list[SystemDifference]]:
    """The value of each system in each draw of items (draws x systems), and the differences of pairs."""
    if not len(used):
        return np.empty((0, len(values))), []
    rows, finish = _statistics(metric, scores, used)
    draws = Draws(len(used), options.draws, options.seed)
    drawn = draws.apply_one(
        lambda weights: np.stack([finish(weights @ system_rows) for system_rows in rows], axis=1)
    )
    # The first draw is the data itself.
    drawn = drawn[1:]
    pairs = options.pairs(order)
    p_values = randomization_p(rows, pairs, finish, randomizations=options.draws, seed=options.seed)
    differences = []
    for (first, second), p_value, p_holm in zip(pairs, p_values, holm(p_values), strict=True):
        gaps = drawn[:, first] - drawn[:, second]
        differences.append(
            SystemDifference(
                system=options.systems[first],
                other=options.systems[second],
                difference=float(values[first] - values[second]),
                low=interval(gaps).low,
                high=interval(gaps).high,
                p_bootstrap=bootstrap_p(gaps),
                p_randomization=p_value,
                p_holm=p_holm,
            )
        )
    return drawn, differences


def _statistics(metric: Metric, scores: Scores, used: Indices) -> tuple[list[Column], Finish]:
    """Rows per item for each system, and the function that turns sums of rows into values."""
    if metric.additive:
        table = np.frombuffer(scores.stats).reshape(len(scores.values), -1)
        return [table[column] for column in used.T], metric.finish_rows
    values = np.frombuffer(scores.values)[:, None]
    return [values[column] for column in used.T], lambda totals: totals[:, 0] / len(used)


def _clusters(
    differences: Sequence[SystemDifference], order: Sequence[int], options: _Options
) -> dict[int, int]:
    """The cluster of each system; one begins where all above are significantly better than all below."""
    if options.baseline or not options.draws or not differences:
        return {}
    differ = np.zeros((len(order), len(order)), dtype=bool)
    # Differences come in the order of pairs, which is that of the upper triangle.
    differ[np.triu_indices(len(order), 1)] = [pair.p_holm < options.alpha for pair in differences]
    begins = [bool(differ[:index, index:].all()) for index in range(len(order))]
    return dict(zip(order, np.cumsum(begins).tolist(), strict=True))
