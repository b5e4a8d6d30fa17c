"""The ledger, a language model as judge, and both: who is right, how far they agree, what it costs."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from factable.core.metric import Metric
from factable.core.registry import parse
from factable.core.results import Scores
from factable.core.signature import spec
from factable.errors import UsageError
from factable.metrics.ledger.metric import Ledger
from factable.metrics.ledger.second_opinion import load_judge, with_rules_of
from factable.models.llm.usage import Usage, track_usage
from factable.stats import Column, Mask
from factable.stats.agreement import AnnotatorLabels, agreement_draws
from factable.stats.bootstrap import Draws
from factable.study.panel import Estimate, Panel, StudyData, as_sources, choose_systems, estimate, score_panel
from factable.study.verdicts import VerdictStudy, study_verdicts

CONSTANT = "both give every text the same label"


@dataclass(frozen=True, slots=True)
class JudgeCost:
    """What one metric took: texts without a verdict, the share that a model was asked about, and its price.

    `tokens` and `cost` are of all answers, those from the cache included; so is `model_seconds`, the time
    that servers took. `own_seconds` is the time of this program besides, as it ran here.
    """

    metric: str
    texts: int
    unscored: int
    asked: float
    tokens: int
    cost: float
    model_seconds: float
    own_seconds: float


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """How often two metrics give the same label, OK or not, and Fleiss' kappa of that."""

    first: str
    second: str
    texts: int
    observed: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True)
class JudgeStudy:
    """The verdicts of each against people, what each took, and how far they agree."""

    verdicts: VerdictStudy
    costs: tuple[JudgeCost, ...]
    agreements: tuple[JudgeAgreement, ...]


def judge_metrics(judge: str | Metric, metric: str | Metric = "ledger") -> tuple[Metric, Metric, Metric]:
    """The ledger, the judge, and the ledger that asks the judge where it is in doubt."""
    asked = load_judge(judge if isinstance(judge, str) else spec(judge))
    own = parse(metric) if isinstance(metric, str) else metric
    if not isinstance(own, Ledger) or own.judge:
        raise UsageError(f"`metric` is {spec(own)}; give a ledger without a judge")
    return own, with_rules_of(asked, own), replace(own, judge=spec(asked))


def study_judges(
    data: StudyData | Callable[[Metric], Panel],
    metrics: Sequence[Metric],
    *,
    humans: Sequence[str] = (),
    thresholds: Sequence[float] = (),
    omission: Sequence[str] = (),
    hallucination: Sequence[str] = (),
    draws: int = 500,
    seed: int = 0,
    systems: Sequence[str] = (),
    excluded: Sequence[str] = (),
    jobs: int = 1,
) -> JudgeStudy:
    """Compare metrics that give verdicts, such as those of `judge_metrics`, with people and with each other.

    `data` is anything that studies take, or a function that scores it with one metric. What people think is
    given as in `study_verdicts`.
    """

    def score(metric: Metric) -> Panel:
        if callable(data):
            return data(metric)
        if isinstance(data, Panel):
            raise UsageError("`data` is scored already; give files or examples, so that time can be taken")
        return score_panel(as_sources(data), [metric], jobs=jobs)

    runs = [_timed(score, metric) for metric in metrics]
    first = runs[0][0]
    scores = tuple(panel.result.scores[0] for panel, _, _ in runs)
    joined = replace(first, result=replace(first.result, metrics=tuple(metrics), scores=scores))
    panel = choose_systems(joined, systems, excluded)
    return JudgeStudy(
        study_verdicts(
            panel,
            humans=humans,
            thresholds=thresholds,
            omission=omission,
            hallucination=hallucination,
            draws=draws,
            seed=seed,
        ),
        tuple(_cost(panel.result.scores[0], usage, seconds) for panel, usage, seconds in runs),
        tuple(
            _agreement(panel, one, other, draws, seed) for one, other in combinations(panel.result.scores, 2)
        ),
    )


def _timed(score: Callable[[Metric], Panel], metric: Metric) -> tuple[Panel, Usage, float]:
    started = time.perf_counter()
    with track_usage() as usage:
        panel = score(metric)
    return panel, usage, time.perf_counter() - started


def _cost(scores: Scores, usage: Usage, seconds: float) -> JudgeCost:
    texts = len(scores.values)
    unscored = int(np.isnan(np.frombuffer(scores.values)).sum())
    asked = scores.corpus_parts.get("asked", 1.0 if "agreement" in scores.parts else 0.0)
    return JudgeCost(
        metric=scores.metric,
        texts=texts,
        unscored=unscored,
        asked=asked,
        tokens=usage.tokens + usage.cached_tokens,
        cost=usage.cost + usage.cached_cost,
        model_seconds=usage.seconds + usage.cached_seconds,
        # Several answers may be written at a time.
        own_seconds=max(0.0, seconds - usage.seconds),
    )


def _agreement(panel: Panel, one: Scores, other: Scores, draws: int, seed: int) -> JudgeAgreement:
    both: Mask = ~(np.isnan(np.frombuffer(one.values)) | np.isnan(np.frombuffer(other.values)))
    labels = np.stack([np.frombuffer(each.parts["ok"])[both] > 0 for each in (one, other)], axis=1)
    texts = len(labels)
    if not texts:
        nothing = Estimate(float("nan"), reason="no text has both labels")
        return JudgeAgreement(one.metric, other.metric, 0, nothing, nothing)
    given = AnnotatorLabels(np.repeat(np.arange(texts), 2), labels.astype(np.int64).ravel(), None)
    item_of = panel.item_of[both]

    def compute(weights: Column) -> Mapping[str, Column]:
        statistics = agreement_draws(given, weights[:, item_of])
        return {name: statistics[name] for name in ("observed_agreement", "fleiss_kappa")}

    drawn = Draws(int(panel.item_of.max()) + 1, draws, seed, texts).apply(compute)
    return JudgeAgreement(
        one.metric,
        other.metric,
        texts,
        estimate(drawn["observed_agreement"]),
        estimate(drawn["fleiss_kappa"], CONSTANT),
    )
