"""Data in, a file that a metric stands on out."""
