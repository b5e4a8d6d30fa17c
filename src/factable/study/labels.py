"""Labels of texts: what people say (gold) and what a metric says, as numbers that index `LABELS`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factable.core.metric import Metric
from factable.core.results import Scores
from factable.core.signature import spec
from factable.errors import UsageError, printable
from factable.stats.bootstrap import Draws
from factable.stats.classification import (
    accuracy,
    balanced_accuracy,
    best_cut,
    count_by_item,
    cross_cuts,
    f1,
    precision,
    recall,
)
from factable.study.levels import Mask, sign_of
from factable.study.panel import Column, Indices, Measured, Panel, require_known, summarize

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
    numbers: Indices
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
    numbers: Indices
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
        remedy = "name ratings with `humans`, or labels with `omission` and `hallucination`"
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
    metric: Metric,
    scores: Scores,
    usable: Mask,
    gold: Gold,
    item_of: Indices,
    *,
    cut: float | None,
    seed: int,
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
    metric: Metric, turned: Column, fine: Mask, item_of: Indices, cut: float | None, seed: int
) -> tuple[Indices, Cut | None]:
    """Numbers of labels from values of which more is better, and the cut in the metric's own sense."""
    sign = sign_of(metric)
    if cut is not None:
        return (turned < sign * cut).astype(np.int64), Cut(cut)
    if not len(turned):
        return np.zeros(0, dtype=np.int64), None
    if item_of.min() == item_of.max():
        raise UsageError(
            f"1 item, but the cut of {metric.name} is chosen on others; add items or give `cuts`"
        )
    cuts = cross_cuts(turned, fine, item_of, folds=FOLDS, seed=seed)
    folds = tuple(float(sign * one) for one in np.unique(cuts))
    return (turned < cuts).astype(np.int64), Cut(sign * best_cut(turned, fine), folds)


def cuts_of(metrics: Sequence[Metric], given: Mapping[Metric, float]) -> dict[int, float]:
    """Given cuts by the number of the metric; refused for one that is not studied or needs none."""
    for metric in given:
        if metric not in metrics:
            raise UsageError(f"`cuts` names {spec(metric)}, which is not studied; add it with `metrics`")
        if says_itself(metric):
            raise UsageError(
                f"`cuts` names {metric.name}, which labels texts itself and takes no cut; drop it"
            )
    return {metrics.index(metric): value for metric, value in given.items()}


class Rates(NamedTuple):
    """How well one label is found."""

    precision: Measured
    recall: Measured
    f1: Measured


@dataclass(frozen=True, slots=True)
class Confusion:
    """Texts by gold label (rows) and the metric's label (columns), and what follows.

    Of two labels only the rates of "not OK" are given.
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    accuracy: Measured
    balanced_accuracy: Measured
    classes: Mapping[str, Rates]


@dataclass(frozen=True, slots=True)
class Group:
    """Some texts; `four_way` is None unless both people and the metric have four labels."""

    examples: int
    two_way: Confusion
    four_way: Confusion | None


def count_groups(
    gold: Indices, predicted: Indices, labels: tuple[str, ...], item_of: Indices, facts: Indices, draws: Draws
) -> tuple[Group, dict[int, Group]]:
    """All texts together, and those with each number of facts."""
    counts = {}
    for number in np.unique(facts).tolist():
        mine = facts == number
        items, index = np.unique(item_of[mine], return_inverse=True)
        counted = count_by_item(gold[mine], predicted[mine], index, items=len(items), classes=len(labels))
        counts[number] = items, counted
    shape = (-1, len(labels), len(labels))
    drawn = draws.apply(
        lambda weights: {
            str(number): (weights[:, items] @ counted).reshape(shape)
            for number, (items, counted) in counts.items()
        }
    )
    by_facts = {number: drawn[str(number)] for number in counts}
    whole = sum(by_facts.values(), np.zeros((draws.draws + 1, *shape[1:])))
    return _group(whole, labels), {number: _group(column, labels) for number, column in by_facts.items()}


def _group(confusions: Column, labels: tuple[str, ...]) -> Group:
    examples = int(confusions[0].sum())
    if labels != LABELS:
        return Group(examples, _confusion(confusions, TWO_LABELS), None)
    # All that is not OK becomes one label.
    collapsed = np.add.reduceat(np.add.reduceat(confusions, (0, 1), axis=1), (0, 1), axis=2)
    return Group(examples, _confusion(collapsed, TWO_LABELS), _confusion(confusions, LABELS))


def _confusion(confusions: Column, labels: tuple[str, ...]) -> Confusion:
    """What follows from the confusion matrices of all draws, of which the first is the data itself."""
    first = confusions[0].astype(int)
    absent = [label for label, count in zip(labels, first.sum(axis=1), strict=True) if not count]
    rated = labels if labels == LABELS else TWO_LABELS[1:]
    nothing = "" if first.any() else "no text has both labels"
    return Confusion(
        labels=labels,
        counts=tuple(map(tuple, first.tolist())),
        accuracy=summarize(accuracy(confusions), nothing),
        balanced_accuracy=summarize(
            balanced_accuracy(confusions), nothing or f"people call no text {', '.join(absent)}"
        ),
        classes={label: _rates(confusions, label, labels.index(label)) for label in rated},
    )


def _rates(confusions: Column, label: str, number: int) -> Rates:
    return Rates(
        summarize(precision(confusions, number), f"the metric calls no text {label}"),
        summarize(recall(confusions, number), f"people call no text {label}"),
        summarize(f1(confusions, number), f"neither people nor the metric call a text {label}"),
    )
