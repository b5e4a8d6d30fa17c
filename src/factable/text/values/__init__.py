"""Values (numbers, dates, names, lists, booleans) in data and in texts, and how they compare."""

from factable.text.values.compare import compare
from factable.text.values.kinds import Boolean, Date, Listing, Mention, Name, Number, Relation, Value
from factable.text.values.mentions import find_mentions, parse_value, possible_values
from factable.text.values.search import Hit, ParsedText, find_value, parse_text

__all__ = [
    "Boolean",
    "Date",
    "Hit",
    "Listing",
    "Mention",
    "Name",
    "Number",
    "ParsedText",
    "Relation",
    "Value",
    "compare",
    "find_mentions",
    "find_value",
    "parse_text",
    "parse_value",
    "possible_values",
]
