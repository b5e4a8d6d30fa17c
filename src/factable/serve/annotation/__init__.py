"""Annotation campaigns: people mark what is wrong with texts, and one SQLite file keeps what they say."""
