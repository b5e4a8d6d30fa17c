"""Scores in, text out."""
