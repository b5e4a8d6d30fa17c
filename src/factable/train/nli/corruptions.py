"""Small changes that make a true statement false, or a text read as machines write it."""

import random
import re
import unicodedata

from factable.text.months import MONTHS

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MONTH = re.compile(rf"\b({'|'.join(MONTHS)})\b")
_COPULA = re.compile(r"\b(is|was|are|were|has|can|does|did)\b")


def change_number(text: str, draw: random.Random) -> str | None:
    """The text with one number or month changed a little; None where it has none."""
    months = list(_MONTH.finditer(text))
    if months and draw.random() < 0.3:
        place = draw.choice(months)
        other = draw.choice([month for month in MONTHS if month != place[0]])
        return text[: place.start()] + other + text[place.end() :]
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return None
    place = draw.choice(numbers)
    return text[: place.start()] + _other_number(place[0], draw) + text[place.end() :]


def _other_number(number: str, draw: random.Random) -> str:
    """Another number of the same shape: a digit changed, two exchanged, or a near one."""
    digits = [place for place, letter in enumerate(number) if letter.isdigit()]
    letters = list(number)
    if len(digits) > 1 and draw.random() < 0.3:
        first, second = draw.sample(digits, 2)
        letters[first], letters[second] = letters[second], letters[first]
        if "".join(letters) != number and letters[0] != "0":
            return "".join(letters)
        letters = list(number)
    place = draw.choice(digits)
    choices = [
        digit for digit in "0123456789" if digit != number[place] and (digit != "0" or place != digits[0])
    ]
    letters[place] = draw.choice(choices)
    return "".join(letters)


def negate(text: str, draw: random.Random) -> str | None:
    """The text with one of its verbs denied; None where no verb is found that can be."""
    places = list(_COPULA.finditer(text))
    if not places:
        return None
    place = draw.choice(places)
    denied = {"has": "does not have", "does": "does not", "did": "did not"}.get(place[0], f"{place[0]} not")
    return text[: place.start()] + denied + text[place.end() :]


def as_machines_write(text: str, draw: random.Random) -> str:
    """The text, mostly as it is, else in lower case, with spaces around marks, or without accents."""
    chance = draw.random()
    if chance < 0.7:
        return text
    if chance < 0.9 or chance >= 0.97:
        # Marks inside numbers stay where they are.
        text = re.sub(r"\s*(?<!\d)([.,;:!?()'\"])\s*|([.,;:!?()'\"])(?!\d)\s*", r" \1\2 ", text)
        text = " ".join(text.split())
    if 0.8 <= chance < 0.95:
        text = text.lower()
    if chance >= 0.95:
        text = unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode() or text
    return text
