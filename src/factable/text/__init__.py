"""Texts and values: sentences, templates, questions, and the values that a text mentions."""
