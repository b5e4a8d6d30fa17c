"""Texts of a system that are lower-cased while their references are not."""

from collections.abc import Iterable, Sequence

from factable.core.metric import Metric
from factable.core.signature import spec
from factable.errors import printable
from factable.types import Example

MIN_TEXTS = 5
# Shares of texts without, and of references with, an upper-case letter.
MIN_LOWERED, MIN_CASED = 0.95, 0.5


def case_counts(metrics: Sequence[Metric]) -> list[str]:
    """The metrics that compare texts with references letter by letter."""
    return [spec(metric) for metric in metrics if metric.cased and "references" in metric.needs]


def lowered_systems(examples: Iterable[Example]) -> list[str]:
    """The systems whose texts have no capitals though their references do."""
    by_system: dict[str, list[Example]] = {}
    for example in examples:
        if example.references and example.text:
            by_system.setdefault(example.system, []).append(example)
    return [system for system, own in by_system.items() if len(own) >= MIN_TEXTS and _is_lowered(own)]


def _is_lowered(examples: Sequence[Example]) -> bool:
    lowered = sum(example.text.islower() for example in examples)
    references = [reference for example in examples for reference in example.references]
    cased = sum(reference != reference.lower() for reference in references)
    return lowered >= MIN_LOWERED * len(examples) and cased >= MIN_CASED * len(references)


def case_warning(systems: Iterable[str], metrics: Sequence[str]) -> str:
    """One line that says so, and what to do."""
    names = ", ".join(printable(system) for system in systems if system)
    whose = f"the texts of {names}" if names else "the texts"
    return (
        f"{whose} are lower-cased and the references are not, which lowers {', '.join(metrics)}; "
        "compare without case (lowercase=True) or score the original texts"
    )
