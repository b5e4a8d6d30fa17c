"""Checks of metric parameters that say what is allowed."""

from collections.abc import Collection

from factable.core.metric import Metric
from factable.errors import UsageError


def require(metric: Metric, parameter: str, holds: bool, allowed: str) -> None:
    """Refuse the metric unless the parameter is as it must be."""
    if not holds:
        found = getattr(metric, parameter)
        raise UsageError(f"{metric.name}: {parameter} is {found!r}; it must be {allowed}")


def require_choice(metric: Metric, parameter: str, choices: Collection[str]) -> None:
    """The parameter must be one of some words."""
    value = getattr(metric, parameter)
    words = ", ".join(choice or '""' for choice in choices)
    require(metric, parameter, isinstance(value, str) and value in choices, f"one of {words}")


def require_whole(metric: Metric, parameter: str, low: int, high: int) -> None:
    """The parameter must be a whole number in a range."""
    value = getattr(metric, parameter)
    whole = isinstance(value, int) and is_number(value, low, high)
    require(metric, parameter, whole, f"a whole number from {low} to {high}")


def require_flags(metric: Metric, *parameters: str) -> None:
    """Each parameter must be True or False."""
    for parameter in parameters:
        require(metric, parameter, isinstance(getattr(metric, parameter), bool), "True or False")


def is_number(value: object, low: float, high: float) -> bool:
    """Whether a value is a number, and no truth value, in a range."""
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
