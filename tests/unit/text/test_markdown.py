"""Markdown in texts."""

from factable.text.markdown import segments

TEXT = """Sure! Here is a summary:

## Overview

The phone is **fast**. It costs €300.

**Details:**
- Weight: 170 g
- It has no radio.

---
"""


def kinds(text):
    return [(text[part.start : part.end], part.kind) for part in segments(text)]


def test_headings_and_announcements_claim_nothing():
    assert kinds(TEXT) == [
        ("Sure!", "announcement"),
        ("Here is a summary:", "announcement"),
        ("## Overview", "heading"),
        ("The phone is **fast**.", "sentence"),
        ("It costs €300.", "sentence"),
        ("**Details:**", "heading"),
        ("Weight: 170 g", "sentence"),
        ("It has no radio.", "sentence"),
    ]


def test_plain_text_is_split_into_sentences():
    assert kinds("It rains. It is cold.") == [("It rains.", "sentence"), ("It is cold.", "sentence")]


def test_a_unit_at_the_end_is_no_initial():
    assert [text for text, _ in kinds("Gusts reach 30 km/h. Friday is dry. It is 70°F. Sunday is hot.")] == [
        "Gusts reach 30 km/h.",
        "Friday is dry.",
        "It is 70°F.",
        "Sunday is hot.",
    ]


def test_nothing_in_nothing():
    assert segments("") == []
