"""What a metric is, and how its values become Scores."""

import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeGuard

from factable.core.signature import sign, spec
from factable.types import Example, Finding, Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Field = Literal["table", "references"]
ShardBy = Literal["example", "item", "corpus"]
# The name of the value among corpus parts.
VALUE = "value"


class Metric(Protocol):
    """A small frozen dataclass: a name and keyword parameters, no results, weights or cache.

    `score` never makes findings other than the reasons of unscored examples, so that bulk scoring stays fast;
    `explain` makes them, one tuple per example. Two methods are optional and add to the signature:
    `checksums()` gives checksums of the files and models behind the numbers, by the parameter that names
    the file or by a name of its own; `pieces()` gives further pieces, such as the signature of a library.
    An optional class variable `slow = True` asks for small units of work; `always_explains = True` says that
    `score` makes all findings itself.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    higher_is_better: ClassVar[bool]

    # The next four are class variables, or properties where they follow from parameters.
    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest value."""
        ...

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of what a value is made of."""
        ...

    @property
    def shard_by(self) -> ShardBy:
        """What must be scored together: nothing ("example"), the examples of an item, or all."""
        ...

    @property
    def needs(self) -> frozenset[Field]:
        """What an example must have besides its text."""
        ...

    def score(self, examples: Sequence[Example]) -> Scores:
        """One value per example, in order; NaN with a reason where an example cannot be scored."""
        ...

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Which facts and which words are behind each value."""
        ...


class AdditiveMetric(Metric, Protocol):
    """A metric whose corpus value comes from summed statistics and is no mean of its values.

    It passes its rows to `make_scores` as `stats`; bootstrap, significance tests and shards sum those rows
    and never read a text again. Rows of unscored examples are there, and left out of sums. An optional
    `finish_rows(totals)` takes many rows of sums and gives their values, which makes studies faster.
    """

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """The corpus value (under "value") and every part, from column sums of the statistics."""
        ...


class CorpusMetric(Metric, Protocol):
    """A metric that has to know all examples before it can score one, and learns of them piece by piece.

    Pieces of the corpus are surveyed anywhere, what is learnt from all surveys goes to wherever examples are
    scored, and then no example needs the others. All is given by position. A metric with `shard_by` "corpus"
    that has no `survey` is given all examples at once. An optional `load_state(parallel_map)` gives what is
    known without any survey, where `shard_by` is "example".
    """

    def survey(self, examples: Sequence[Example]) -> Any:
        """What there is to know of a piece of the corpus; it travels between processes."""
        ...

    def add(self, survey: Any, more: Any) -> Any:
        """The survey of two consecutive pieces as one; the first may be changed for it."""
        ...

    def learn(self, survey: Any, parallel_map: Callable[..., Iterator[Any]] = map) -> Any:
        """What to know when scoring, given the survey of all; `parallel_map`, like `map`, in many places."""
        ...

    def score(self, examples: Sequence[Example], known: Any = None) -> Scores:
        """As any metric; without `known` the examples given are the corpus."""
        ...

    def explain(self, examples: Sequence[Example], known: Any = None) -> tuple[tuple[Finding, ...], ...]:
        """As any metric; without `known` the examples given are the corpus."""
        ...


def learns_by_survey(metric: Metric) -> TypeGuard[CorpusMetric]:
    """Whether a metric that depends on all examples can be told of them beforehand."""
    return metric.shard_by == "corpus" and hasattr(metric, "survey")


def missing_fields(metric: Metric, example: Example) -> list[str]:
    """What the metric needs and the example lacks, in words."""
    lacks = []
    if "table" in metric.needs and not example.table.records:
        lacks.append("records in its data")
    if "references" in metric.needs and not any(map(str.strip, example.references)):
        lacks.append("references")
    return lacks


def make_scores(
    metric: Metric,
    examples: Sequence[Example],
    values: "array[float]",
    parts: Mapping[str, "array[float]"],
    reasons: Mapping[int, str],
    stats: "array[float] | None" = None,
) -> Scores:
    """Scores of a list of examples; `reasons` explains each NaN by index."""
    nothing: tuple[Finding, ...] = ()
    findings = [nothing] * len(values)
    for index, reason in reasons.items():
        findings[index] = (Finding("unscored", note=reason),)
    signature = sign(metric, references=reference_range(metric, examples), unscored=len(reasons))
    stats = array("d") if stats is None else stats
    return _assemble(metric, signature, values, parts, findings, stats)


def _assemble(
    metric: Metric,
    signature: str,
    values: "array[float]",
    parts: Mapping[str, "array[float]"],
    findings: Sequence[tuple[Finding, ...]],
    stats: "array[float]",
) -> Scores:
    together = corpus_of(metric, values, parts, stats)
    corpus = together.pop(VALUE)
    return Scores(spec(metric), signature, corpus, values, parts, tuple(findings), together, stats)


def corpus_of(
    metric: Metric, values: Sequence[float], parts: Mapping[str, Sequence[float]], stats: Sequence[float]
) -> dict[str, float]:
    """Value (under VALUE) and parts of all these examples together: means, or what summed statistics give."""
    finish = getattr(metric, "finish", None)
    if finish is None:
        columns = {VALUE: values, **parts}
        return {name: mean_of_scored(column) for name, column in columns.items()}
    scored = [index for index, value in enumerate(values) if not math.isnan(value)]
    if not scored:
        return dict.fromkeys((VALUE, *parts), math.nan)
    width = len(stats) // len(values)
    # Rounded once, so that sums do not depend on order or shards.
    totals = [math.fsum(stats[index * width + column] for index in scored) for column in range(width)]
    finished: dict[str, float] = finish(totals)
    return finished


def finish_each(metric: Metric, totals: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """The corpus value of an additive metric for each row of summed statistics."""
    import numpy as np

    finish_rows = getattr(metric, "finish_rows", None)
    if finish_rows is not None:
        values: NDArray[np.float64] = finish_rows(totals)
        return values
    finish = metric.finish  # type: ignore[attr-defined]
    return np.array([finish(row)[VALUE] for row in totals.tolist()], dtype=np.float64)


def mean_of_scored(values: Sequence[float]) -> float:
    """The mean without NaN, rounded once, so that it does not depend on order or shards; NaN of nothing."""
    total = math.fsum(values)
    if math.isnan(total):
        values = [value for value in values if not math.isnan(value)]
        total = math.fsum(values)
    return total / len(values) if values else math.nan


def reference_range(metric: Metric, examples: Sequence[Example]) -> tuple[int, int] | None:
    """The least and most references of an example, where the metric uses references."""
    if "references" not in metric.needs or not examples:
        return None
    numbers = {len(example.references) for example in examples}
    return min(numbers), max(numbers)


def merge_scores(metric: Metric, pieces: Sequence[Scores], references: tuple[int, int] | None) -> Scores:
    """The scores of consecutive pieces as one, equal to scoring all examples at once."""
    values, stats = array("d"), array("d")
    parts = {part: array("d") for part in metric.parts}
    findings: list[tuple[Finding, ...]] = []
    for piece in pieces:
        values.extend(piece.values)
        stats.extend(piece.stats)
        findings.extend(piece.findings)
        for part, column in parts.items():
            column.extend(piece.parts[part])
    signature = sign(metric, references=references, unscored=sum(map(math.isnan, values)))
    return _assemble(metric, signature, values, parts, findings, stats)


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
    )
