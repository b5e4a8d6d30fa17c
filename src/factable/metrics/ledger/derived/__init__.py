"""Statements that are computed from data: differences, sums, counts, superlatives, trends, durations."""

from factable.metrics.ledger.derived.check import derived_statements
from factable.metrics.ledger.derived.clauses import Derived

__all__ = ["Derived", "derived_statements"]
