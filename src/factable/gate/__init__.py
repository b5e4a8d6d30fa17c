"""Verdicts on many texts as one decision: what is allowed, what was before, and who is told."""
