"""Which slots an E2E reference states: its writers left out, added and changed many."""

import re
from collections.abc import Sequence

from factable.types import Record

_FOOD = "chinese|english|british|french|indian|italian|japanese|fast food"
_STARS = r"(?: ?out of| ?/|[ -]?stars?)"
# How texts state each value, in lower case; other values are names.
PATTERNS = {
    "eatType": {"coffee shop": "coffee", "pub": r"pub", "restaurant": "restaurant"},
    "food": {
        "Chinese": "chinese",
        "English": "english|british",
        "Fast food": "fast[- ]food",
        "French": "french",
        "Indian": "indian",
        "Italian": "italian|pasta",
        "Japanese": "japanese|sushi",
    },
    "priceRange": {
        "cheap": "cheap|inexpensive|low[- ](?:price|cost)|affordabl",
        "less than £20": "(?:less than|lower than|under|below) £ ?20|cheap|inexpensive|low[- ](?:price|cost)",
        "moderate": "moderate|mid[- ]|average[- ]price|reasonabl|medium",
        "£20-25": r"20 ?(?:-|–|to|and) ?(?:£ ?)?25|moderate",
        "high": "expensive|high[- ](?:price|cost|end)|pric(?:e)?y|high (?:in )?price",
        "more than £30": "(?:more|higher|greater) than £ ?30|(?:over|above) £ ?30|expensive|high[- ]price",
    },
    "customer rating": {
        "1 out of 5": rf"(?:1|one){_STARS}",
        "3 out of 5": rf"(?:3|three){_STARS}",
        "5 out of 5": rf"(?:5|five){_STARS}",
        "low": "low|poor|bad",
        "average": "average|decent",
        "high": "high|excellent|great|good|well",
    },
    "area": {"riverside": "river", "city centre": "cent(?:er|re)|downtown|city"},
}
# A common name for values that mean the same.
SYNONYMS = {
    "less than £20": "cheap",
    "£20-25": "moderate",
    "more than £30": "high",
    "1 out of 5": "low",
    "3 out of 5": "average",
    "5 out of 5": "high",
}
_FAMILY = r"famil|kid|child|adult"
_DENIAL = r"\bnot?\b|n't|adult|\bnon|un(?:friendly|suitable|welcom)|isn"
_ANY = {
    "food": _FOOD,
    "priceRange": "£|cheap|expensive|pric|cost|afford",
    "customer rating": "rat(?:ed|ing)|star|out of|review|customer",
    "area": r"river|cent(?:er|re)|downtown|\barea\b",
    "familyFriendly": _FAMILY,
    "near": r"\bnear|close to|next to|beside|by the|opposite|around",
    "eatType": r"coffee|\bpub\b|restaurant",
}


def stated_slots(records: Sequence[Record], text: str) -> list[Record]:
    """The records that the text certainly states."""
    lowered = text.lower()
    return [record for record in records if _is_stated(record, lowered)]


def states_nothing_else(records: Sequence[Record], text: str) -> bool:
    """Whether no other slot seems to be in the text."""
    lowered = text.lower()
    present = {record.attribute for record in records}
    others = {name: pattern for name, pattern in _ANY.items() if name not in present}
    return not any(re.search(pattern, lowered) for pattern in others.values())


def _is_stated(record: Record, text: str) -> bool:
    if record.attribute == "familyFriendly":
        if not re.search(_FAMILY, text):
            return False
        return bool(re.search(_DENIAL, text)) == (record.value == "no")
    patterns = PATTERNS.get(record.attribute, {})
    return bool(re.search(patterns.get(record.value, re.escape(record.value.lower())), text))
