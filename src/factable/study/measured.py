"""A number that a study measures."""

import math
from dataclasses import dataclass

from factable.stats.bootstrap import interval
from factable.study.panel import Column


@dataclass(frozen=True, slots=True)
class Measured:
    """A number, its bootstrap mean and 95 % interval; NaN has a reason."""

    value: float
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    reason: str = ""


def summarize(draws: Column, reason: str = "") -> Measured:
    """The first draw is the data itself; the others make mean and interval. The reason is for NaN."""
    value = float(draws[0])
    return Measured(value, *interval(draws[1:]), reason=reason if math.isnan(value) else "")
