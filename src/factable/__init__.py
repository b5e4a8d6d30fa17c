"""Tells whether a text written from data says all, and only, what the data says."""

from typing import TYPE_CHECKING

from factable._version import __version__ as __version__
from factable.core.results import Scores
from factable.errors import (
    DataError,
    FactableError,
    Fault,
    MissingExtraError,
    MissingProgramError,
    UsageError,
)
from factable.types import Example, Finding, Record, Table

if TYPE_CHECKING:
    from factable.engine.score import score
    from factable.io.read import read
    from factable.metrics.ledger.metric import check

__all__ = [
    "DataError",
    "Example",
    "FactableError",
    "Fault",
    "Finding",
    "MissingExtraError",
    "MissingProgramError",
    "Record",
    "Scores",
    "Table",
    "UsageError",
    "check",
    "read",
    "score",
]


def __getattr__(name: str) -> object:
    """Load `check`, `read` and `score` when first used, so that importing factable stays instant."""
    if name == "read":
        from factable.io.read import read

        return read
    if name == "check":
        from factable.metrics.ledger.metric import check

        return check
    if name == "score":
        from factable.engine.score import score

        return score
    raise AttributeError(f"module 'factable' has no attribute {name!r}")
