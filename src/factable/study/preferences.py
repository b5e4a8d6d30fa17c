"""Whether metrics prefer the texts that people prefer.

Thurstone scores and accuracy on pairs are those of Dhingra et al.: Handling Divergent Reference Texts when
Evaluating Table-to-Text Generation. ACL 2019.
"""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from factable.core.metric import Metric
from factable.errors import Fault, UsageError
from factable.io.judgements import Preferences, check_texts, read_preferences
from factable.stats import Column, Indices
from factable.stats.bootstrap import Draws
from factable.stats.correlation import pearson_rows
from factable.stats.significance import mcnemar_p
from factable.stats.thurstone import thurstone_scores
from factable.study.levels import (
    MIN_SYSTEMS,
    Points,
    choose_points,
    mean_in_draws,
    over_draws,
    sign_of,
    system_values,
)
from factable.study.panel import (
    Estimate,
    Panel,
    StudyData,
    as_panel,
    choose_systems,
    estimate,
    signatures_of,
    with_holm,
)


@dataclass(frozen=True, slots=True)
class SystemScore:
    """What people think of a system: its Thurstone score, and how many of its comparisons it won and tied."""

    system: str
    score: Estimate
    compared: int
    won: int
    tied: int


@dataclass(frozen=True, slots=True)
class PreferenceAgreement:
    """How far a metric prefers what people prefer.

    `accuracy` is over the pairs of texts that people decide and the metric scores; `pearson` is between the
    metric of systems and their Thurstone scores. `tied` pairs have equal values; `unscored` are left out.
    """

    metric: str
    accuracy: Estimate
    pearson: Estimate
    pairs: int
    tied: int
    unscored: int


@dataclass(frozen=True, slots=True)
class PreferenceDifference:
    """McNemar's test on the pairs that two metrics and people decide.

    `only_better` and `only_worse` count pairs on which only one metric is right.
    """

    better: str
    worse: str
    pairs: int
    only_better: int
    only_worse: int
    p_mcnemar: float
    p_holm: float = math.nan
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PreferenceStudy:
    """Scores of systems, metrics against people and each other, and the settings they were computed with.

    `pairs` are pairs of texts, of which `undecided` have no text that most people chose. `skipped` says what
    is wrong with preferences that were skipped.
    """

    draws: int
    seed: int
    signatures: Mapping[str, str]
    items: int
    preferences: int
    pairs: int
    undecided: int
    systems: tuple[SystemScore, ...]
    agreements: tuple[PreferenceAgreement, ...]
    differences: tuple[PreferenceDifference, ...]
    skipped: tuple[Fault, ...] = ()
    alpha: float = 0.05


def study_preferences(
    data: StudyData,
    preferences: Preferences | str | os.PathLike[str],
    metrics: Iterable[str | Metric] = (),
    *,
    draws: int = 500,
    seed: int = 0,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
    alpha: float = 0.05,
    skip_bad: bool = False,
    jobs: int = 1,
) -> PreferenceStudy:
    """Score systems by preferences, which may be a file, and measure how far each metric agrees.

    Differences with p below `alpha` are shown as significant. `skip_bad` skips preferences between texts that
    are not in the data, instead of refusing them.
    """
    if not isinstance(preferences, Preferences):
        preferences = read_preferences(preferences, skip_bad=skip_bad)
    panel = as_panel(data, metrics, need_ratings=False, jobs=jobs)
    preferences = check_texts(preferences, _systems_of_items(panel), skip_bad=skip_bad)
    panel = choose_systems(panel, systems, excluded)
    votes = _count_votes(panel, preferences)
    analysis = _PreferenceAnalysis(panel, votes, draws, seed)
    numbers = range(len(panel.result.metrics))
    differences = [analysis.difference(*pair) for pair in combinations(numbers, 2)]
    return PreferenceStudy(
        draws=draws,
        seed=seed,
        signatures=signatures_of(panel),
        items=len(votes.items),
        preferences=len(votes.choice),
        pairs=len(analysis.pairs.winner),
        undecided=int((analysis.pairs.winner == 0).sum()),
        systems=tuple(analysis.system(number) for number in range(len(panel.result.systems))),
        agreements=tuple(analysis.agreement(number) for number in numbers),
        differences=tuple(with_holm(differences, [difference.p_mcnemar for difference in differences])),
        skipped=preferences.skipped,
        alpha=alpha,
    )


class _Votes(NamedTuple):
    """Votes of people: `choice` is 1 for the first system, -1 for the second, 0 for neither.

    `item_of` counts the items that have votes, which `items` gives as indices into the panel's.
    """

    items: Indices
    item_of: Indices
    first: Indices
    second: Indices
    choice: Indices


class _TextPairs(NamedTuple):
    """Pairs of texts that people compared: indices of the examples, and 1, -1 or 0 for which one won."""

    item_of: Indices
    first: Indices
    second: Indices
    winner: Indices


def _systems_of_items(panel: Panel) -> Mapping[str, set[str]]:
    """Which systems have a text for each item."""
    systems_of: dict[str, set[str]] = {item: set() for item in panel.items}
    for item, system in zip(panel.item_of.tolist(), panel.system_of.tolist(), strict=True):
        systems_of[panel.items[item]].add(panel.result.systems[system])
    return systems_of


def _count_votes(panel: Panel, preferences: Preferences) -> _Votes:
    """The votes on systems of the panel, which may have fewer than the preferences."""
    item_number = {item: number for number, item in enumerate(panel.items)}
    system_number = {system: number for number, system in enumerate(panel.result.systems)}
    votes = [
        (
            item_number[row.item],
            *(system_number[system] for system in row.systems),
            0 if row.winner is None else 1 if row.winner == row.systems[0] else -1,
        )
        for row in preferences.rows
        if all(system in system_number for system in row.systems)
    ]
    if not votes:
        raise UsageError("no preference is between the systems that are left; exclude fewer")
    item, first, second, choice = np.array(votes, dtype=np.int64).T
    items, item_of = np.unique(item, return_inverse=True)
    return _Votes(items, item_of.astype(np.int64), first, second, choice)


def _count_wins(votes: _Votes, systems: int) -> Column:
    """How often one system beats another (items x systems x systems); a tie is half a win for each."""
    wins = np.zeros((len(votes.items), systems, systems))
    share = (1 + votes.choice) / 2
    np.add.at(wins, (votes.item_of, votes.first, votes.second), share)
    np.add.at(wins, (votes.item_of, votes.second, votes.first), 1 - share)
    return wins


def _pair_texts(panel: Panel, votes: _Votes) -> _TextPairs:
    """Every two texts that were compared, in either order, with the decision of most people.

    A text wins if more people chose it than chose the other, and than saw no difference.
    """
    turned = votes.first > votes.second
    first = np.where(turned, votes.second, votes.first)
    second = np.where(turned, votes.first, votes.second)
    choice = np.where(turned, -votes.choice, votes.choice)
    pairs, pair_of = np.unique(np.stack([votes.item_of, first, second], axis=1), axis=0, return_inverse=True)
    counts = np.zeros((len(pairs), 3), dtype=np.int64)
    np.add.at(counts, (pair_of.ravel(), choice + 1), 1)
    winner = np.zeros(len(pairs), dtype=np.int64)
    for index, sign in ((0, -1), (2, 1)):
        winner[counts[:, index] > np.delete(counts, index, axis=1).max(axis=1)] = sign
    example_at = np.full((len(panel.items), len(panel.result.systems)), -1)
    example_at[panel.item_of, panel.system_of] = np.arange(len(panel.item_of))
    item_of, first, second = pairs.T
    panel_item = votes.items[item_of]
    return _TextPairs(item_of, example_at[panel_item, first], example_at[panel_item, second], winner)


class _PreferenceAnalysis:
    """Votes, pairs of texts, and the Thurstone scores of systems (draws x systems)."""

    def __init__(self, panel: Panel, votes: _Votes, draws: int, seed: int) -> None:
        self._panel, self._votes = panel, votes
        self._systems = len(panel.result.systems)
        self._draws = Draws(len(votes.items), draws, seed, self._systems**2)
        self._scores = self._score_systems()
        self.pairs: _TextPairs = _pair_texts(panel, votes)

    def _score_systems(self) -> Column:
        """Scores of the systems that are in a preference; NaN for the others."""
        wins = _count_wins(self._votes, self._systems)
        present = np.unique([self._votes.first, self._votes.second])
        flat = wins[:, present][:, :, present].reshape(len(wins), -1)
        shape = (-1, len(present), len(present))
        drawn = self._draws.apply_one(lambda weights: thurstone_scores((weights @ flat).reshape(shape)))
        scores = np.full((len(drawn), self._systems), np.nan)
        scores[:, present] = drawn
        return scores

    def system(self, number: int) -> SystemScore:
        """What people think of one system."""
        votes = self._votes
        choices = np.concatenate([votes.choice[votes.first == number], -votes.choice[votes.second == number]])
        reason = "no preference is about it"
        if len(choices):
            reason = "preferences leave groups of systems that are never compared with each other"
        return SystemScore(
            system=self._panel.result.systems[number],
            score=estimate(self._scores[:, number], reason),
            compared=len(choices),
            won=int((choices > 0).sum()),
            tied=int((choices == 0).sum()),
        )

    def agreement(self, number: int) -> PreferenceAgreement:
        """How far one metric agrees."""
        gaps, decided = self._gaps(number), self.pairs.winner != 0
        scored = decided & ~np.isnan(gaps)
        # 1 where the metric prefers the text that people chose, 0 the other, one half where it sees a tie.
        right = (np.sign(gaps[scored]) * self.pairs.winner[scored] + 1) / 2
        drawn = mean_in_draws(right, self.pairs.item_of[scored], self._draws)
        return PreferenceAgreement(
            metric=self._panel.result.scores[number].metric,
            accuracy=estimate(drawn, "no pair of texts is decided by people and scored by the metric"),
            pearson=self._pearson(number),
            pairs=int(scored.sum()),
            tied=int((gaps[scored] == 0).sum()),
            unscored=int((decided & ~scored).sum()),
        )

    def _gaps(self, number: int) -> Column:
        """By how much the metric finds the first text of each pair better."""
        values = np.frombuffer(self._panel.result.scores[number].values)
        gaps: Column = values[self.pairs.first] - values[self.pairs.second]
        return sign_of(self._panel.result.metrics[number]) * gaps

    def _pearson(self, number: int) -> Estimate:
        """Between the metric of systems, over all their texts of compared items, and the scores."""
        values = over_draws(system_values, self._points(number), self._draws)
        present = ~(np.isnan(values) | np.isnan(self._scores))
        enough = present.sum(axis=1) >= MIN_SYSTEMS
        correlations = np.where(enough, pearson_rows(values, self._scores, present), np.nan)
        return estimate(correlations, _why_no_pearson(values[0], self._scores[0], bool(enough[0])))

    def _points(self, number: int) -> Points:
        """The examples of compared items that the metric scores."""
        panel = self._panel
        values = np.frombuffer(panel.result.scores[number].values)
        position_of = np.full(len(panel.items), -1)
        position_of[self._votes.items] = np.arange(len(self._votes.items))
        usable = (position_of[panel.item_of] >= 0) & ~np.isnan(values)
        # Here people compare texts and rate none.
        points = choose_points(panel, number, usable, np.full(len(usable), np.nan))
        return points._replace(item_of=position_of[points.item_of])

    def difference(self, first: int, second: int) -> PreferenceDifference:
        """McNemar's test of two metrics."""
        signs = [np.sign(self._gaps(number)) * self.pairs.winner for number in (first, second)]
        # Neither a tie (0) nor NaN is a decision.
        both = (np.abs(signs[0]) == 1) & (np.abs(signs[1]) == 1)
        right = [sign[both] > 0 for sign in signs]
        only = [int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())]
        names = [self._panel.result.scores[number].metric for number in (first, second)]
        if only[1] > only[0]:
            names, only = names[::-1], only[::-1]
        pairs = int(both.sum())
        p, reason = (mcnemar_p(*only), "") if pairs else (math.nan, "no pair is decided by both metrics")
        return PreferenceDifference(names[0], names[1], pairs, only[0], only[1], p, reason=reason)


def _why_no_pearson(values: Column, scores: Column, enough: bool) -> str:
    """Why a metric has no correlation with the scores, if it has none."""
    if np.isnan(scores).all():
        return "systems have no scores"
    if not enough:
        return f"fewer than {MIN_SYSTEMS} systems have a score and a value of the metric"
    constant = np.nanmin(values) == np.nanmax(values)
    return "all values of the metric are equal" if constant else "all systems have the same score"
