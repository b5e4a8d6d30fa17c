"""What references that differ from the data do to metrics (Dhingra et al. 2019, section 5.5).

An item is entailed where its references say nothing but what the data says, and divergent otherwise; a
dimension of the ratings, 1 or 0, says which. Samples with more and more entailed items show how far a metric
depends on good references.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from factable.core.metric import Metric
from factable.errors import DataError, Fault, UsageError
from factable.metrics.parent.metric import Parent
from factable.stats.bootstrap import WEIGHTS_AT_ONCE, interval
from factable.study.levels import choose_points, pearson_at, usable_examples, why_undefined
from factable.study.panel import Column, Indices, Panel, choose_dimensions, choose_systems
from factable.study.ratings import check_systems

LABEL = "entailed"
LEVELS = ("system", "example")


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
class Divergence:
    """A curve per metric and rating, and what they were made from.

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


def measure_divergence(
    panel: Panel,
    compared: Sequence[Metric],
    *,
    humans: Sequence[str] = (),
    label: str = LABEL,
    level: str = "system",
    steps: int = 10,
    draws: int = 500,
    seed: int = 0,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
) -> Divergence:
    """Correlate metrics of the panel with ratings in samples with 0 to 100 % of entailed items."""
    names = _other_dimensions(panel, humans, label)
    # Before systems are chosen, because one example with a label is enough for an item.
    items = _items_by_label(panel, label)
    panel = choose_systems(panel, systems, excluded)
    check_systems(panel, level)
    entailed, divergent = (_indices(panel, label, items, number) for number in (1, 0))
    samples = _Samples(entailed, divergent, len(panel.items), len(panel.item_of), draws)
    indices = [panel.result.metrics.index(metric) for metric in compared]
    work = [_Work(panel, index, name, samples, level) for name in names for index in indices]
    shares = tuple(step / steps for step in range(steps + 1))
    _fill(work, samples, shares, seed)
    return Divergence(
        label=label,
        level=level,
        draws=draws,
        seed=seed,
        signatures={panel.result.scores[n].metric: panel.result.scores[n].signature for n in indices},
        systems=panel.result.systems,
        entailed=len(entailed),
        divergent=len(divergent),
        sample=samples.size,
        humans=names,
        shares=shares,
        curves=tuple(one.curve() for one in work),
    )


def _other_dimensions(panel: Panel, humans: Sequence[str], label: str) -> tuple[str, ...]:
    """The ratings asked for, or all but the label."""
    names = choose_dimensions(panel, humans)
    if humans and label in humans:
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
    found = {n: {panel.items[index] for index in panel.item_of[given == n].tolist()} for n in (1, 0)}
    both = [item for item in panel.items if item in found[0] and item in found[1]]
    if both:
        what = f"is 1 and 0 in examples of item {both[0]!r}"
        raise DataError([Fault(label, None, what, "give an item one label")])
    return found


def _indices(panel: Panel, label: str, items: Mapping[int, set[str]], number: int) -> Indices:
    """Where items with this label are among those of the panel."""
    found = [index for index, item in enumerate(panel.items) if item in items[number]]
    if not found:
        raise DataError([Fault(label, None, f"is {number} for no item", "label items of both kinds")])
    return np.array(found, dtype=np.int64)


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
        """How often each item is in each sample, as many samples at once as memory should hold."""
        most = max(1, WEIGHTS_AT_ONCE // max(self.items, self.points))
        number = round(share * self.size)
        for start in range(0, self.draws, most):
            rows = min(most, self.draws - start)
            weights = np.zeros((rows, self.items))
            for indices, size in ((self.entailed, number), (self.divergent, self.size - number)):
                chosen = indices[generator.integers(len(indices), size=(rows, size))]
                np.add.at(weights, (np.arange(rows)[:, None], chosen), 1)
            yield weights


class _Work:
    """One metric and rating, and its correlations so far."""

    def __init__(self, panel: Panel, index: int, human: str, samples: _Samples, level: str) -> None:
        labelled = np.isin(panel.item_of, np.concatenate([samples.entailed, samples.divergent]))
        usable = usable_examples(panel, index, human) & labelled
        self._metric, self._human, self._level = panel.result.scores[index].metric, human, level
        self._points = choose_points(panel, index, human, usable)
        self._left_out = int((~usable).sum())
        self._found: dict[float, list[Column]] = {}

    def add(self, share: float, weights: Column) -> None:
        self._found.setdefault(share, []).append(pearson_at(self._level, self._points, weights))

    def curve(self) -> Curve:
        reason = why_undefined(self._points, self._level) or "undefined in every sample"
        points = []
        for share, pieces in self._found.items():
            mean, low, high = interval(np.concatenate(pieces))
            points.append(CurvePoint(share, mean, low, high, reason if math.isnan(mean) else ""))
        return Curve(self._metric, self._human, tuple(points), self._left_out)


def _fill(work: Sequence[_Work], samples: _Samples, shares: Sequence[float], seed: int) -> None:
    """Correlate in every sample of every share; all metrics and ratings see the same samples."""
    generator = np.random.default_rng(seed)
    for share in shares:
        for weights in samples.draw(share, generator):
            for one in work:
                one.add(share, weights)


# Its part `mix` is lambda: 1 less the mean share of each record's words that the reference has.
COVERING = Parent()


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of the data that the references have, one value per item."""

    values: Column
    signature: str
    items_left_out: int


def measure_coverage(panel: Panel, *, systems: Sequence[str] = (), excluded: Sequence[str] = ()) -> Coverage:
    """The coverage of each item of a panel that was scored with COVERING.

    Of several references PARENT takes the one closest to the text, so an item's value is the mean over its
    texts; items that PARENT cannot score are left out.
    """
    panel = choose_systems(panel, systems, excluded)
    scores = panel.result.scores[panel.result.metrics.index(COVERING)]
    covered = 1 - np.frombuffer(scores.parts["mix"])
    scored = ~np.isnan(covered)
    item_of = panel.item_of[scored]
    texts = np.bincount(item_of, minlength=len(panel.items))
    sums = np.bincount(item_of, weights=covered[scored], minlength=len(panel.items))
    return Coverage(sums[texts > 0] / texts[texts > 0], scores.signature, int((texts == 0).sum()))
