"""Parameters of metrics: declared once, with default, description and what is allowed."""

from collections.abc import Collection, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, NamedTuple

from factable.errors import UsageError

KEY = "param"


class Follows(NamedTuple):
    """The default of a parameter that depends on another one: its value for each value of the other."""

    other: str
    defaults: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Param:
    """One declared parameter.

    A value must be one of `choices`, or a number in `range` (whole numbers where the range is of whole
    numbers); without either, True or False for a default that is one of them, else text. `example` is a value
    that free text may have, for documentation and contract tests; `file` says that it may name a file.
    """

    name: str
    default: object
    doc: str
    choices: tuple[object, ...] = ()
    range: tuple[float, float] | None = None
    follows: Follows | None = None
    example: str = ""
    file: bool = False

    @property
    def allowed(self) -> str:
        """What a value must be, in words."""
        if not self.choices and self.range is None:
            return "True or False" if self._is_flag else "a string"
        words = ", ".join(map(_shown, self.choices))
        number = _number_words(self.range) if self.range else ""
        if not words:
            return number
        return f"{words} or {number}" if number else (f"one of {words}" if len(self.choices) > 1 else words)

    def accepts(self, value: object) -> bool:
        """Whether a value is allowed."""
        if not self.choices and self.range is None:
            return isinstance(value, bool if self._is_flag else str)
        if any(type(value) is type(choice) and value == choice for choice in self.choices):
            return True
        return self.range is not None and _is_number(value, self.range)

    def default_for(self, metric: object) -> object:
        """The default, which may follow from another parameter of the metric."""
        if self.follows is None:
            return self.default
        return self.follows.defaults[getattr(metric, self.follows.other)]

    @property
    def _is_flag(self) -> bool:
        return isinstance(
            self.default if self.follows is None else next(iter(self.follows.defaults.values())), bool
        )


def param(
    default: Any,
    doc: str,
    *,
    choices: Collection[object] = (),
    range: tuple[float, float] | None = None,  # noqa: A002 - the word that readers expect
    follows: tuple[str, Mapping[str, object]] | None = None,
    example: str = "",
    file: bool = False,
) -> Any:
    """Declare a parameter of a metric."""
    declared = Param(
        "", default, doc, tuple(choices), range, Follows(*follows) if follows else None, example, file
    )
    return field(default=default, metadata={KEY: declared})


def declared_params(kind: type) -> tuple[Param, ...]:
    """The declared parameters of a metric class, in order."""
    return tuple(_named(each) for each in fields(kind))


def _named(each: "Field[Any]") -> Param:
    declared = each.metadata.get(KEY)
    if declared is None or each.default is MISSING:
        raise UsageError(
            f"parameter {each.name} is not declared; write: {each.name} = param(default, description)"
        )
    return Param(each.name, *(getattr(declared, name) for name in _REST))


_REST = tuple(each.name for each in fields(Param))[1:]


def check_params(metric: Any, params: Collection[Param]) -> None:
    """Fill in defaults that follow from other parameters, and refuse values that are not allowed."""
    for each in params:
        value = getattr(metric, each.name)
        if each.follows is not None and value == each.default:
            # The parameter followed may be wrong itself; that is said first.
            _require_accepted(metric, next(other for other in params if other.name == each.follows.other))
            value = each.default_for(metric)
            object.__setattr__(metric, each.name, value)
        _require_accepted(metric, each)
        if each.range is not None and isinstance(value, int) and isinstance(each.range[0], float):
            # One spec and one signature for 1 and 1.0.
            object.__setattr__(metric, each.name, float(value))


def _require_accepted(metric: Any, each: Param) -> None:
    value = getattr(metric, each.name)
    if not each.accepts(value):
        raise bad_value(metric, each.name, each.allowed)


def bad_value(metric: Any, parameter: str, allowed: str) -> UsageError:
    """An error that says what a parameter of a metric is and what it must be."""
    return UsageError(f"{metric.name}: {parameter} is {getattr(metric, parameter)!r}; it must be {allowed}")


def _is_number(value: object, limits: tuple[float, float]) -> bool:
    whole = isinstance(limits[0], int)
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        return False
    return limits[0] <= value <= limits[1]


def _number_words(limits: tuple[float, float]) -> str:
    kind = "a whole number" if isinstance(limits[0], int) else "a number"
    low, high = limits
    return f"{kind} from {low:g} to {high:g}" if high != float("inf") else f"{kind} of at least {low:g}"


def _shown(choice: object) -> str:
    # Words that could be taken for numbers, or for nothing, are shown as they must be written.
    return f'"{choice}"' if isinstance(choice, str) and (not choice or choice.isdigit()) else str(choice)
