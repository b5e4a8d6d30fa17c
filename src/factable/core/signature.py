"""The two texts that stand for a metric: its spec (how to ask for it) and its signature (what made it)."""

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from factable import __version__
from factable.errors import UsageError, printable

if TYPE_CHECKING:
    from factable.core.metric import Metric


SHOWN_HASH = 12


def spec(metric: "Metric") -> str:
    """The shortest text that `factable.core.registry.parse` turns back into an equal metric."""
    arguments = {field.name: getattr(metric, field.name) for field in fields(metric)}  # type: ignore[arg-type]
    for name in list(arguments):
        shorter = {key: value for key, value in arguments.items() if key != name}
        if _gives(shorter, metric):
            arguments = shorter
    if not arguments:
        return metric.name
    inside = ", ".join(f"{name}={_literal(value)}" for name, value in arguments.items())
    return f"{metric.name}({inside})"


def _gives(arguments: dict[str, object], metric: "Metric") -> bool:
    """Whether these arguments are enough for the metric; some go together and cannot be left out alone."""
    try:
        return type(metric)(**arguments) == metric
    except (UsageError, TypeError, ValueError):
        return False


def _literal(value: object) -> str:
    """A Python literal, with double quotes around text and without hidden characters."""
    return printable(json.dumps(value, ensure_ascii=False)) if isinstance(value, str) else repr(value)


def sign(metric: "Metric", *, references: tuple[int, int] | None = None, unscored: int | None = None) -> str:
    """Everything that can move a number: parameters, checksums, versions, facts of the run where known."""
    pieces = [metric.name]
    checksums: Mapping[str, str] = getattr(metric, "checksums", dict)()
    for field in fields(metric):  # type: ignore[arg-type]
        value = getattr(metric, field.name)
        if field.name in checksums:
            value = f"{Path(str(value)).name}@{checksums[field.name][:SHOWN_HASH]}"
        pieces.append(f"{field.name}:{'none' if value == '' else value}")
    # What no parameter names goes by its own name.
    unnamed = {name: checksum for name, checksum in checksums.items() if not hasattr(metric, name)}
    pieces += [f"{name}:{checksum[:SHOWN_HASH]}" for name, checksum in unnamed.items()]
    # A metric may add the signature of the library that computes it.
    pieces += getattr(metric, "pieces", list)()
    if references is not None:
        low, high = references
        pieces.append(f"refs:{low}" if low == high else f"refs:{low}-{high}")
    if unscored is not None:
        pieces.append(f"unscored:{unscored}")
    pieces += [f"v:{metric.version}", f"factable:{__version__}"]
    # A bar inside a value would look like the next piece.
    return "|".join(printable(piece).replace("|", r"\x7c") for piece in pieces)


def settings_of(signature: str) -> list[str]:
    """The pieces of a signature that are no facts of the run: the same for any examples."""
    return [piece for piece in signature.split("|") if not piece.startswith(("refs:", "unscored:"))]
