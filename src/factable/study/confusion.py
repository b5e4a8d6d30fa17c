"""Right and wrong labels counted, in every draw of items, together and by number of facts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from factable.stats.bootstrap import Draws
from factable.stats.classification import (
    Labels,
    accuracy,
    balanced_accuracy,
    count_by_item,
    f1,
    precision,
    recall,
)
from factable.study.labels import LABELS, TWO_LABELS
from factable.study.measured import Measured, summarize
from factable.study.panel import Column, Places


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
    gold: Labels, predicted: Labels, labels: tuple[str, ...], item_of: Places, facts: Places, draws: Draws
) -> tuple[Group, dict[int, Group]]:
    """All texts together, and those with each number of facts."""
    counts = {}
    for number in np.unique(facts).tolist():
        mine = facts == number
        items, place = np.unique(item_of[mine], return_inverse=True)
        counted = count_by_item(gold[mine], predicted[mine], place, items=len(items), classes=len(labels))
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
