"""The ledger: which fact of the data a text says, and which claim of the text the data supports."""
