"""Which facts count, by their names: those that must be said, those that may, and names that no fact has."""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from factable.errors import MAX_NAMES_COMPARED, UsageError, printable
from factable.text.paths import selects_path
from factable.types import Record


class Selection(NamedTuple):
    """Which facts must be said: those named in `required`, or all if it is empty, but for the optional."""

    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()

    def requires(self, record: Record) -> bool:
        """Whether a text that leaves the fact out has an omission."""
        return (not self.required or selects(self.required, record)) and not selects(self.optional, record)


def names_in(text: str) -> frozenset[str]:
    """Names of facts, which stand between commas."""
    return frozenset(name.strip() for name in text.split(",") if name.strip())


def selects(names: frozenset[str], record: Record) -> bool:
    """Whether one of the names is that of a record: `area`, `area=riverside` or a path, `specs.*`."""
    if not names:
        return False
    if record.attribute in names or f"{record.attribute}={record.value}" in names:
        return True
    return any(_selects(name, record.attribute, record.value) for name in names)


def _selects(name: str, attribute: str, value: str) -> bool:
    path, equals, wanted = name.partition("=")
    return (not equals or wanted == value) and selects_path(path, attribute)


# A name this close to one in the data is taken for a misspelt one.
MISSPELT = 0.8
MAX_NAMES_SHOWN = 10


class FactNames(NamedTuple):
    """The names of facts in parameters of a metric, such as `ignore`, and what is not yet known of them."""

    by_parameter: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, several: Iterable[Mapping[str, frozenset[str]]]) -> "FactNames":
        """The names that several metrics have."""
        names: dict[str, frozenset[str]] = {}
        for by_parameter in several:
            for parameter, given in by_parameter.items():
                names[parameter] = names.get(parameter, frozenset()) | given
        return cls({parameter: given for parameter, given in names.items() if given})

    def without_known(self, records: Iterable[Record]) -> "FactNames":
        """The names that no record has."""
        left = dict(self.by_parameter)
        for record in set(records):
            left = {
                parameter: frozenset(name for name in names if not selects(frozenset((name,)), record))
                for parameter, names in left.items()
            }
            if not any(left.values()):
                break
        return FactNames({parameter: names for parameter, names in left.items() if names})

    def refuse_misspelt(self, records: Iterable[Record]) -> list[str]:
        """Refuse names that look like misspelt ones of these records, and say which others no record has.

        These are no mistake: data may lack what other data has. Of paths with a star nothing is said.
        """
        attributes = list(dict.fromkeys(_INDEX.sub("[*]", record.attribute) for record in records))
        absent = []
        for parameter, names in self.by_parameter.items():
            # A fact that is there with another value is no mistake.
            for path in sorted({name.partition("=")[0] for name in names} - set(attributes)):
                hint = _suggestion(path, attributes)
                problem = f"`{parameter}` has {path!r}, but no fact of the data is called that"
                if hint:
                    raise UsageError(f"{problem}; {hint}Facts are {_listed(attributes)}")
                absent += [] if "*" in path else [f"{problem}; facts are {_listed(attributes)}"]
        return absent


_INDEX = re.compile(r"\[\d+\]")


def _listed(attributes: Sequence[str]) -> str:
    more = ", …" if len(attributes) > MAX_NAMES_SHOWN else ""
    return printable(", ".join(attributes[:MAX_NAMES_SHOWN])) + more


def _suggestion(path: str, attributes: Sequence[str]) -> str:
    """A hint for a misspelt name, or for the last part of a path."""
    plain = [_plain(attribute) for attribute in attributes]
    for attribute in attributes:
        if attribute.endswith(f".{path}"):
            return f"did you mean {attribute!r}? "
    close = get_close_matches(_plain(path), plain[:MAX_NAMES_COMPARED], n=1, cutoff=MISSPELT)
    return f"did you mean {attributes[plain.index(close[0])]!r}? " if close else ""


def _plain(path: str) -> str:
    return _INDEX.sub("", path.replace("[*]", ""))
