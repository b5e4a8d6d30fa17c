"""The configuration file: parameters of the ledger, and what a gate lets through."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from factable.errors import DataError, Fault, did_you_mean
from factable.gate.policy import KINDS, Policy
from factable.io.faults import Malformed, show_value
from factable.io.files import read_whole
from factable.io.toml import parse_toml

Read = Callable[[object], Any]
LISTED_KINDS = f"{', '.join(KINDS[:-1])} and {KINDS[-1]}"
# Options that may name a file or a folder.
FILES = ("model", "templates", "weights", "prompts")


@dataclass(frozen=True, slots=True)
class Config:
    """Parameters of the metrics `ledger` and `judge` by name, and a policy."""

    options: Mapping[str, Any] = field(default_factory=dict)
    judge: Mapping[str, Any] = field(default_factory=dict)
    policy: Policy = field(default_factory=Policy)


def read_config(path: str) -> Config:
    """Read a TOML file; every fault names the file.

    Files that it names are looked for beside it.
    """
    given = parse_toml(path, read_whole(path), 'write lines such as optional = ["near"]')
    gate = given.pop("gate", {})
    if not isinstance(gate, dict):
        _refuse(path, '"gate" is no table', "write [gate] on a line of its own")
    # A text names the judge of the ledger, a table holds the parameters of the metric.
    judge = given.pop("judge") if isinstance(given.get("judge"), dict) else {}
    options = _take(path, given, OPTIONS, more=("gate",))
    policy = _take(path, gate, GATE, where="[gate] ")
    return Config(_beside_all(path, options), _beside_all(path, judge), Policy(**policy))


def _beside_all(path: str, options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _beside(path, name, value) for name, value in options.items()}


def _beside(path: str, name: str, value: Any) -> Any:
    """The value of an option; a file or folder that lies beside the configuration, by its path from here."""
    if name not in FILES or not value:
        return value
    beside = Path(path).parent / value
    return str(beside) if beside.exists() else value


def _take(
    path: str, given: Mapping[str, object], known: Mapping[str, Read], *, where: str = "", more: Any = ()
) -> dict[str, Any]:
    """What the keys stand for; unknown keys and wrong values are refused."""
    taken = {}
    for key, value in given.items():
        if key not in known:
            hint = did_you_mean(key, [*known, *more])
            _refuse(path, f"{where}unknown key {key!r}", f"{hint}keys are {', '.join([*known, *more])}")
        try:
            taken[key] = known[key](value)
        except Malformed as fault:
            _refuse(path, f"{where}{key} is {fault.problem}", fault.remedy)
    return taken


def _refuse(path: str, problem: str, remedy: str) -> NoReturn:
    raise DataError([Fault(path, None, problem, remedy)]) from None


def _names(value: object) -> str:
    """A list of names, as the metric takes them."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise Malformed(show_value(value), 'give a list of names, such as ["near", "area=riverside"]')
    if any("," in name for name in value):
        raise Malformed(show_value(value), "give each name as an element of its own; names hold no commas")
    return ",".join(value)


def _words(value: object) -> str:
    """A table of words by name, as the metric takes them; dots in names without quotes make tables."""
    if not isinstance(value, dict):
        raise Malformed(show_value(value), 'give a table of words by name, such as { PTS = "points" }')
    pairs = dict(_flattened(value))
    for name, words in pairs.items():
        if not isinstance(words, str) or not words.strip() or {",", "="} & {*words, *name}:
            raise Malformed(
                show_value(value), f"give {name!r} words in quotes; commas and = are not allowed in them"
            )
    return ",".join(f"{name}={words}" for name, words in pairs.items())


def _flattened(table: Mapping[str, object], path: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flattened(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Malformed(show_value(value), "give a text in quotes")
    return value


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Malformed(show_value(value), "give a number from 0 to 1")
    return float(value)


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Malformed(show_value(value), "give a whole number, such as 12")
    return value


def _kinds(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(kind in KINDS for kind in value):
        raise Malformed(show_value(value), f"give a list of {LISTED_KINDS}")
    return tuple(dict.fromkeys(value))


def _rates(value: object) -> dict[str, float]:
    """One rate for all kinds, or a table of them; what is not given is 0."""
    rates = dict.fromkeys(KINDS, 0.0)
    if not isinstance(value, dict):
        return dict.fromkeys(KINDS, _share(value))
    if not set(value) <= set(KINDS):
        raise Malformed(show_value(value), f"give rates of {LISTED_KINDS}")
    return rates | {kind: _share(rate) for kind, rate in value.items()}


OPTIONS: Mapping[str, Read] = {
    "required": _names,
    "optional": _names,
    "technical": _names,
    "labels": _words,
    "units": _words,
    "ignore": _names,
    "omission": _share,
    "hallucination": _share,
    "small": _count,
    "evidence": _text,
    "model": _text,
    "templates": _text,
    "weights": _text,
    "judge": _text,
    "doubt_from": _share,
    "doubt_to": _share,
}
GATE: Mapping[str, Read] = {"fail_on": _kinds, "max_rate": _rates}
