"""What a user says about the names in the data: words for them, units of their values, technical fields."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from factable.errors import UsageError, did_you_mean
from factable.text.paths import names_path, selects_path
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values.hints import hint_of, parse_unit
from factable.text.values.units import unit_forms
from factable.types import Record

_ROW = lazy_pattern(r"\[\d+\]\.")


@dataclass(frozen=True)
class SchemaHints:
    """Words and units by the names of facts, and names of fields that no text need say."""

    labels: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    technical: frozenset[str] = frozenset()

    def label(self, path: str, key: str) -> str:
        """The label of a key, with what the key tells of units and periods; the key if it has none."""
        name = _longest(name for name in self.labels if names_path(name, _in_row(path)))
        if not name:
            return key
        label = self.labels[name]
        told = hint_of(key, {})
        # `rt_ms` alone may be anything, a "response time ms" are milliseconds.
        before, _, last = split_identifier(key).rpartition(" ")
        more = hint_of(f"{label} {last}", {}) if before and not told.unit else told
        unit = "" if self._unit(path) else _written(more.unit, more.scale)
        return _with_unit(f"{label} {told.period}".rstrip(), unit)

    def name(self, path: str, key: str) -> str:
        """The name of a value: its key, or label, and its unit, as in `sales (EUR million)`."""
        return _with_unit(key, self._unit(path))

    def _unit(self, path: str) -> str:
        return self.units.get(_longest(name for name in self.units if selects_path(name, _in_row(path))), "")

    def rename(self, record: Record) -> Record:
        """A triple or slot with the label and unit of its attribute."""
        path = record.attribute
        return record._replace(attribute=self.name(path, self.label(path, path)))

    def is_technical(self, path: str) -> bool:
        """Whether a field was called technical."""
        return any(selects_path(name, _in_row(path)) for name in self.technical)


NO_HINTS = SchemaHints()


def _in_row(path: str) -> str:
    """A path without the number of its row: columns go by their names."""
    return _ROW.sub("", path, count=1) if path.startswith("[") else path


def _longest(names: Iterable[str]) -> str:
    """The longest of some names, which says most."""
    return max(names, key=len, default="")


def _with_unit(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit else name


def _written(unit: str, scale: int) -> str:
    amount = {1: "", 10**3: "thousand", 10**6: "million", 10**9: "billion", 10**12: "trillion"}
    return f"{amount.get(scale, '')} {unit.partition(' (')[0]}".strip()


def words_by_name(text: str, parameter: str, example: str) -> dict[str, str]:
    """Words by the names of facts, from `name=words` between commas."""
    words = {}
    for pair in text.split(","):
        name, equals, said = (part.strip() for part in pair.partition("="))
        if equals and name and said:
            words[name] = said
        elif pair.strip():
            raise UsageError(f"`{parameter}` has {pair.strip()!r}; write name=words, such as {example}")
    return words


def units_by_name(text: str, parameter: str) -> dict[str, str]:
    """Units by the names of facts, from `name=unit` between commas; an unknown unit is refused."""
    units = words_by_name(text, parameter, "price=EUR or sales=USD million")
    for name, unit in units.items():
        if parse_unit(unit) == ("", 1):
            hint = did_you_mean(unit, unit_forms())
            raise UsageError(
                f"`{parameter}` has {unit!r} for {name!r}, which is no unit; {hint}"
                "write a unit, a currency or a scale, such as km/h, EUR or USD million"
            )
    return units
