"""Extractors: text in, records out."""
