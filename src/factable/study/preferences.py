"""Do metrics prefer the texts that people prefer.

Thurstone scores and accuracy on pairs are those of Dhingra et al.: Handling Divergent Reference Texts when
Evaluating Table-to-Text Generation. ACL 2019.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from factable.errors import UsageError
from factable.io.judgements import Preferences
from factable.stats.bootstrap import Draws, group_means
from factable.stats.correlation import pearson_rows
from factable.stats.significance import holm, mcnemar_p
from factable.stats.thurstone import thurstone_scores
from factable.study.levels import Points, over_draws, sign_of, system_values
from factable.study.panel import Column, Indices, Measured, Panel, choose_systems, summarize


class Ballots(NamedTuple):
    """Votes of people: `choice` is 1 for the first system, -1 for the second, 0 for neither.

    `item_of` counts the items that have votes, which `items` gives as places in the panel.
    """

    items: Indices
    item_of: Indices
    first: Indices
    second: Indices
    choice: Indices


class Contests(NamedTuple):
    """Two texts of one item that people compared: places of the examples, and 1, -1 or 0 for who won."""

    item_of: Indices
    first: Indices
    second: Indices
    winner: Indices


def systems_of_items(panel: Panel) -> Mapping[str, set[str]]:
    """Which systems have a text for each item."""
    found: dict[str, set[str]] = {item: set() for item in panel.items}
    for item, system in zip(panel.item_of.tolist(), panel.system_of.tolist(), strict=True):
        found[panel.items[item]].add(panel.result.systems[system])
    return found


def cast_ballots(panel: Panel, preferences: Preferences) -> Ballots:
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
    return Ballots(items, item_of.astype(np.int64), first, second, choice)


def count_wins(ballots: Ballots, systems: int) -> Column:
    """How often one system beats another (items x systems x systems); a tie is half a win for each."""
    wins = np.zeros((len(ballots.items), systems, systems))
    share = (1 + ballots.choice) / 2
    np.add.at(wins, (ballots.item_of, ballots.first, ballots.second), share)
    np.add.at(wins, (ballots.item_of, ballots.second, ballots.first), 1 - share)
    return wins


def hold_contests(panel: Panel, ballots: Ballots) -> Contests:
    """Every two texts that were compared, in which order ever, with what most people said.

    A text wins if more people chose it than chose the other, and than saw no difference.
    """
    turned = ballots.first > ballots.second
    first = np.where(turned, ballots.second, ballots.first)
    second = np.where(turned, ballots.first, ballots.second)
    choice = np.where(turned, -ballots.choice, ballots.choice)
    pairs, pair_of = np.unique(
        np.stack([ballots.item_of, first, second], axis=1), axis=0, return_inverse=True
    )
    votes = np.zeros((len(pairs), 3), dtype=np.int64)
    np.add.at(votes, (pair_of.ravel(), choice + 1), 1)
    winner = np.zeros(len(pairs), dtype=np.int64)
    for index, sign in ((0, -1), (2, 1)):
        winner[votes[:, index] > np.delete(votes, index, axis=1).max(axis=1)] = sign
    example_at = np.full((len(panel.items), len(panel.result.systems)), -1)
    example_at[panel.item_of, panel.system_of] = np.arange(len(panel.item_of))
    item_of, first, second = pairs.T
    whole_item = ballots.items[item_of]
    return Contests(item_of, example_at[whole_item, first], example_at[whole_item, second], winner)


FEWEST_SYSTEMS = 3


@dataclass(frozen=True, slots=True)
class SystemScore:
    """What people think of a system: its Thurstone score, and how many of its comparisons it won and tied."""

    system: str
    score: Measured
    compared: int
    won: int
    tied: int


@dataclass(frozen=True, slots=True)
class Preferred:
    """How far a metric prefers what people prefer.

    `accuracy` is over the pairs of texts that people decide and the metric scores; `pearson` is between the
    metric of systems and their Thurstone scores. `tied` pairs have equal values; `unscored` are left out.
    """

    metric: str
    accuracy: Measured
    pearson: Measured
    pairs: int
    tied: int
    unscored: int


@dataclass(frozen=True, slots=True)
class Contrast:
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
    """Scores of systems, metrics against people and each other, and what they were made from.

    `pairs` are pairs of texts; of them `undecided` have no text that most people chose.
    """

    draws: int
    seed: int
    signatures: Mapping[str, str]
    items: int
    preferences: int
    pairs: int
    undecided: int
    systems: tuple[SystemScore, ...]
    metrics: tuple[Preferred, ...]
    contrasts: tuple[Contrast, ...]


def study(
    panel: Panel,
    preferences: Preferences,
    *,
    draws: int = 500,
    seed: int = 0,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
) -> PreferenceStudy:
    """Score systems by preferences, and see how far each metric agrees."""
    panel = choose_systems(panel, systems, excluded)
    ballots = cast_ballots(panel, preferences)
    work = _Work(panel, ballots, draws, seed)
    numbers = range(len(panel.result.metrics))
    return PreferenceStudy(
        draws=draws,
        seed=seed,
        signatures={scores.metric: scores.signature for scores in panel.result.scores},
        items=len(ballots.items),
        preferences=len(ballots.choice),
        pairs=len(work.contests.winner),
        undecided=int((work.contests.winner == 0).sum()),
        systems=tuple(work.system(number) for number in range(len(panel.result.systems))),
        metrics=tuple(work.metric(number) for number in numbers),
        contrasts=_correct([work.contrast(*pair) for pair in combinations(numbers, 2)]),
    )


def _correct(contrasts: Sequence[Contrast]) -> tuple[Contrast, ...]:
    adjusted = holm([one.p_mcnemar for one in contrasts])
    return tuple(replace(one, p_holm=p) for one, p in zip(contrasts, adjusted, strict=True))


class _Work:
    """The study at hand: votes, contests, and the Thurstone scores (draws x systems)."""

    def __init__(self, panel: Panel, ballots: Ballots, draws: int, seed: int) -> None:
        self._panel, self._ballots = panel, ballots
        self._systems = len(panel.result.systems)
        self._draws = Draws(len(ballots.items), draws, seed, self._systems**2)
        self._scores = self._scale()
        self.contests: Contests = hold_contests(panel, ballots)

    def _scale(self) -> Column:
        """Scores of the systems that are in a preference; NaN for the others."""
        wins = count_wins(self._ballots, self._systems)
        present = np.unique([self._ballots.first, self._ballots.second])
        flat = wins[:, present][:, :, present].reshape(len(wins), -1)
        shape = (-1, len(present), len(present))
        found = self._draws.apply(lambda weights: {"": thurstone_scores((weights @ flat).reshape(shape))})[""]
        scores = np.full((len(found), self._systems), np.nan)
        scores[:, present] = found
        return scores

    def system(self, number: int) -> SystemScore:
        """What people think of one system."""
        ballots = self._ballots
        choices = np.concatenate(
            [ballots.choice[ballots.first == number], -ballots.choice[ballots.second == number]]
        )
        reason = "no preference is about it"
        if len(choices):
            reason = "preferences leave groups of systems that are never compared with each other"
        return SystemScore(
            system=self._panel.result.systems[number],
            score=summarize(self._scores[:, number], reason),
            compared=len(choices),
            won=int((choices > 0).sum()),
            tied=int((choices == 0).sum()),
        )

    def metric(self, number: int) -> Preferred:
        """How far one metric agrees."""
        apart, decided = self._apart(number), self.contests.winner != 0
        scored = decided & ~np.isnan(apart)
        # 1 for the winner that people chose, 0 for the other, one half where the metric sees none.
        right = (np.sign(apart[scored]) * self.contests.winner[scored] + 1) / 2
        item_of = self.contests.item_of[scored]
        together = np.zeros_like(item_of)
        drawn = self._draws.apply(
            lambda weights: {"": group_means(right, item_of, together, 1, weights)[:, 0]}
        )
        reason = "no pair of texts is decided by people and scored by the metric"
        return Preferred(
            metric=self._panel.result.scores[number].metric,
            accuracy=summarize(drawn[""], reason),
            pearson=self._pearson(number),
            pairs=int(scored.sum()),
            tied=int((apart[scored] == 0).sum()),
            unscored=int((decided & ~scored).sum()),
        )

    def _apart(self, number: int) -> Column:
        """By how much the metric finds the first text of each contest better."""
        values = np.frombuffer(self._panel.result.scores[number].values)
        apart: Column = values[self.contests.first] - values[self.contests.second]
        return sign_of(self._panel.result.metrics[number]) * apart

    def _pearson(self, number: int) -> Measured:
        """Between the metric of systems, over all their texts of compared items, and the scores."""
        values = over_draws(system_values, self._points(number), self._draws)
        there = ~(np.isnan(values) | np.isnan(self._scores))
        enough = there.sum(axis=1) >= FEWEST_SYSTEMS
        found = np.where(enough, pearson_rows(values, self._scores, there), np.nan)
        return summarize(found, _why_no_pearson(values[0], self._scores[0], bool(enough[0])))

    def _points(self, number: int) -> Points:
        """The examples of compared items that the metric scores."""
        panel, metric = self._panel, self._panel.result.metrics[number]
        scores = panel.result.scores[number]
        values = np.frombuffer(scores.values)
        position_of = np.full(len(panel.items), -1)
        position_of[self._ballots.items] = np.arange(len(self._ballots.items))
        usable = (position_of[panel.item_of] >= 0) & ~np.isnan(values)
        return Points(
            metric=metric,
            values=sign_of(metric) * values[usable],
            rows=np.frombuffer(scores.stats).reshape(len(usable), -1)[usable],
            # People rate no text here, they compare texts.
            ratings=np.full(int(usable.sum()), np.nan),
            item_of=position_of[panel.item_of[usable]],
            system_of=panel.system_of[usable],
            systems=self._systems,
        )

    def contrast(self, first: int, second: int) -> Contrast:
        """McNemar's test of two metrics."""
        signs = [np.sign(self._apart(number)) * self.contests.winner for number in (first, second)]
        # Neither a tie (0) nor NaN is a decision.
        both = (np.abs(signs[0]) == 1) & (np.abs(signs[1]) == 1)
        right = [sign[both] > 0 for sign in signs]
        only = [int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())]
        names = [self._panel.result.scores[number].metric for number in (first, second)]
        if only[1] > only[0]:
            names, only = names[::-1], only[::-1]
        pairs = int(both.sum())
        p, reason = (mcnemar_p(*only), "") if pairs else (math.nan, "no pair is decided by both metrics")
        return Contrast(names[0], names[1], pairs, only[0], only[1], p, reason=reason)


def _why_no_pearson(values: Column, scores: Column, enough: bool) -> str:
    """Why a metric has no correlation with the scores, if it has none."""
    if np.isnan(scores).all():
        return "systems have no scores"
    if not enough:
        return f"fewer than {FEWEST_SYSTEMS} systems have a score and a value of the metric"
    constant = np.nanmin(values) == np.nanmax(values)
    return "all values of the metric are equal" if constant else "all systems have the same score"
