"""Texts of files named on the command line, in pages: listed, searched, sorted, and scored again."""
