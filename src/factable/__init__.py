"""factable: does a text written from data say all, and only, what the data says?"""

__version__ = "0.1.0"

from factable.errors import DataError, FactableError, Fault, MissingExtraError, UsageError
from factable.types import Example, Finding, Record, Scores, Table

__all__ = [
    "DataError",
    "Example",
    "FactableError",
    "Fault",
    "Finding",
    "MissingExtraError",
    "Record",
    "Scores",
    "Table",
    "UsageError",
]
