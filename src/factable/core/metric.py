"""What a metric is: a name, declared parameters and traits, and one computation."""

import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from factable.core.params import Param, bad_value, check_params, declared_params
from factable.core.params import param as param
from factable.core.results import VALUE, Analysis, Findings, Scores, mean_of_scored
from factable.core.signature import sign, spec
from factable.errors import FactableError, UsageError, describe_error
from factable.types import Example, Finding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import dataclass_transform

    from factable.models.runtime.progress import ParallelMap
else:

    def dataclass_transform(**_options: object) -> Callable[[Any], Any]:
        """Only type checkers need it."""
        return lambda decorated: decorated


Field = Literal["table", "references"]
TABLE: frozenset[Field] = frozenset({"table"})
REFERENCES: frozenset[Field] = frozenset({"references"})
M = TypeVar("M", bound="type[Metric]")


class Metric:
    """The base of all metrics: a name and keyword parameters; no results, weights or cache.

    A metric is a class under `@metric` that declares

    - `name`, and `version`, raised whenever a change moves a number;
    - parameters: `mix: float = param(0.5, "what it does", range=(0.0, 1.0))`;
    - traits, as class attributes, or as properties where they follow from parameters: `needs` (what an
      example must have besides its text), `bounds` (lowest and highest value), `parts` (names of what a value
      is made of), `scales` (what a part is counted in, such as "per 100 words"), `meanings` (a part in a few
      words), `higher_is_better`, `slow` (less than some hundred examples a second), `always_explains`
      (findings are made even if nobody asks), `additive` and `corpus`, see below;
    - `analyse(examples, state)`, the one computation, from which values, parts and findings come.

    An *additive* metric has a corpus value that is not the mean of its values: `analyse` leaves a row of
    statistics per example, and `finish` turns column sums into the corpus value and its parts.

    A *corpus* metric must know all examples before it can score one: `collect` gathers what it needs of some
    examples, in any process, `merge` joins two such collections, and `fit` turns the collection of all
    examples into the state that `analyse` is given.
    """

    __slots__ = ()

    name: ClassVar[str] = ""
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    slow: ClassVar[bool] = False
    always_explains: ClassVar[bool] = False
    additive: ClassVar[bool] = False
    scales: ClassVar[Mapping[str, str]] = {}
    meanings: ClassVar[Mapping[str, str]] = {}
    params: ClassVar[tuple[Param, ...]] = ()

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and highest value."""
        return 0.0, 1.0

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of what a value is made of."""
        return ()

    @property
    def needs(self) -> frozenset[Field]:
        """What an example must have besides its text."""
        return TABLE

    @property
    def cased(self) -> bool:
        """Whether it counts against a text that a letter is upper case in its references and not in it."""
        return False

    @property
    def fact_names(self) -> Mapping[str, frozenset[str]]:
        """Names of facts in parameters, by parameter; a name that no fact of the data has is refused."""
        return {}

    @property
    def corpus(self) -> bool:
        """Whether the metric must know all examples before it can score one."""
        return False

    def __post_init__(self) -> None:
        check_params(self, self.params)
        self.check()

    def check(self) -> None:
        """Refuse parameters that do not go together, by `raise self.bad(parameter, allowed)`."""

    def bad(self, parameter: str, allowed: str) -> UsageError:
        """An error that says what a parameter is and what it must be."""
        return bad_value(self, parameter, allowed)

    def analyse(self, examples: Sequence[Example], state: Any = None) -> Analysis:
        """Values, parts, statistics and, lazily, findings of the examples, in order.

        An example that cannot be scored is NaN with a reason. Corpus metrics are always given their state.
        """
        raise NotImplementedError(f"metric {self.name} has no analyse")

    def checksums(self) -> Mapping[str, str]:
        """The sha256 of each file and model behind the numbers, by the parameter that names it."""
        return {}

    def signature_parts(self) -> list[str]:
        """Further parts of the signature, such as that of a library behind the numbers."""
        return []

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """Additive metrics: the corpus value (under VALUE) and every part, from column sums of statistics."""
        raise NotImplementedError(f"metric {self.name} has no finish")

    def finish_rows(self, totals: "NDArray[np.float64]") -> "NDArray[np.float64]":
        """Additive metrics: the corpus value for each of many rows of sums."""
        import numpy as np

        return np.array([self.finish(row)[VALUE] for row in totals.tolist()], dtype=np.float64)

    def collect(self, examples: Sequence[Example]) -> Any:
        """Corpus metrics: what must be known of some examples; it travels between processes."""
        raise NotImplementedError(f"metric {self.name} has no collect")

    def merge(self, collected: Any, more: Any) -> Any:
        """Corpus metrics: two consecutive collections as one; the first may be changed for it."""
        raise NotImplementedError(f"metric {self.name} has no merge")

    def fit(self, collected: Any, parallel_map: "ParallelMap" = map) -> Any:
        """Corpus metrics: the state to score with, from the collection of all examples."""
        raise NotImplementedError(f"metric {self.name} has no fit")

    def load_state(self, parallel_map: "ParallelMap" = map) -> Any:  # noqa: ARG002
        """Metrics that do not depend on all examples may load a state that is the same for any of them."""
        return None

    def state_for(self, examples: Sequence[Example]) -> Any:
        """The state to score these examples with, as if they were all there are."""
        return self.fit(self.collect(examples)) if self.corpus else self.load_state()

    def score(self, examples: Sequence[Example], state: Any = None, *, explain: bool = False) -> Scores:
        """The scores of the examples; without a state, they are taken for the whole corpus."""
        if state is None:
            state = self.state_for(examples)
        return make_scores(self, examples, self.analyse(examples, state), explain=explain)


def part_heads(metric: Metric) -> list[str]:
    """The heads of the columns of a metric's parts, with their scale."""
    return [f"{part} {metric.scales.get(part, '')}".strip().replace("_", " ") for part in metric.parts]


@dataclass_transform(frozen_default=True, kw_only_default=True)
def metric(kind: M) -> M:
    """Make a metric of a class: a frozen value with checked keyword parameters."""
    made: M = dataclass(frozen=True, slots=True, kw_only=True, repr=False)(kind)  # type: ignore[assignment]
    made.params = declared_params(made)
    made.__repr__ = spec  # type: ignore[method-assign, assignment]
    if made.name:
        # A declaration with a default that is not allowed is refused where it is made.
        made()
    return made


@contextmanager
def plug_in_errors(metric: Metric) -> Iterator[None]:
    """Say in one line which metric of another package failed, and where; ours fail with a traceback."""
    try:
        yield
    except FactableError:
        raise
    except Exception as error:
        if type(metric).__module__.startswith("factable."):
            raise
        raise FactableError(
            f"metric {spec(metric)} failed ({describe_error(error)}); see its authors' page"
        ) from error


def analyse(metric: Metric, examples: Sequence[Example], state: Any) -> Analysis:
    """The analysis of a metric, checked if the metric comes from another package."""
    with plug_in_errors(metric):
        analysis = metric.analyse(examples, state)
        if not type(metric).__module__.startswith("factable."):
            _check_analysis(metric, examples, analysis)
    return analysis


def _check_analysis(metric: Metric, examples: Sequence[Example], analysis: Analysis) -> None:
    columns = {VALUE: analysis.values, **analysis.parts}
    sizes = {name: len(column) for name, column in columns.items() if len(column) != len(examples)}
    if sizes:
        raise ValueError(
            f"{next(iter(sizes))} has {next(iter(sizes.values()))} numbers for {len(examples)} examples"
        )
    if tuple(analysis.parts) != metric.parts:
        raise ValueError(f"its parts are {', '.join(analysis.parts)}, declared are {', '.join(metric.parts)}")
    unexplained = [
        index
        for index, value in enumerate(analysis.values)
        if math.isnan(value) and index not in analysis.reasons
    ]
    if unexplained:
        raise ValueError(f"no reason for NaN as the value of example {examples[unexplained[0]].item!r}")


def missing_fields(metric: Metric, example: Example) -> list[str]:
    """What the metric needs and the example lacks, in words."""
    lacks = []
    if "table" in metric.needs and not example.table.records:
        lacks.append("records in its data")
    if "references" in metric.needs and not any(map(str.strip, example.references)):
        lacks.append("references")
    return lacks


def make_scores(
    metric: Metric, examples: Sequence[Example], analysis: Analysis, *, explain: bool = False
) -> Scores:
    """Scores from an analysis; with all findings where asked for, or where the metric always makes them."""
    signature = sign(metric, references=reference_range(metric, examples), unscored=len(analysis.reasons))
    findings = analysis.findings(explain=explain or metric.always_explains)
    return _assemble(metric, signature, analysis.values, analysis.parts, findings, analysis.stats)


def _assemble(
    metric: Metric,
    signature: str,
    values: "array[float]",
    parts: Mapping[str, "array[float]"],
    findings: tuple[Findings, ...],
    stats: "array[float]",
) -> Scores:
    together = corpus_results(metric, values, parts, stats)
    corpus = together.pop(VALUE)
    return Scores(spec(metric), signature, corpus, values, parts, findings, together, stats)


def corpus_results(
    metric: Metric, values: Sequence[float], parts: Mapping[str, Sequence[float]], stats: Sequence[float]
) -> dict[str, float]:
    """Value (under VALUE) and parts of all these examples together: means, or what summed statistics give."""
    if not metric.additive:
        columns = {VALUE: values, **parts}
        return {name: mean_of_scored(column) for name, column in columns.items()}
    scored = [index for index, value in enumerate(values) if not math.isnan(value)]
    if not scored:
        return dict.fromkeys((VALUE, *parts), math.nan)
    width = len(stats) // len(values)
    # Rounded once, so that sums do not depend on order or shards.
    totals = [math.fsum(stats[index * width + column] for index in scored) for column in range(width)]
    return metric.finish(totals)


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
        for name, column in parts.items():
            column.extend(piece.parts[name])
    signature = sign(metric, references=references, unscored=sum(map(math.isnan, values)))
    return _assemble(metric, signature, values, parts, tuple(findings), stats)
