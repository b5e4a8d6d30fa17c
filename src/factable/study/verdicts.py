"""Metrics that say whether a text is right, against people who say so.

Dušek and Kasner: Evaluating Semantic Accuracy of Data-to-Text Generation with Natural Language Inference.
INLG 2020.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from factable.core.metric import Metric
from factable.errors import UsageError
from factable.stats.bootstrap import Draws, group_means
from factable.stats.correlation import pearson, spearman, why_undefined
from factable.stats.significance import holm, mcnemar_p
from factable.study.labels import (
    LABELS,
    TWO_LABELS,
    Cut,
    Gold,
    Group,
    Predicted,
    count_groups,
    cuts_of,
    gold_of_labels,
    gold_of_ratings,
    predict,
)
from factable.study.levels import Mask
from factable.study.panel import Column, Indices, Measured, Panel, choose_systems, summarize

TWO_WAY, FOUR_WAY = "two-way", "four-way"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one metric says against one gold; `correlations` are of its confidence with a rating."""

    metric: str
    gold: str
    left_out: int
    cut: Cut | None
    whole: Group
    by_facts: Mapping[int, Group]
    correlations: Mapping[str, Measured] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Difference:
    """Two metrics on the texts that both label: the difference of their accuracies, and McNemar's test.

    `only_better` and `only_worse` count texts that only one of them labels right.
    """

    gold: str
    ways: str
    better: str
    worse: str
    difference: Measured
    only_better: int
    only_worse: int
    p_mcnemar: float
    p_holm: float = math.nan


@dataclass(frozen=True, slots=True)
class VerdictStudy:
    """All verdicts and differences, and what they were made from."""

    draws: int
    seed: int
    signatures: Mapping[str, str]
    systems: tuple[str, ...]
    examples: int
    golds: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    differences: tuple[Difference, ...]


def study_verdicts(
    panel: Panel,
    *,
    humans: Sequence[str] = (),
    thresholds: Sequence[float] = (),
    omission: Sequence[str] = (),
    hallucination: Sequence[str] = (),
    cuts: Mapping[Metric, float] | None = None,
    draws: int = 500,
    seed: int = 0,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
) -> VerdictStudy:
    """Compare what metrics say of each text with ratings from a threshold on, or with labels."""
    panel = choose_systems(panel, systems, excluded)
    golds = _golds(panel, humans, thresholds, omission, hallucination)
    work = _Work(panel, cuts_of(panel.result.metrics, cuts or {}), draws, seed)
    return VerdictStudy(
        draws=draws,
        seed=seed,
        signatures={scores.metric: scores.signature for scores in panel.result.scores},
        systems=panel.result.systems,
        examples=len(panel.item_of),
        golds=tuple(gold.title for gold in golds),
        verdicts=tuple(verdict for gold in golds for verdict in work.verdicts(gold)),
        differences=tuple(one for gold in golds for one in work.differences(gold)),
    )


def _golds(
    panel: Panel,
    humans: Sequence[str],
    thresholds: Sequence[float],
    omission: Sequence[str],
    hallucination: Sequence[str],
) -> list[Gold]:
    if humans and (omission or hallucination):
        raise UsageError("`humans` names ratings, `omission` and `hallucination` name labels; give one kind")
    if thresholds and not humans:
        raise UsageError("`thresholds` applies to ratings; name them with `humans`")
    for threshold in thresholds:
        if not math.isfinite(threshold):
            raise UsageError(f"`thresholds` has {threshold}; give a finite number such as 2.5")
    if humans:
        return gold_of_ratings(panel, humans, thresholds)
    return [gold_of_labels(panel, omission, hallucination)]


class _Labelled(NamedTuple):
    """A metric's labels of the examples that it and people label."""

    usable: Mask
    predicted: Predicted


class _Work:
    """The study at hand; labels are kept for the differences."""

    def __init__(self, panel: Panel, cuts: Mapping[int, float], draws: int, seed: int) -> None:
        self._panel, self._cuts = panel, cuts
        self._draws = Draws(int(panel.item_of.max()) + 1, draws, seed)
        # Ranks are made anew for every text in every draw.
        self._wide_draws = Draws(self._draws.items, draws, seed, len(panel.item_of))
        self._known: dict[tuple[str, int], _Labelled] = {}

    def verdicts(self, gold: Gold) -> list[Verdict]:
        """Every metric."""
        return [self._verdict(number, gold) for number in range(len(self._panel.result.metrics))]

    def _verdict(self, number: int, gold: Gold) -> Verdict:
        panel = self._panel
        usable, predicted = self._label(number, gold)
        labels = LABELS if gold.labels == predicted.labels == LABELS else TWO_LABELS
        most = len(labels) - 1
        whole, by_facts = count_groups(
            np.minimum(gold.numbers[usable], most),
            np.minimum(predicted.numbers, most),
            labels,
            panel.item_of[usable],
            panel.facts[usable],
            self._draws,
        )
        return Verdict(
            metric=panel.result.scores[number].metric,
            gold=gold.title,
            left_out=int((~usable).sum()),
            cut=predicted.cut,
            whole=whole,
            by_facts=by_facts,
            correlations=self._correlations(usable, predicted.confidence, gold),
        )

    def _label(self, number: int, gold: Gold) -> _Labelled:
        key = gold.title, number
        if key not in self._known:
            result = self._panel.result
            metric, scores = result.metrics[number], result.scores[number]
            usable = gold.known & ~np.isnan(np.frombuffer(scores.values))
            cut, seed = self._cuts.get(number), self._draws.seed
            predicted = predict(metric, scores, usable, gold, self._panel.item_of, cut=cut, seed=seed)
            self._known[key] = _Labelled(usable, predicted)
        return self._known[key]

    def _correlations(self, usable: Mask, confidence: Column, gold: Gold) -> dict[str, Measured]:
        """Of the confidence with the rating, where there is one."""
        if gold.rating is None:
            return {}
        rating, item_of = gold.rating[usable], self._panel.item_of[usable]
        reason = why_undefined(confidence, rating)
        if reason:
            return dict.fromkeys(("pearson", "spearman"), Measured(math.nan, reason=reason))
        drawn = self._wide_draws.apply(
            lambda weights: {
                "pearson": pearson(confidence, rating, item_of, weights),
                "spearman": spearman(confidence, rating, item_of, weights),
            }
        )
        return {name: summarize(column) for name, column in drawn.items()}

    def differences(self, gold: Gold) -> list[Difference]:
        """Every pair of metrics: of two labels, and of four where both have four."""
        numbers = range(len(self._panel.result.metrics))
        four = [n for n in numbers if gold.labels == self._label(n, gold).predicted.labels == LABELS]
        return [*self._family(gold, TWO_WAY, numbers), *self._family(gold, FOUR_WAY, four)]

    def _family(self, gold: Gold, ways: str, numbers: Sequence[int]) -> list[Difference]:
        """Pairs whose p-values are corrected together."""
        found = [self._difference(gold, ways, first, second) for first, second in combinations(numbers, 2)]
        corrected = holm([one.p_mcnemar for one in found])
        return [replace(one, p_holm=p) for one, p in zip(found, corrected, strict=True)]

    def _difference(self, gold: Gold, ways: str, first: int, second: int) -> Difference:
        """Which of two metrics is right more often on the texts that both label."""
        both = self._label(first, gold).usable & self._label(second, gold).usable
        right = {number: self._right(gold, ways, number)[both] for number in (first, second)}
        if right[second].sum() > right[first].sum():
            first, second = second, first
        only_better, only_worse = (right[a] & ~right[b] for a, b in ((first, second), (second, first)))
        gain = only_better.astype(np.float64) - only_worse
        counts = int(only_better.sum()), int(only_worse.sum())
        return Difference(
            gold=gold.title,
            ways=ways,
            better=self._panel.result.scores[first].metric,
            worse=self._panel.result.scores[second].metric,
            difference=self._mean(gain, self._panel.item_of[both]),
            only_better=counts[0],
            only_worse=counts[1],
            p_mcnemar=mcnemar_p(*counts),
        )

    def _right(self, gold: Gold, ways: str, number: int) -> Mask:
        """Which labels of a metric are right; those of examples without one are meaningless."""
        usable, predicted = self._label(number, gold)
        labels = np.zeros(len(usable), dtype=np.int64)
        labels[usable] = predicted.numbers
        right: Mask = (labels > 0) == (gold.numbers > 0) if ways == TWO_WAY else labels == gold.numbers
        return right

    def _mean(self, column: Column, item_of: Indices) -> Measured:
        """The mean over texts in every draw of items."""
        together = np.zeros_like(item_of)
        drawn = self._draws.apply(
            lambda weights: {"": group_means(column, item_of, together, 1, weights)[:, 0]}
        )
        return summarize(drawn[""], "no text is labelled by both")
