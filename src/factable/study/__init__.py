"""Metrics against human judgements: one module per study, each with a function `study_…` and its result.

Every study takes files, examples or a `Panel` (examples that are scored already) and gives a frozen result;
`factable.report` prints it.
"""
