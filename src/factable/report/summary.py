"""Means by system as a table of text, one per metric; terminal, Markdown and LaTeX show the same."""

import math
from dataclasses import dataclass

import numpy as np

from factable.metric import VALUE, Metric, corpus_of, pick
from factable.run.collect import Result
from factable.types import Scores

DIGITS = 4


@dataclass(frozen=True, slots=True)
class SummaryTable:
    """A table of text, such as the means of one metric; `best` has (row, column) of cells to be in bold."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    signature: str
    best: frozenset[tuple[int, int]] = frozenset()


def summarize(result: Result) -> list[SummaryTable]:
    """One table per metric."""
    system_of = np.frombuffer(result.system_of, dtype=np.uint32)
    groups = [(name or "(unnamed)", system_of == number) for number, name in enumerate(result.systems)]
    if len(groups) != 1:
        groups.append(("all", np.ones(len(system_of), dtype=bool)))
    tables = []
    for metric, scores in zip(result.metrics, result.scores, strict=True):
        rows = [(system, *_row(metric, pick(scores, members))) for system, members in groups]
        parts = (part.replace("_", " ") for part in metric.parts)
        header = ("system", metric.name, *parts, "n", "unscored")
        if all(row[-1] == "0" for row in rows):
            header, rows = header[:-1], [row[:-1] for row in rows]
        tables.append(SummaryTable(scores.metric, header, tuple(rows), scores.signature))
    return tables


def _row(metric: Metric, scores: Scores) -> list[str]:
    """Value, parts and numbers of examples of one system."""
    together = corpus_of(metric, scores.values, scores.parts, scores.stats)
    unscored = sum(map(math.isnan, scores.values))
    shown = [show_number(together[name]) for name in (VALUE, *metric.parts)]
    return [*shown, str(len(scores.values)), str(unscored)]


def show_number(value: float) -> str:
    """A value as people read it; a missing one is a dash."""
    return "–" if math.isnan(value) else f"{value:.{DIGITS}f}"
