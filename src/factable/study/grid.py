"""A metric with one parameter left open, such as `parent(mix=*)`, and the values to try for it."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from decimal import Decimal
from io import StringIO
from math import isfinite
from tokenize import NAME, OP, TokenError, generate_tokens
from typing import get_args, get_type_hints

from factable.errors import UsageError, did_you_mean
from factable.metric import Metric
from factable.registry import load, parse

Value = int | float
STAR = "*"
MOST_VALUES = 1_000
# Tried unless a grid is given, as far as the metric takes them.
SHARES = tuple(number / 20 for number in range(21))
WHOLES = tuple(range(11))


@dataclass(frozen=True, slots=True)
class Grid:
    """The metric with every value to be tried, and as it is by default."""

    text: str
    parameter: str
    default: Metric
    settings: Mapping[Value, Metric]

    @property
    def metrics(self) -> list[Metric]:
        """All to be scored, each once."""
        return list(dict.fromkeys([*self.settings.values(), self.default]))


def make_grid(text: str, values: str | None = None) -> Grid:
    """Read a metric such as `parent(mix=*)` and values such as `0:1:0.05`; there are default ones."""
    opened = _parse_open(text)
    tried = _default_values(opened) if values is None else _parse_values(values)
    settings = {value: opened.close(value) for value in tried}
    return Grid(text.strip(), opened.parameter, opened.close(opened.default), settings)


@dataclass(frozen=True, slots=True)
class _OpenMetric:
    """Spec text before and after the star, the parameter it stands for, and its default."""

    before: str
    after: str
    parameter: str
    metric: type[Metric]
    default: object

    def close(self, value: object) -> Metric:
        """The metric with a value in place of the star."""
        return parse(f"{self.before}{value!r}{self.after}")


def _parse_open(text: str) -> _OpenMetric:
    """Read a spec in which one parameter is a star."""
    text = text.strip()
    start, parameter, name = _find_star(text)
    metric = load(name)
    defaults = {field.name: field.default for field in fields(metric)}  # type: ignore[arg-type]
    if parameter not in defaults:
        hint = did_you_mean(parameter, defaults)
        raise UsageError(f"{name} has no parameter {parameter!r}; {hint}parameters are {', '.join(defaults)}")
    if defaults[parameter] is MISSING:
        raise UsageError(f"{name}: {parameter} has no default, with which a tuned value could be compared")
    opened = _OpenMetric(text[:start], text[start + 1 :], parameter, metric, defaults[parameter])
    # Whatever else is wrong with the text is said now, and not of each value.
    opened.close(opened.default)
    return opened


def _find_star(text: str) -> tuple[int, str, str]:
    """Where the star is, its parameter and the name of the metric; text in quotes may have stars."""
    try:
        tokens = list(generate_tokens(StringIO(text).readline))
    except (TokenError, SyntaxError):
        tokens = []
    places = [place for place, token in enumerate(tokens) if token.type == OP and STAR in token.string]
    if len(places) == 1 and "\n" not in text and tokens[0].type == NAME:
        place = places[0]
        parameter, equals, star = tokens[place - 2 : place + 1] if place > 2 else tokens[:3]
        if (parameter.type, equals.string, star.string) == (NAME, "=", STAR):
            return star.start[1], parameter.string, tokens[0].string
    raise UsageError(f"cannot read {text!r}; write a metric with one * to be tuned, such as parent(mix=*)")


def _default_values(opened: _OpenMetric) -> tuple[Value, ...]:
    """Shares from 0 to 1 for a fraction, small whole numbers for a count, as far as the metric takes them."""
    kinds = _kinds(opened.metric, opened.parameter)
    if float in kinds:
        # A metric that takes 2 means no share.
        tried: tuple[Value, ...] = () if _takes(opened, 2.0) else SHARES
    elif int in kinds:
        tried = WHOLES
    else:
        numbers = [
            field.name
            for field in fields(opened.metric)  # type: ignore[arg-type]
            if {int, float} & _kinds(opened.metric, field.name)
        ]
        known = f"; numbers are {', '.join(numbers)}" if numbers else ""
        raise UsageError(f"{opened.metric.name}: {opened.parameter} is no number and cannot be tuned{known}")
    taken = tuple(value for value in tried if _takes(opened, value))
    if len(taken) < 2:
        raise UsageError(f"{opened.metric.name}: {opened.parameter} has no natural range; give --grid")
    return taken


def _kinds(metric: type[Metric], parameter: str) -> set[object]:
    """The types that a parameter may have."""
    hint = get_type_hints(metric)[parameter]
    return set(get_args(hint) or (hint,))


def _takes(opened: _OpenMetric, value: Value) -> bool:
    try:
        opened.close(value)
    except UsageError:
        return False
    return True


def _parse_values(text: str) -> tuple[Value, ...]:
    """Values such as `1,2,4`, or all from one to another by a step such as `0:1:0.05`, each once."""
    try:
        values = _between(text) if ":" in text else [Decimal(piece) for piece in text.split(",")]
        if not all(isfinite(value) for value in values):
            raise ValueError
    except (ArithmeticError, ValueError):
        remedy = "write values such as 1,2,4 or a range with a step such as 0:1:0.05"
        raise UsageError(f"cannot read the grid {text!r}; {remedy}") from None
    if not 2 <= len(set(values)) <= MOST_VALUES:
        raise UsageError(f"the grid {text!r} is too small or too large; give 2 to {MOST_VALUES:,} values")
    return tuple(_plain(value) for value in dict.fromkeys(values))


def _between(text: str) -> list[Decimal]:
    """Exact decimals, so that 0.15 is itself and the end is met."""
    start, stop, step = map(Decimal, text.split(":"))
    if step <= 0 or stop < start:
        raise ValueError
    # One more than allowed is enough to be refused.
    steps = min(int((stop - start) / step), MOST_VALUES)
    return [start + number * step for number in range(steps + 1)]


def _plain(value: Decimal) -> Value:
    """A whole number where it was written as one."""
    return int(value) if value.as_tuple().exponent == 0 else float(value)
