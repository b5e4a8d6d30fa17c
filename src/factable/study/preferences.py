"""Do metrics prefer the texts that people prefer.

Thurstone scores and accuracy on pairs are those of Dhingra et al.: Handling Divergent Reference Texts when
Evaluating Table-to-Text Generation. ACL 2019.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from factable.io.preferences import Preferences
from factable.stats.bootstrap import Draws, group_means
from factable.stats.rows import pearson_rows
from factable.stats.significance import holm, mcnemar_p
from factable.stats.thurstone import thurstone_scores
from factable.study.ballots import Ballots, Contests, cast_ballots, count_wins, hold_contests
from factable.study.levels import Points, over_draws, sign_of, system_values
from factable.study.measured import Measured, summarize
from factable.study.panel import Column, Panel, choose_systems

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
        place_of = np.full(len(panel.items), -1)
        place_of[self._ballots.items] = np.arange(len(self._ballots.items))
        usable = (place_of[panel.item_of] >= 0) & ~np.isnan(values)
        return Points(
            metric=metric,
            values=sign_of(metric) * values[usable],
            rows=np.frombuffer(scores.stats).reshape(len(usable), -1)[usable],
            # People rate no text here, they compare texts.
            ratings=np.full(int(usable.sum()), np.nan),
            item_of=place_of[panel.item_of[usable]],
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
