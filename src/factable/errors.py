"""Every error factable raises on purpose.

FactableError           something the caller can fix; the command line prints it and exits with 2
├── DataError           a file or other outside data is wrong
│   └── MissingFileError    a file is not there, or cannot be read
├── ServerError         a server that a metric asks cannot be used
└── UsageError          the call is wrong
    ├── MissingExtraError   an optional package is needed; names the install line
    └── MissingProgramError a program outside Python is needed; names where to get it

FactableWarning, a warning, is given where a run can go on with the same numbers.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

MAX_FAULTS_SHOWN = 10
MAX_CHARACTERS_SHOWN = 500
# Limits of the search for a misspelt name: the names it is compared with, and its length.
MAX_NAMES_COMPARED = 1000
MAX_NAME_COMPARED = 100


class Fault(NamedTuple):
    """Where outside data is wrong, what the problem is and what to do about it."""

    source: str
    line: int | None
    problem: str
    remedy: str

    def __str__(self) -> str:
        """One line such as `data.jsonl:17: no "text" field; add one`."""
        where = self.source if self.line is None else f"{self.source}:{self.line}"
        return ": ".join((in_one_line(where), f"{in_one_line(self.problem)}; {in_one_line(self.remedy)}"))


def in_one_line(text: str) -> str:
    """Text from outside, printable and short enough for a message."""
    shown = printable(text[: MAX_CHARACTERS_SHOWN + 1])
    return shown if len(shown) <= MAX_CHARACTERS_SHOWN else shown[: MAX_CHARACTERS_SHOWN - 1] + "…"


def printable(text: str) -> str:
    """Text from outside with line breaks, control and bidirectional characters written as escapes."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class FactableError(Exception):
    """Base of all errors raised on purpose."""


class DataError(FactableError):
    """A file or other outside data is wrong; `faults` says where, at most ten at a time."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        lines = [str(fault) for fault in self.faults[:MAX_FAULTS_SHOWN]]
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type["DataError"], tuple[tuple[Fault, ...]]]:
        """Pickle with the faults, to travel between processes."""
        return type(self), (self.faults,)


class MissingFileError(DataError):
    """A file is not there, or is none that can be read."""


class ServerError(FactableError):
    """A server that a metric asks cannot be reached, refuses, or fails."""


class UsageError(FactableError):
    """The call is wrong: an unknown metric, a parameter out of range, a missing package."""


class MissingExtraError(UsageError):
    """An optional package is needed."""

    def __init__(self, feature: str, extra: str) -> None:
        install = f"pip install 'factable[{extra}]'"
        super().__init__(f"{feature} needs the extra {extra!r}; install it with: {install}")
        self._args = (feature, extra)

    def __reduce__(self) -> tuple[type["MissingExtraError"], tuple[str, str]]:
        """Pickle with its own arguments, to travel between processes."""
        return type(self), self._args


class MissingProgramError(UsageError):
    """A program outside Python, such as Java, is needed."""


class FactableWarning(UserWarning):
    """Something that costs time and changes no number, such as a cache that cannot be written."""


def describe_error(error: BaseException) -> str:
    """An error of foreign code in one line: its type, its message and where it was raised."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    where = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    message = in_one_line(str(error))
    return f"{type(error).__name__}{f': {message}' if message else ''}{where}"


def add_note(error: BaseException, note: str) -> None:
    """Add a note to an error, like its method `add_note`, which Python 3.10 lacks."""
    vars(error).setdefault("__notes__", []).append(note)


def notes_as_cause(error: BaseException) -> Exception | None:
    """The notes of an error, removed from it to become its cause; None if tracebacks show notes."""
    if sys.version_info >= (3, 11):
        return None
    notes = vars(error).pop("__notes__", [])
    return FactableError("\n".join(notes)) if notes else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name, such as `did you mean 'mix'? `, or nothing."""
    from difflib import get_close_matches
    from itertools import islice

    if len(word) > MAX_NAME_COMPARED:
        return ""
    close = get_close_matches(word, list(islice(known, MAX_NAMES_COMPARED)), n=1, cutoff=0.7)
    return f"did you mean {close[0]!r}? " if close else ""


def suggest_parameters(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function refuse a misspelt parameter with a suggestion."""

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        from inspect import signature

        known = signature(function).parameters
        for name in kwargs:
            if name not in known:
                hint = did_you_mean(name, known)
                message = f"{function.__name__} has no parameter {name!r}; {hint}parameters are "
                raise UsageError(message + ", ".join(known))
        return function(*args, **kwargs)

    return checked
