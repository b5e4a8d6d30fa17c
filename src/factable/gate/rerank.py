"""Several texts of one item, ordered best first."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from factable.core.metric import Metric
from factable.core.registry import parse
from factable.core.results import Scores
from factable.core.schema import gives_labels, label_at
from factable.engine.collect import Listener
from factable.engine.score import score_files
from factable.errors import suggest_parameters
from factable.gate.policy import UNSCORED
from factable.io.read import Source, iter_examples
from factable.types import Example


class Ranked(NamedTuple):
    """One text: its position in the input, its rank among those of its item (1 is best), and its score.

    The score is NaN, and the rank behind all others, where it cannot be computed; the label is empty for
    metrics that give none.
    """

    position: int
    rank: int
    score: float
    label: str = ""


def rank_texts(
    examples: Sequence[Example],
    metric: Metric,
    *,
    best: int | None = None,
    jobs: int | None = None,
    engine: str = "local",
    resume: str | None = None,
    listener: Listener | None = None,
) -> list[Ranked]:
    """The texts of each item by score, items in input order; equal ones stay in input order."""
    # Candidates need no system of their own, but only one text of an item and a system can be scored.
    numbered = [replace(example, system=str(number)) for number, example in enumerate(examples)]
    result = score_files([numbered], [metric], jobs=jobs, engine=engine, resume=resume, listener=listener)
    scores = result.scores[0]
    sign = -1 if metric.higher_is_better else 1

    def order(index: int) -> tuple[bool, float]:
        score = scores.values[index]
        return (True, 0.0) if math.isnan(score) else (False, sign * score)

    positions_of: dict[str, list[int]] = {}
    for index, example in enumerate(examples):
        positions_of.setdefault(example.item, []).append(index)
    return [
        Ranked(index, rank, scores.values[index], _label(scores, index))
        for indices in positions_of.values()
        for rank, index in enumerate(sorted(indices, key=order)[:best], 1)
    ]


def _label(scores: Scores, index: int) -> str:
    return (label_at(scores, index) or UNSCORED) if gives_labels(scores) else ""


@suggest_parameters
def rerank(
    source: Source, metric: str | Metric = "ledger", *, best: int | None = None, jobs: int = 1
) -> list[Ranked]:
    """Order the texts of each item, best first; items are in input order.

    The source is a list of dicts or examples, a file or a data frame; texts for the same data have the same
    id. `best` keeps that many texts of each item.
    """
    chosen = parse(metric) if isinstance(metric, str) else metric
    return rank_texts(list(iter_examples(source)), chosen, best=best, jobs=jobs)
