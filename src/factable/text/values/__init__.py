"""Values (numbers, dates, names, lists, booleans) in data and in texts, and how they compare."""

from factable.text.values.compare import compare_values
from factable.text.values.hints import Hint, hint_of
from factable.text.values.kinds import (
    STATED,
    Boolean,
    Date,
    Mention,
    Name,
    NameList,
    Number,
    Relation,
    Time,
    Value,
    Weekdays,
)
from factable.text.values.mentions import apply_hint, find_mentions, parse_value, parts_of, possible_values
from factable.text.values.search import Hit, ParsedText, find_value, parse_text

__all__ = [
    "STATED",
    "Boolean",
    "Date",
    "Hint",
    "Hit",
    "Mention",
    "Name",
    "NameList",
    "Number",
    "ParsedText",
    "Relation",
    "Time",
    "Value",
    "Weekdays",
    "apply_hint",
    "compare_values",
    "find_mentions",
    "find_value",
    "hint_of",
    "parse_text",
    "parse_value",
    "parts_of",
    "possible_values",
]
