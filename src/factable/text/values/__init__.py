"""Values as values: numbers, dates, names, and what in a text says them."""

from factable.text.values.compare import compare
from factable.text.values.kinds import Boolean, Date, Listing, Mention, Name, Number, Relation, Value
from factable.text.values.mentions import find_mentions, parse_value, read_value
from factable.text.values.search import Hit, ReadText, find_value, read_text

__all__ = [
    "Boolean",
    "Date",
    "Hit",
    "Listing",
    "Mention",
    "Name",
    "Number",
    "ReadText",
    "Relation",
    "Value",
    "compare",
    "find_mentions",
    "find_value",
    "parse_value",
    "read_text",
    "read_value",
]
