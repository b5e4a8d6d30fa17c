"""What metrics give: the Analysis of a list of examples, and Scores made from it."""

import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from factable.core.notebook import table_html
from factable.errors import MissingExtraError, UsageError
from factable.types import Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The name of the value among the results of `Metric.finish` and among corpus parts.
VALUE = "value"
MAX_ROWS_SHOWN = 10
Findings = tuple[Finding, ...]


def no_findings() -> Sequence[Findings]:
    """Findings of a metric that has none."""
    return ()


@dataclass(frozen=True, slots=True)
class Analysis:
    """One computation of a metric over a list of examples, in their order.

    `values` and each of `parts` hold a float per example; where that is NaN, `reasons` says by index why.
    Additive metrics leave in `stats` a row of numbers per example. `find` makes the findings of this same
    computation, one tuple per example; it is called only where somebody wants to see them.
    """

    values: "array[float]"
    parts: Mapping[str, "array[float]"] = field(default_factory=dict)
    reasons: Mapping[int, str] = field(default_factory=dict)
    stats: "array[float]" = field(default_factory=lambda: array("d"))
    find: Callable[[], Sequence[Findings]] = no_findings

    def findings(self, *, explain: bool) -> tuple[Findings, ...]:
        """For each example why it is not scored, if so, and where asked for all that is behind its value."""
        nothing: Findings = ()
        made = list(self.find()) if explain else []
        findings = made or [nothing] * len(self.values)
        for index, reason in self.reasons.items():
            findings[index] = (Finding("unscored", note=reason), *findings[index])
        return tuple(findings)


class ExampleScore(NamedTuple):
    """The score of one example."""

    item: str
    system: str
    value: float
    parts: Mapping[str, float]
    findings: Findings


@dataclass(frozen=True, slots=True, repr=False)
class Scores:
    """What one metric says about a list of examples, in input order; NaN where it cannot score.

    `values` and each of `parts` hold one float per example (compact arrays that NumPy reads without a copy);
    `corpus` and `corpus_parts` are those of all examples together; `findings` holds a tuple per example, in
    which a kind "unscored" explains each NaN. Additive metrics, whose corpus value is not a mean, leave in
    `stats` a row of numbers per example, one row after the other: sums of rows give the value of any set of
    examples. `items` and `systems` name the examples where they are known.
    """

    metric: str
    signature: str
    corpus: float
    values: "array[float]"
    parts: Mapping[str, "array[float]"]
    findings: tuple[Findings, ...]
    corpus_parts: Mapping[str, float] = field(default_factory=dict)
    stats: "array[float]" = field(default_factory=lambda: array("d"))
    items: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()

    def __repr__(self) -> str:
        unscored = sum(map(math.isnan, self.values))
        rest = f", {unscored} unscored" if unscored else ""
        return f"<Scores {self.metric} = {self.corpus:.4g} over {len(self.values)} examples{rest}>"

    def _repr_html_(self) -> str:
        """The corpus value and parts, and the first examples, for notebooks."""
        names = [VALUE, *self.parts]
        together = [self.corpus, *(self.corpus_parts.get(part, math.nan) for part in self.parts)]
        rows = [["all", *(f"{number:.4g}" for number in together)]]
        for each in self._first(MAX_ROWS_SHOWN):
            name = " · ".join(filter(None, (each.item, each.system)))
            rows.append([name, *(f"{number:.4g}" for number in (each.value, *each.parts.values()))])
        left = len(self) - len(rows) + 1
        more = f"<p>and {left} more</p>" if left else ""
        return f"<p><b>{escape(self.metric)}</b></p>{table_html(['', *names], rows)}{more}"

    def _first(self, number: int) -> list[ExampleScore]:
        return [self[index] for index in range(min(number, len(self)))]

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[ExampleScore]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, key: int | str | tuple[str, str]) -> ExampleScore:
        """One example: by position, by item, or by item and system."""
        index = key if isinstance(key, int) else self._find(key)
        if not -len(self) <= index < len(self):
            raise IndexError(f"no example {index}; there are {len(self)}")
        return ExampleScore(
            self.items[index] if self.items else "",
            self.systems[index] if self.systems else "",
            self.values[index],
            {name: part[index] for name, part in self.parts.items()},
            self.findings[index],
        )

    def _find(self, key: str | tuple[str, str]) -> int:
        item, system = (key, None) if isinstance(key, str) else key
        matches = [
            index
            for index, other in enumerate(self.items)
            if other == item and (system is None or self.systems[index] == system)
        ]
        if not matches:
            raise KeyError(key)
        if len(matches) > 1:
            raise KeyError(f"{item!r} has {len(matches)} systems; name one: scores[item, system]")
        return matches[0]

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """A data frame with a row per example: item, system, value and parts."""
        columns: dict[str, Any] = {}
        if self.items:
            columns |= {"item": list(self.items), "system": list(self.systems)}
        columns |= {VALUE: list(self.values), **{name: list(part) for name, part in self.parts.items()}}
        if library not in ("pandas", "polars"):
            raise UsageError(f"library is {library!r}; it must be pandas or polars")
        try:
            return import_module(library).DataFrame(columns)
        except ImportError:
            raise MissingExtraError("to_frame", library) from None


def mean_of_scored(values: Sequence[float]) -> float:
    """The mean without NaN, rounded once, so that it does not depend on order or shards; NaN of nothing."""
    total = math.fsum(values)
    if math.isnan(total):
        values = [value for value in values if not math.isnan(value)]
        total = math.fsum(values)
    return total / len(values) if values else math.nan


def pick(scores: Scores, kept: "NDArray[np.bool_] | Sequence[int]") -> Scores:
    """The values, parts, statistics and findings of some examples; corpus values stay those of all."""
    import numpy as np

    indices = np.arange(len(scores.values))[kept]
    width = len(scores.stats) // len(scores.values) if scores.values else 0

    def choose(column: "array[float]", size: int = 1) -> "array[float]":
        return array("d", np.frombuffer(column).reshape(-1, size)[indices].tobytes())

    return replace(
        scores,
        values=choose(scores.values),
        parts={name: choose(part) for name, part in scores.parts.items()},
        findings=tuple(scores.findings[index] for index in indices),
        stats=choose(scores.stats, width) if width else scores.stats,
        items=tuple(scores.items[index] for index in indices) if scores.items else (),
        systems=tuple(scores.systems[index] for index in indices) if scores.systems else (),
    )
