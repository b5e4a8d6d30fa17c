"""Means by system as a table of text, one per metric; terminal, Markdown and LaTeX show the same."""

import math
from dataclasses import dataclass

import numpy as np

from factable.metric import mean_of_scored
from factable.run.collect import Result

DIGITS = 4


@dataclass(frozen=True, slots=True)
class SummaryTable:
    """The means of one metric: a row per system, and one for all where there are several."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    signature: str


def summarize(result: Result) -> list[SummaryTable]:
    """One table per metric."""
    system_of = np.frombuffer(result.system_of, dtype=np.uint32)
    groups = [(name or "(unnamed)", system_of == number) for number, name in enumerate(result.systems)]
    if len(groups) != 1:
        groups.append(("all", np.ones(len(system_of), dtype=bool)))
    tables = []
    for scores in result.scores:
        columns = [np.frombuffer(column) for column in (scores.values, *scores.parts.values())]
        name = scores.metric.split("(")[0]
        rows = []
        for system, members in groups:
            picked = [column[members] for column in columns]
            unscored = int(np.isnan(picked[0]).sum())
            means = [show_number(mean_of_scored(column.tolist())) for column in picked]
            rows.append((system, *means, str(len(picked[0])), str(unscored)))
        header = ("system", name, *(part.replace("_", " ") for part in scores.parts), "n", "unscored")
        tables.append(SummaryTable(scores.metric, header, tuple(rows), scores.signature))
    return tables


def show_number(value: float) -> str:
    """A value as people read it; a missing one is a dash."""
    return "–" if math.isnan(value) else f"{value:.{DIGITS}f}"
