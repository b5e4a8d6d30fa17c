"""Data set formats: one file each, named here as text so that nothing loads until asked for."""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import NamedTuple

from factable.errors import UsageError
from factable.io.malformed import did_you_mean
from factable.types import Example

Reader = Callable[..., Iterator[Example]]


class Format(NamedTuple):
    """What a format's sources are and where its reader lives."""

    sources: str
    about: str
    reader: str


FORMATS: dict[str, Format] = {}


def open_format(name: str) -> Reader:
    """The reader of a format: a function of source paths that yields examples."""
    if name not in FORMATS:
        hint = did_you_mean(name, list(FORMATS))
        raise UsageError(f"no format {name!r}; {hint}formats are {', '.join(sorted(FORMATS))}")
    module, function = FORMATS[name].reader.split(":")
    reader: Reader = getattr(import_module(f"factable.io.formats.{module}"), function)
    return reader


def require_sources(format_name: str, sources: Sequence[str], least: int, most: int | None = None) -> None:
    """Refuse a wrong number of source files, naming what the format takes."""
    if len(sources) < least or (most is not None and len(sources) > most):
        raise UsageError(f"{format_name} takes {FORMATS[format_name].sources}; {len(sources)} given")
