"""Metrics against human judgements."""
