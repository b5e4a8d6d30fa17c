"""Scoring many examples: units of work, worker processes, Ray, checkpoints."""
