"""Hostile input for every reader: valid samples, ways to break them, and what must never happen."""
