"""Labels of texts: what people say (gold) and what a metric says, as numbers that index `LABELS`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factable.errors import UsageError, printable
from factable.metric import Metric
from factable.signature import spec
from factable.stats.classification import best_cut, cross_cuts
from factable.study.levels import Mask, sign_of
from factable.study.panel import Column, Panel, Places, require_known
from factable.types import Scores

OMISSION, HALLUCINATION, CONFIDENCE = "omission", "hallucination", "confidence"
# By their numbers: 1 for an omission, plus 2 for a hallucination.
LABELS = ("OK", OMISSION, HALLUCINATION, f"{OMISSION}+{HALLUCINATION}")
# Where all that is known is whether something is wrong.
TWO_LABELS = ("OK", "not OK")
# Dušek and Kasner (2020), for ratings from 1 to 3.
THRESHOLDS = (2.5, 2.0)
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Gold:
    """What people say: numbers of `labels`, those of examples without one meaningless and not `known`.

    `rating` is what a threshold was laid on, or None where the labels were given.
    """

    title: str
    labels: tuple[str, ...]
    numbers: Places
    known: Mask
    rating: Column | None = None


class Cut(NamedTuple):
    """The value from which on a metric says OK: one to use, and those of the folds, if it was not given."""

    value: float
    folds: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Predicted:
    """What a metric says, in the same form; `confidence` is how sure it is that a text is OK."""

    labels: tuple[str, ...]
    numbers: Places
    confidence: Column
    cut: Cut | None = None


def gold_of_ratings(panel: Panel, humans: Sequence[str], thresholds: Sequence[float]) -> list[Gold]:
    """A text is OK if its rating is at least the threshold."""
    require_known("rating", humans, list(panel.ratings))
    found = []
    for human in dict.fromkeys(humans):
        rating = panel.ratings[human]
        for threshold in dict.fromkeys(thresholds or THRESHOLDS):
            numbers = (rating < threshold).astype(np.int64)
            found.append(Gold(f"{human} >= {threshold:g}", TWO_LABELS, numbers, ~np.isnan(rating), rating))
    return found


def gold_of_labels(panel: Panel, omission: Sequence[str], hallucination: Sequence[str]) -> Gold:
    """A text has an omission if any of those dimensions is above 0, and a hallucination likewise."""
    omission, hallucination = omission or (OMISSION,), hallucination or (HALLUCINATION,)
    missing = [name for name in (*omission, *hallucination) if name not in panel.ratings]
    if missing:
        known = printable(", ".join(panel.ratings))
        remedy = "give --human DIM for ratings, or --omission DIM and --hallucination DIM for labels"
        raise UsageError(f"no rating {missing[0]!r} among {known}; {remedy}")
    columns = {name: panel.ratings[name] for name in (*omission, *hallucination)}
    any_above = [
        np.any([columns[name] > 0 for name in names], axis=0).astype(np.int64)
        for names in (omission, hallucination)
    ]
    known_all: Mask = ~np.any([np.isnan(column) for column in columns.values()], axis=0)
    title = f"{'/'.join(omission)} and {'/'.join(hallucination)}"
    return Gold(title, LABELS, any_above[0] + 2 * any_above[1], known_all)


def says_itself(metric: Metric) -> bool:
    """Whether a metric says what is wrong, in parts that are above 0 where it is; others are numbers."""
    return OMISSION in metric.parts and HALLUCINATION in metric.parts


def predict(
    metric: Metric, scores: Scores, usable: Mask, gold: Gold, item_of: Places, *, cut: float | None, seed: int
) -> Predicted:
    """The labels of the usable examples; a number becomes one by a cut that is given, or chosen by folds."""
    values = np.frombuffer(scores.values)[usable]
    parts = {name: np.frombuffer(part)[usable] for name, part in scores.parts.items()}
    if says_itself(metric):
        numbers = (parts[OMISSION] > 0) + 2 * (parts[HALLUCINATION] > 0)
        return Predicted(LABELS, numbers.astype(np.int64), parts.get(CONFIDENCE, sign_of(metric) * values))
    turned = sign_of(metric) * values
    numbers, found = _cut_numbers(metric, turned, gold.numbers[usable] == 0, item_of[usable], cut, seed)
    return Predicted(TWO_LABELS, numbers, turned, found)


def _cut_numbers(
    metric: Metric, turned: Column, fine: Mask, item_of: Places, cut: float | None, seed: int
) -> tuple[Places, Cut | None]:
    """Numbers of labels from values of which more is better, and the cut in the metric's own sense."""
    sign = sign_of(metric)
    if cut is not None:
        return (turned < sign * cut).astype(np.int64), Cut(cut)
    if not len(turned):
        return np.zeros(0, dtype=np.int64), None
    if item_of.min() == item_of.max():
        raise UsageError(f"1 item, but the cut of {metric.name} is chosen on others; add items or give --cut")
    cuts = cross_cuts(turned, fine, item_of, folds=FOLDS, seed=seed)
    folds = tuple(float(sign * one) for one in np.unique(cuts))
    return (turned < cuts).astype(np.int64), Cut(sign * best_cut(turned, fine), folds)


def cuts_of(metrics: Sequence[Metric], given: Mapping[Metric, float]) -> dict[int, float]:
    """Given cuts by the number of the metric; refused for one that is not studied or needs none."""
    for metric in given:
        if metric not in metrics:
            raise UsageError(f"--cut names {spec(metric)}, which is not studied; add it with -m")
        if says_itself(metric):
            raise UsageError(f"{metric.name} says itself what is wrong and takes no cut; drop --cut")
    return {metrics.index(metric): value for metric, value in given.items()}
