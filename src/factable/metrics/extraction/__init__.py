"""Metrics over pairs that are extracted from texts."""
