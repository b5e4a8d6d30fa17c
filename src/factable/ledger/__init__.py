"""The ledger: which fact of the data a text says, and which claim of the text the data supports."""

from factable.ledger.verdict import Fact, Label, Span, Verdict

__all__ = ["Fact", "Label", "Span", "Verdict"]
