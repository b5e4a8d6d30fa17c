"""What references that differ from the data do to metrics (Dhingra et al. 2019, section 5.5).

An item is entailed where its references say nothing but what the data says, and divergent otherwise; a
rating that is 1 or 0 says which. Samples with a growing share of entailed items show how far a metric depends
on good references.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from factable.core.metric import Metric
from factable.engine.score import parse_all
from factable.errors import DataError, Fault, UsageError
from factable.metrics.parent.metric import Parent
from factable.stats import Column, Indices
from factable.stats.bootstrap import WEIGHTS_AT_ONCE, interval
from factable.study.levels import check_level, choose_points, pearson_at, usable_examples, why_undefined
from factable.study.panel import (
    Panel,
    StudyData,
    as_panel,
    choose_ratings,
    choose_systems,
    metric_number,
    require_known,
)

LABEL = "entailed"
NO_LABEL = f"no rating {LABEL!r} says whose references the data entails"
DivergenceLevel = Literal["system", "example"]
DIVERGENCE_LEVELS: tuple[DivergenceLevel, ...] = get_args(DivergenceLevel)
# Its part `mix` is lambda: 1 minus the mean share of each record's words that the reference has.
COVERING = Parent()


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of the data that the references have, one value per item."""

    values: Column
    signature: str
    items_left_out: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Mean and 95 % interval of Pearson's r over samples with one share of entailed items."""

    share: float
    mean: float
    low: float
    high: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """How a metric agrees with one rating as the share of entailed items grows."""

    metric: str
    human: str
    points: tuple[CurvePoint, ...]
    examples_left_out: int


@dataclass(frozen=True, slots=True)
class DivergenceCurves:
    """A curve per metric and rating, and the settings they were computed with.

    `entailed` and `divergent` are numbers of items with that label; a sample has `sample` items.
    """

    label: str
    level: str
    draws: int
    seed: int
    signatures: Mapping[str, str]
    systems: tuple[str, ...]
    entailed: int
    divergent: int
    sample: int
    humans: tuple[str, ...]
    shares: tuple[float, ...]
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class DivergenceStudy:
    """The coverage of the data, and curves where there are labels; `note` says why there are none."""

    coverage: Coverage
    divergence: DivergenceCurves | None
    note: str = ""


def study_divergence(
    data: StudyData,
    metrics: Iterable[str | Metric] = (),
    *,
    humans: Sequence[str] = (),
    label: str | None = None,
    level: DivergenceLevel = "system",
    steps: int = 10,
    draws: int = 500,
    seed: int = 0,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
    jobs: int = 1,
) -> DivergenceStudy:
    """Measure how much of the data the references have, and how divergent references change correlations.

    A panel must have been scored with COVERING; all of its metrics are compared unless some are named.
    Without `label` the rating "entailed" is the label; if the data lacks it, there are no curves.
    """
    compared = parse_all(metrics)
    panel = as_panel(data, [*compared, COVERING], need_ratings=False, jobs=jobs)
    coverage = _measure_coverage(panel, systems, excluded)
    if label is None and LABEL not in panel.ratings:
        if humans:
            raise UsageError(f"{NO_LABEL}, which curves need; add that rating, 1 or 0, or give `label`")
        return DivergenceStudy(coverage, None, f"{NO_LABEL}, so there are no curves")
    label = label or LABEL
    names = _ratings_but_label(panel, humans, label)
    # Before systems are chosen, because one example with a label is enough for an item.
    items = _items_by_label(panel, label)
    panel = choose_systems(panel, systems, excluded)
    check_level(panel, level, DIVERGENCE_LEVELS)
    samples = _Samples(
        entailed=_item_indices(panel, label, items, 1),
        divergent=_item_indices(panel, label, items, 0),
        items=len(panel.items),
        points=len(panel.item_of),
        draws=draws,
    )
    numbers = [metric_number(panel, metric) for metric in compared or panel.result.metrics]
    shares = tuple(step / steps for step in range(steps + 1))
    scores = [panel.result.scores[number] for number in numbers]
    curves = DivergenceCurves(
        label=label,
        level=level,
        draws=draws,
        seed=seed,
        signatures={piece.metric: piece.signature for piece in scores},
        systems=panel.result.systems,
        entailed=len(samples.entailed),
        divergent=len(samples.divergent),
        sample=samples.size,
        humans=names,
        shares=shares,
        curves=_measure_curves(panel, numbers, names, level, samples, shares, seed),
    )
    return DivergenceStudy(coverage, curves)


def _measure_coverage(panel: Panel, systems: Sequence[str], excluded: Sequence[str]) -> Coverage:
    """The coverage of each item of a panel that was scored with COVERING.

    Of several references PARENT takes the one closest to the text, so an item's value is the mean over its
    texts; items that PARENT cannot score are left out.
    """
    panel = choose_systems(panel, systems, excluded)
    scores = panel.result.scores[metric_number(panel, COVERING)]
    covered = 1 - np.frombuffer(scores.parts["mix"])
    scored = ~np.isnan(covered)
    item_of = panel.item_of[scored]
    texts = np.bincount(item_of, minlength=len(panel.items))
    sums = np.bincount(item_of, weights=covered[scored], minlength=len(panel.items))
    return Coverage(sums[texts > 0] / texts[texts > 0], scores.signature, int((texts == 0).sum()))


def _ratings_but_label(panel: Panel, humans: Sequence[str], label: str) -> tuple[str, ...]:
    """The ratings asked for, or all but the label."""
    require_known("rating", [label], list(panel.ratings))
    names = choose_ratings(panel, humans)
    if label in humans:
        raise UsageError(f"{label!r} is the label and cannot be a rating too; drop one")
    rest = tuple(name for name in names if name != label)
    if not rest:
        raise UsageError(f"the data has no rating but the label {label!r}; add ratings of the texts")
    return rest


def _items_by_label(panel: Panel, label: str) -> dict[int, set[str]]:
    """The items whose label is 1, and those whose label is 0."""
    given = panel.ratings[label]
    odd = given[~np.isin(given, (0, 1)) & ~np.isnan(given)]
    if len(odd):
        raise DataError([Fault(label, None, f"is {odd[0]:g} in an example", "write 1 or 0")])
    items = {n: {panel.items[index] for index in panel.item_of[given == n].tolist()} for n in (1, 0)}
    both = [item for item in panel.items if item in items[0] and item in items[1]]
    if both:
        problem = f"is 1 and 0 in examples of item {both[0]!r}"
        raise DataError([Fault(label, None, problem, "give an item one label")])
    return items


def _item_indices(panel: Panel, label: str, items: Mapping[int, set[str]], number: int) -> Indices:
    """Indices of the panel's items that have this label."""
    indices = [index for index, item in enumerate(panel.items) if item in items[number]]
    if not indices:
        raise DataError([Fault(label, None, f"is {number} for no item", "label items of both kinds")])
    return np.array(indices, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Samples:
    """Items to draw from, with replacement; every sample has as many as there are of the rarer kind."""

    entailed: Indices
    divergent: Indices
    items: int
    points: int
    draws: int

    @property
    def size(self) -> int:
        return min(len(self.entailed), len(self.divergent))

    def draw(self, share: float, generator: np.random.Generator) -> Iterator[Column]:
        """How often each item is in each sample, in chunks of bounded size."""
        max_rows = max(1, WEIGHTS_AT_ONCE // max(self.items, self.points))
        number = round(share * self.size)
        for start in range(0, self.draws, max_rows):
            rows = min(max_rows, self.draws - start)
            weights = np.zeros((rows, self.items))
            for indices, size in ((self.entailed, number), (self.divergent, self.size - number)):
                chosen = indices[generator.integers(len(indices), size=(rows, size))]
                np.add.at(weights, (np.arange(rows)[:, None], chosen), 1)
            yield weights


class _CurveBuilder:
    """One metric and rating, and its correlations so far."""

    def __init__(self, panel: Panel, number: int, human: str, samples: _Samples, level: str) -> None:
        labelled = np.isin(panel.item_of, np.concatenate([samples.entailed, samples.divergent]))
        usable = usable_examples(panel, number, human) & labelled
        self._metric, self._human, self._level = panel.result.scores[number].metric, human, level
        self._points = choose_points(panel, number, usable, panel.ratings[human])
        self._left_out = int((~usable).sum())
        self._correlations: dict[float, list[Column]] = {}

    def add(self, share: float, weights: Column) -> None:
        correlations = pearson_at(self._level, self._points, weights)
        self._correlations.setdefault(share, []).append(correlations)

    def curve(self) -> Curve:
        reason = why_undefined(self._points, self._level) or "undefined in every sample"
        points = []
        for share, chunks in self._correlations.items():
            mean, low, high = interval(np.concatenate(chunks))
            points.append(CurvePoint(share, mean, low, high, reason if math.isnan(mean) else ""))
        return Curve(self._metric, self._human, tuple(points), self._left_out)


def _measure_curves(
    panel: Panel,
    numbers: Sequence[int],
    humans: Sequence[str],
    level: str,
    samples: _Samples,
    shares: Sequence[float],
    seed: int,
) -> tuple[Curve, ...]:
    """Correlate in every sample of every share; all metrics and ratings see the same samples."""
    builders = [_CurveBuilder(panel, number, human, samples, level) for human in humans for number in numbers]
    generator = np.random.default_rng(seed)
    for share in shares:
        for weights in samples.draw(share, generator):
            for builder in builders:
                builder.add(share, weights)
    return tuple(builder.curve() for builder in builders)
