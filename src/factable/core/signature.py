"""The two texts that stand for a metric: its spec (how to ask for it) and its signature (what made it)."""

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from factable._version import __version__
from factable.errors import printable

if TYPE_CHECKING:
    from factable.core.metric import Metric


SHOWN_HASH = 12
# How the modules of metrics in files are named, before the sha256 of the file.
FILE_MODULE = "factable_metric_"


def spec(metric: "Metric") -> str:
    """The shortest text that `factable.parse` turns back into an equal metric."""
    arguments = [
        f"{each.name}={_literal(getattr(metric, each.name))}"
        for each in metric.params
        if getattr(metric, each.name) != each.default_for(metric)
    ]
    return f"{metric.name}({', '.join(arguments)})" if arguments else metric.name


def _literal(value: object) -> str:
    """A Python literal, with double quotes around text and without hidden characters."""
    return printable(json.dumps(value, ensure_ascii=False)) if isinstance(value, str) else repr(value)


def sign(metric: "Metric", *, references: tuple[int, int] | None = None, unscored: int | None = None) -> str:
    """Everything that can move a number: parameters, checksums, versions, facts of the run where known."""
    pieces = [metric.name]
    checksums = metric.checksums()
    for each in metric.params:
        value = getattr(metric, each.name)
        if each.name in checksums:
            value = f"{Path(str(value)).name}@{checksums[each.name][:SHOWN_HASH]}"
        pieces.append(f"{each.name}:{'none' if value == '' else value}")
    # What no parameter names goes by its own name.
    named = {each.name for each in metric.params}
    pieces += [f"{name}:{checksum[:SHOWN_HASH]}" for name, checksum in checksums.items() if name not in named]
    pieces += metric.signature_parts()
    if references is not None:
        low, high = references
        pieces.append(f"refs:{low}" if low == high else f"refs:{low}-{high}")
    if unscored is not None:
        pieces.append(f"unscored:{unscored}")
    pieces += [f"v:{metric.version}", *_plug_in_version(metric), f"factable:{__version__}"]
    # A bar inside a value would look like the next piece.
    return "|".join(printable(piece).replace("|", r"\x7c") for piece in pieces)


def _plug_in_version(metric: "Metric") -> list[str]:
    """The package that a metric comes from, and its version, unless it is ours."""
    package = type(metric).__module__.partition(".")[0]
    if package == "factable":
        return []
    if package.startswith(FILE_MODULE):
        return [f"file:{package.removeprefix(FILE_MODULE)[:SHOWN_HASH]}"]
    return list(_versions_of(package))


@cache
def _versions_of(package: str) -> tuple[str, ...]:
    """The distributions that a package is from, with their versions; looking them up reads every one."""
    from importlib.metadata import packages_distributions, version

    return tuple(f"{name}:{version(name)}" for name in sorted(set(packages_distributions().get(package, []))))


def settings_of(signature: str) -> list[str]:
    """The pieces of a signature that are no facts of the run: the same for any examples."""
    return [piece for piece in signature.split("|") if not piece.startswith(("refs:", "unscored:"))]
