"""Figures of the papers beside our own."""

import math
from dataclasses import dataclass, field

from factable.study.panel import Estimate

NOT_PUBLISHED = "–"


@dataclass(slots=True)
class Comparison:
    """The cells of a published table that were measured here, and those that differ by more than they may."""

    table: str
    measured: int = 0
    far: list[str] = field(default_factory=list)

    def cells(
        self,
        name: str,
        number: Estimate | float,
        published: float | None,
        *,
        spread: float = 0.0,
        allowed: float = 0.0,
        digits: int = 3,
    ) -> list[str]:
        """Our number, with its standard deviation where it has one, and the published one beside it.

        Ours is bold where the two differ by more than the published spread or, where none is published, by
        more than `allowed`; half of the last digit published is always allowed.
        """
        estimate = number if isinstance(number, Estimate) else Estimate(number)
        value = estimate.value if math.isnan(estimate.mean) else estimate.mean
        shown = f"{value:.3f}"
        if not math.isnan(estimate.deviation):
            shown += f" ± {estimate.deviation:.2f}"
        if published is None:
            return [shown, NOT_PUBLISHED]
        self.measured += 1
        if abs(value - published) > (spread or allowed) + 0.5 * 10**-digits:
            self.far.append(name)
            shown = f"**{shown}**"
        return [shown, f"{published:.{digits}f}" + (f" ± {spread:.2f}" if spread else "")]

    def row(self, why: str) -> list[str]:
        """A row of a page's summary."""
        far = f"{len(self.far)}: {'; '.join(self.far)}" if self.far else "none"
        if self.far and len(self.far) == self.measured:
            far = "all"
        return [self.table, str(self.measured), far, why if self.far else ""]


SUMMARY = ("table", "cells measured and published", "differ by more than the published ±", "why")
