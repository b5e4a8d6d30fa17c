"""Metrics for closed domains: slots and their values."""
