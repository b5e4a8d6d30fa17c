"""Tells whether a text written from data says all, and only, what the data says.

What is public: the names in `__all__`, and those in `__all__` of `factable.metrics`, `factable.study` and
`factable.report`. Everything else may change without notice.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from factable._version import __version__ as __version__
from factable.errors import (
    DataError,
    FactableError,
    Fault,
    MissingExtraError,
    MissingFileError,
    MissingProgramError,
    ServerError,
    UsageError,
)
from factable.types import Example, Finding, Record, Table

if TYPE_CHECKING:
    from factable import metrics, report, study
    from factable.core.metric import Metric, metric, param
    from factable.core.registry import parse
    from factable.core.results import Analysis, Scores
    from factable.engine.score import score
    from factable.gate.rerank import Ranked, rerank
    from factable.io.read import read
    from factable.metrics.ledger.metric import check
    from factable.metrics.ledger.verdict import Claim, Fact, Verdict
    from factable.models.runtime.folders import close
    from factable.study.comparison import SystemComparison
    from factable.study.comparison import compare_systems as compare

__all__ = [
    "Analysis",
    "Claim",
    "DataError",
    "Example",
    "Fact",
    "FactableError",
    "Fault",
    "Finding",
    "Metric",
    "MissingExtraError",
    "MissingFileError",
    "MissingProgramError",
    "Ranked",
    "Record",
    "Scores",
    "ServerError",
    "SystemComparison",
    "Table",
    "UsageError",
    "Verdict",
    "check",
    "close",
    "compare",
    "metric",
    "metrics",
    "param",
    "parse",
    "read",
    "report",
    "rerank",
    "score",
    "study",
]

# Loaded when first used, so that importing factable stays instant.
_MODULE_OF = {
    "Analysis": "core.results",
    "Claim": "metrics.ledger.verdict",
    "Fact": "metrics.ledger.verdict",
    "Metric": "core.metric",
    "Ranked": "gate.rerank",
    "Scores": "core.results",
    "SystemComparison": "study.comparison",
    "Verdict": "metrics.ledger.verdict",
    "check": "metrics.ledger.metric",
    "close": "models.runtime.folders",
    "compare": "study.comparison:compare_systems",
    "metric": "core.metric",
    "param": "core.metric",
    "parse": "core.registry",
    "read": "io.read",
    "rerank": "gate.rerank",
    "score": "engine.score",
}
_PACKAGES = ("metrics", "report", "study")


def __getattr__(name: str) -> object:
    if name in _PACKAGES:
        return import_module(f"factable.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'factable' has no attribute {name!r}")
    module, _, attribute = _MODULE_OF[name].partition(":")
    return getattr(import_module(f"factable.{module}"), attribute or name)
