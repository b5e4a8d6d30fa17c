"""Metrics that say whether a text is right, against people who say so.

Dušek and Kasner: Evaluating Semantic Accuracy of Data-to-Text Generation with Natural Language Inference.
INLG 2020.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np

from factable.core.metric import Metric
from factable.core.registry import parse
from factable.core.results import Scores
from factable.core.signature import spec
from factable.errors import UsageError, printable
from factable.stats import Column, Indices, Mask
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
from factable.stats.correlation import pearson, spearman, why_no_correlation
from factable.stats.significance import mcnemar_p
from factable.study.levels import mean_in_draws, sign_of
from factable.study.panel import (
    Estimate,
    Panel,
    StudyData,
    as_panel,
    choose_systems,
    estimate,
    require_known,
    signatures_of,
    with_holm,
)
from factable.types import ERRORS

OMISSION, CONTRADICTION, HALLUCINATION = ERRORS
CONFIDENCE = "confidence"
# Indexed by label number: 1 for an omission, plus 2 for a hallucination.
LABELS = ("OK", OMISSION, HALLUCINATION, f"{OMISSION}+{HALLUCINATION}")
# Where all that is known is whether something is wrong.
TWO_LABELS = ("OK", "not OK")
TWO_WAY, FOUR_WAY = "two-way", "four-way"
# Dušek and Kasner (2020), for ratings from 1 to 3.
THRESHOLDS = (2.5, 2.0)
FOLDS = 5


class Cut(NamedTuple):
    """The value from which on a metric says OK: the one to use, and those of the folds if it was chosen."""

    value: float
    folds: tuple[float, ...] = ()


class LabelRates(NamedTuple):
    """How well one label is found."""

    precision: Estimate
    recall: Estimate
    f1: Estimate


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of texts by gold label (rows) and the metric's label (columns), and the rates.

    With two labels only the rates of "not OK" are given.
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    accuracy: Estimate
    balanced_accuracy: Estimate
    classes: Mapping[str, LabelRates]


@dataclass(frozen=True, slots=True)
class LabelledTexts:
    """All texts or some; `four_way` is None unless both people and the metric have four labels."""

    examples: int
    two_way: Confusion
    four_way: Confusion | None


class Disagreement(NamedTuple):
    """A text that people and a metric label differently."""

    item: str
    system: str
    people: str
    metric: str


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """One metric's labels against gold labels; `correlations` are of its confidence with a rating.

    `errors_with_facts` is Spearman's correlation of errors (two labels) with the number of facts.
    `disagreements` are by four labels, where both have them.
    """

    metric: str
    gold: str
    left_out: int
    cut: Cut | None
    all_texts: LabelledTexts
    by_facts: Mapping[int, LabelledTexts]
    errors_with_facts: Estimate
    disagreements: tuple[Disagreement, ...]
    correlations: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AccuracyDifference:
    """Two metrics on the texts that both label: the difference of their accuracies, and McNemar's test.

    `only_better` and `only_worse` count texts that only one of them labels right.
    """

    gold: str
    ways: str
    better: str
    worse: str
    difference: Estimate
    only_better: int
    only_worse: int
    p_mcnemar: float
    p_holm: float = math.nan


@dataclass(frozen=True, slots=True)
class VerdictStudy:
    """Agreements of labels and differences between metrics, and the settings they were computed with."""

    draws: int
    seed: int
    signatures: Mapping[str, str]
    systems: tuple[str, ...]
    examples: int
    golds: tuple[str, ...]
    agreements: tuple[LabelAgreement, ...]
    differences: tuple[AccuracyDifference, ...]


def study_verdicts(
    data: StudyData,
    metrics: Iterable[str | Metric] = (),
    *,
    humans: Sequence[str] = (),
    thresholds: Sequence[float] = (),
    omission: Sequence[str] = (),
    hallucination: Sequence[str] = (),
    cuts: Mapping[str | Metric, float] | None = None,
    draws: int = 500,
    seed: int = 0,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
    jobs: int = 1,
) -> VerdictStudy:
    """Compare the labels that metrics give to texts with those that people give.

    People's labels come from ratings (`humans`): a text is OK from each of the `thresholds` on. Or they are
    in the data: ratings named by `omission` and `hallucination`, above 0 where that is wrong with a text. A
    metric that gives numbers says OK from its cut on: one of `cuts`, or chosen by cross-validation.
    """
    panel = choose_systems(as_panel(data, metrics, jobs=jobs), systems, excluded)
    golds = _gold_labels(panel, humans, thresholds, omission, hallucination)
    analysis = _LabelAnalysis(panel, _check_cuts(panel.result.metrics, cuts or {}), draws, seed)
    return VerdictStudy(
        draws=draws,
        seed=seed,
        signatures=signatures_of(panel),
        systems=panel.result.systems,
        examples=len(panel.item_of),
        golds=tuple(gold.title for gold in golds),
        agreements=tuple(agreement for gold in golds for agreement in analysis.agreements(gold)),
        differences=tuple(difference for gold in golds for difference in analysis.differences(gold)),
    )


@dataclass(frozen=True, slots=True)
class _GoldLabels:
    """People's labels as numbers of `labels`; those of examples without one are meaningless and not `known`.

    `rating` is the rating that a threshold was applied to, or None where the labels were given.
    """

    title: str
    labels: tuple[str, ...]
    numbers: Indices
    known: Mask
    rating: Column | None = None


@dataclass(frozen=True, slots=True)
class _MetricLabels:
    """A metric's labels of the usable examples; `confidence` is how sure it is that a text is OK."""

    usable: Mask
    labels: tuple[str, ...]
    numbers: Indices
    confidence: Column
    cut: Cut | None = None


def _gold_labels(
    panel: Panel,
    humans: Sequence[str],
    thresholds: Sequence[float],
    omission: Sequence[str],
    hallucination: Sequence[str],
) -> list[_GoldLabels]:
    if humans and (omission or hallucination):
        raise UsageError("`humans` names ratings, `omission` and `hallucination` name labels; give one kind")
    if thresholds and not humans:
        raise UsageError("`thresholds` applies to ratings; name them with `humans`")
    for threshold in thresholds:
        if not math.isfinite(threshold):
            raise UsageError(f"`thresholds` has {threshold}; give a finite number such as 2.5")
    if humans:
        return _gold_of_ratings(panel, humans, thresholds)
    return [_gold_of_labels(panel, omission, hallucination)]


def _gold_of_ratings(panel: Panel, humans: Sequence[str], thresholds: Sequence[float]) -> list[_GoldLabels]:
    """A text is OK if its rating is at least the threshold."""
    require_known("rating", humans, list(panel.ratings))
    golds = []
    for human in dict.fromkeys(humans):
        rating = panel.ratings[human]
        for threshold in dict.fromkeys(thresholds or THRESHOLDS):
            numbers = (rating < threshold).astype(np.int64)
            title = f"{human} >= {threshold:g}"
            golds.append(_GoldLabels(title, TWO_LABELS, numbers, ~np.isnan(rating), rating))
    return golds


def _gold_of_labels(panel: Panel, omission: Sequence[str], hallucination: Sequence[str]) -> _GoldLabels:
    """A text has an omission if any of those ratings is above 0, and a hallucination likewise."""
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
    return _GoldLabels(title, LABELS, any_above[0] + 2 * any_above[1], known_all)


def gives_labels(metric: Metric) -> bool:
    """Whether a metric says what is wrong, in parts that are above 0 where it is; others give numbers."""
    return OMISSION in metric.parts and HALLUCINATION in metric.parts


def _check_cuts(metrics: Sequence[Metric], cuts: Mapping[str | Metric, float]) -> dict[int, float]:
    """The cuts by the number of the metric; refused for one that is not studied or needs none."""
    parsed = {parse(metric) if isinstance(metric, str) else metric: cut for metric, cut in cuts.items()}
    for metric in parsed:
        if metric not in metrics:
            raise UsageError(f"`cuts` names {spec(metric)}, which is not studied; add it with `metrics`")
        if gives_labels(metric):
            raise UsageError(f"`cuts` names {metric.name}, which gives labels and takes no cut; drop it")
    return {metrics.index(metric): cut for metric, cut in parsed.items()}


def _label_texts(
    metric: Metric, scores: Scores, gold: _GoldLabels, item_of: Indices, *, cut: float | None, seed: int
) -> _MetricLabels:
    """A metric's labels of the examples that it and people label."""
    usable = gold.known & ~np.isnan(np.frombuffer(scores.values))
    confidence = sign_of(metric) * np.frombuffer(scores.values)[usable]
    if gives_labels(metric):
        parts = {name: np.frombuffer(part)[usable] for name, part in scores.parts.items()}
        # A wrong value in place of a right one is both in the four labels of the papers.
        wrong = parts.get(CONTRADICTION, np.zeros_like(confidence)) > 0
        numbers = ((parts[OMISSION] > 0) | wrong) + 2 * ((parts[HALLUCINATION] > 0) | wrong)
        return _MetricLabels(usable, LABELS, numbers.astype(np.int64), parts.get(CONFIDENCE, confidence))
    numbers, chosen = _cut(metric, confidence, gold.numbers[usable] == 0, item_of[usable], cut, seed)
    return _MetricLabels(usable, TWO_LABELS, numbers, confidence, chosen)


def _cut(
    metric: Metric, confidence: Column, is_ok: Mask, item_of: Indices, cut: float | None, seed: int
) -> tuple[Indices, Cut | None]:
    """Label numbers from values of which more is better, and the cut in the metric's own direction.

    A cut that is not given is chosen for each text on the items of other folds.
    """
    sign = sign_of(metric)
    if cut is not None:
        return (confidence < sign * cut).astype(np.int64), Cut(cut)
    if not len(confidence):
        return np.zeros(0, dtype=np.int64), None
    if item_of.min() == item_of.max():
        problem = f"1 item, but the cut of {metric.name} is chosen on others"
        raise UsageError(f"{problem}; add items or give `cuts`")
    cuts = cross_cuts(confidence, is_ok, item_of, folds=FOLDS, seed=seed)
    folds = tuple(float(sign * value) for value in np.unique(cuts))
    return (confidence < cuts).astype(np.int64), Cut(sign * best_cut(confidence, is_ok), folds)


class _LabelAnalysis:
    """Labels of all metrics; they are kept for the differences."""

    def __init__(self, panel: Panel, cuts: Mapping[int, float], draws: int, seed: int) -> None:
        self._panel, self._cuts = panel, cuts
        self._draws = Draws(int(panel.item_of.max()) + 1, draws, seed)
        # Ranks are computed for every text in every draw.
        self._wide_draws = Draws(self._draws.items, draws, seed, len(panel.item_of))
        self._cache: dict[tuple[str, int], _MetricLabels] = {}

    def agreements(self, gold: _GoldLabels) -> list[LabelAgreement]:
        """Every metric against the gold labels."""
        return [self._agreement(number, gold) for number in range(len(self._panel.result.metrics))]

    def _agreement(self, number: int, gold: _GoldLabels) -> LabelAgreement:
        panel, predicted = self._panel, self._label(number, gold)
        usable = predicted.usable
        labels = LABELS if gold.labels == predicted.labels == LABELS else TWO_LABELS
        people, said = (
            np.minimum(numbers, len(labels) - 1) for numbers in (gold.numbers[usable], predicted.numbers)
        )
        all_texts, by_facts = _count_texts(
            people, said, labels, panel.item_of[usable], panel.facts[usable], self._draws
        )
        return LabelAgreement(
            metric=panel.result.scores[number].metric,
            gold=gold.title,
            left_out=int((~usable).sum()),
            cut=predicted.cut,
            all_texts=all_texts,
            by_facts=by_facts,
            errors_with_facts=self._errors_with_facts((people > 0) != (said > 0), usable),
            disagreements=tuple(self._disagreements(people, said, labels, usable)),
            correlations=self._correlations(predicted, gold),
        )

    def _errors_with_facts(self, wrong: Mask, usable: Mask) -> Estimate:
        errors, facts = wrong.astype(np.float64), self._panel.facts[usable].astype(np.float64)
        reason = why_no_correlation(errors, facts)
        if reason:
            return Estimate(math.nan, reason=reason)
        item_of = self._panel.item_of[usable]
        return estimate(self._wide_draws.apply_one(lambda weights: spearman(errors, facts, item_of, weights)))

    def _disagreements(
        self, people: Indices, said: Indices, labels: Sequence[str], usable: Mask
    ) -> Iterator[Disagreement]:
        panel, texts = self._panel, np.flatnonzero(usable)
        for index in np.flatnonzero(people != said):
            text = texts[index]
            item, system = panel.items[panel.item_of[text]], panel.result.systems[panel.system_of[text]]
            yield Disagreement(item, system, labels[people[index]], labels[said[index]])

    def _label(self, number: int, gold: _GoldLabels) -> _MetricLabels:
        key = gold.title, number
        if key not in self._cache:
            result = self._panel.result
            self._cache[key] = _label_texts(
                result.metrics[number],
                result.scores[number],
                gold,
                self._panel.item_of,
                cut=self._cuts.get(number),
                seed=self._draws.seed,
            )
        return self._cache[key]

    def _correlations(self, predicted: _MetricLabels, gold: _GoldLabels) -> dict[str, Estimate]:
        """Of the confidence with the rating, where there is one."""
        if gold.rating is None:
            return {}
        confidence = predicted.confidence
        rating, item_of = gold.rating[predicted.usable], self._panel.item_of[predicted.usable]
        reason = why_no_correlation(confidence, rating)
        if reason:
            return dict.fromkeys(("pearson", "spearman"), Estimate(math.nan, reason=reason))
        drawn = self._wide_draws.apply(
            lambda weights: {
                "pearson": pearson(confidence, rating, item_of, weights),
                "spearman": spearman(confidence, rating, item_of, weights),
            }
        )
        return {name: estimate(column) for name, column in drawn.items()}

    def differences(self, gold: _GoldLabels) -> list[AccuracyDifference]:
        """Every pair of metrics with two labels, and with four where both have four."""
        numbers = range(len(self._panel.result.metrics))
        four = [n for n in numbers if gold.labels == self._label(n, gold).labels == LABELS]
        return [*self._family(gold, TWO_WAY, numbers), *self._family(gold, FOUR_WAY, four)]

    def _family(self, gold: _GoldLabels, ways: str, numbers: Sequence[int]) -> list[AccuracyDifference]:
        """Pairs whose p-values are corrected together."""
        pairs = [self._difference(gold, ways, *pair) for pair in combinations(numbers, 2)]
        return with_holm(pairs, [pair.p_mcnemar for pair in pairs])

    def _difference(self, gold: _GoldLabels, ways: str, first: int, second: int) -> AccuracyDifference:
        """Which of two metrics is right more often on the texts that both label."""
        both = self._label(first, gold).usable & self._label(second, gold).usable
        right = {number: self._right(gold, ways, number)[both] for number in (first, second)}
        if right[second].sum() > right[first].sum():
            first, second = second, first
        only_better, only_worse = (right[a] & ~right[b] for a, b in ((first, second), (second, first)))
        gain = only_better.astype(np.float64) - only_worse
        drawn = mean_in_draws(gain, self._panel.item_of[both], self._draws)
        counts = int(only_better.sum()), int(only_worse.sum())
        return AccuracyDifference(
            gold=gold.title,
            ways=ways,
            better=self._panel.result.scores[first].metric,
            worse=self._panel.result.scores[second].metric,
            difference=estimate(drawn, "no text is labelled by both"),
            only_better=counts[0],
            only_worse=counts[1],
            p_mcnemar=mcnemar_p(*counts),
        )

    def _right(self, gold: _GoldLabels, ways: str, number: int) -> Mask:
        """Which labels of a metric are right; those of examples without one are meaningless."""
        predicted = self._label(number, gold)
        labels = np.zeros(len(predicted.usable), dtype=np.int64)
        labels[predicted.usable] = predicted.numbers
        right: Mask = (labels > 0) == (gold.numbers > 0) if ways == TWO_WAY else labels == gold.numbers
        return right


def _count_texts(
    gold: Indices, predicted: Indices, labels: tuple[str, ...], item_of: Indices, facts: Indices, draws: Draws
) -> tuple[LabelledTexts, dict[int, LabelledTexts]]:
    """All texts together, and those with each number of facts."""
    counts = {}
    for number in np.unique(facts).tolist():
        members = facts == number
        items, index = np.unique(item_of[members], return_inverse=True)
        by_item = count_by_item(
            gold[members], predicted[members], index, items=len(items), classes=len(labels)
        )
        counts[number] = items, by_item
    shape = (-1, len(labels), len(labels))
    drawn = draws.apply(
        lambda weights: {
            str(number): (weights[:, items] @ by_item).reshape(shape)
            for number, (items, by_item) in counts.items()
        }
    )
    by_facts = {number: drawn[str(number)] for number in counts}
    total = sum(by_facts.values(), np.zeros((draws.draws + 1, *shape[1:])))
    return _labelled_texts(total, labels), {n: _labelled_texts(part, labels) for n, part in by_facts.items()}


def _labelled_texts(confusions: Column, labels: tuple[str, ...]) -> LabelledTexts:
    examples = int(confusions[0].sum())
    if labels != LABELS:
        return LabelledTexts(examples, _confusion(confusions, TWO_LABELS), None)
    # Every label but OK becomes "not OK".
    collapsed = np.add.reduceat(np.add.reduceat(confusions, (0, 1), axis=1), (0, 1), axis=2)
    return LabelledTexts(examples, _confusion(collapsed, TWO_LABELS), _confusion(confusions, LABELS))


def _confusion(confusions: Column, labels: tuple[str, ...]) -> Confusion:
    """The rates of the confusion matrices of all draws, of which the first is the data itself."""
    first = confusions[0].astype(int)
    absent = [label for label, count in zip(labels, first.sum(axis=1), strict=True) if not count]
    rated = labels if labels == LABELS else TWO_LABELS[1:]
    no_texts = "" if first.any() else "no text has both labels"
    return Confusion(
        labels=labels,
        counts=tuple(map(tuple, first.tolist())),
        accuracy=estimate(accuracy(confusions), no_texts),
        balanced_accuracy=estimate(
            balanced_accuracy(confusions), no_texts or f"people call no text {', '.join(absent)}"
        ),
        classes={label: _rates(confusions, label, labels.index(label)) for label in rated},
    )


def _rates(confusions: Column, label: str, number: int) -> LabelRates:
    return LabelRates(
        estimate(precision(confusions, number), f"the metric calls no text {label}"),
        estimate(recall(confusions, number), f"people call no text {label}"),
        estimate(f1(confusions, number), f"neither people nor the metric call a text {label}"),
    )
