"""Small changes that make a true statement false, or a text read as machines write it."""

import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from factable.text.templates import split_identifier
from factable.text.values.dates import MONTHS
from factable.types import Record

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MONTH = re.compile(rf"\b({'|'.join(MONTHS)})\b")
_COPULA = re.compile(r"\b(is|was|are|were|has|can|does|did)\b")


def change_number(text: str, draw: random.Random) -> str | None:
    """The text with one number or month changed a little; None where it has none."""
    months = list(_MONTH.finditer(text))
    if months and draw.random() < 0.3:
        index = draw.choice(months)
        other = draw.choice([month for month in MONTHS if month != index[0]])
        return text[: index.start()] + other + text[index.end() :]
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return None
    index = draw.choice(numbers)
    return text[: index.start()] + _other_number(index[0], draw) + text[index.end() :]


def _other_number(number: str, draw: random.Random) -> str:
    """Another number of the same shape: a digit changed, two exchanged, or a near one."""
    digits = [index for index, letter in enumerate(number) if letter.isdigit()]
    letters = list(number)
    if len(digits) > 1 and draw.random() < 0.3:
        first, second = draw.sample(digits, 2)
        letters[first], letters[second] = letters[second], letters[first]
        if "".join(letters) != number and letters[0] != "0":
            return "".join(letters)
        letters = list(number)
    index = draw.choice(digits)
    choices = [
        digit for digit in "0123456789" if digit != number[index] and (digit != "0" or index != digits[0])
    ]
    letters[index] = draw.choice(choices)
    return "".join(letters)


def negate(text: str, draw: random.Random) -> str | None:
    """The text with one of its verbs denied; None where no verb is found that can be."""
    indices = list(_COPULA.finditer(text))
    if not indices:
        return None
    index = draw.choice(indices)
    denied = {"has": "does not have", "does": "does not", "did": "did not"}.get(index[0], f"{index[0]} not")
    return text[: index.start()] + denied + text[index.end() :]


def add_generation_noise(text: str, draw: random.Random) -> str:
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


# An attribute with more values per subject than this can have several true values at once.
MAX_VALUES_OF_ONE = 1.15


class Knowledge:
    """All records of a corpus: which values, subjects and attributes go together.

    In a corpus of one world what is true in one table is true in all. Else every table stands alone, as the
    made-up restaurants of E2E do: then other tables say nothing about a subject, and another value is always
    a contradiction. `same` gives a common name to values that mean the same.
    """

    def __init__(
        self, records: Iterable[Record], *, one_world: bool = True, same: Mapping[str, str] | None = None
    ) -> None:
        everything = frozenset(records)
        self._one_world = one_world
        self._same = same or {}
        self.known = everything if one_world else frozenset()
        values: dict[str, set[str]] = defaultdict(set)
        subjects: dict[str, set[str]] = defaultdict(set)
        about: dict[str, set[Record]] = defaultdict(set)
        pairs: dict[tuple[str, str], set[str]] = defaultdict(set)
        for record in everything:
            values[record.attribute].add(record.value)
            subjects[record.attribute].add(record.subject)
            about[record.subject].add(record)
            pairs[record.subject, record.value].add(record.attribute)
        # Sorted, because sets have another order in every process.
        self._values = {attribute: sorted(found) for attribute, found in values.items()}
        self._subjects = {attribute: sorted(found) for attribute, found in subjects.items()}
        self._about = {subject: sorted(found) for subject, found in about.items()}
        self._attributes = sorted(values)
        self._alike = self._find_alike(pairs.values())
        self._single = self._find_single(about)

    @staticmethod
    def _find_alike(together: Iterable[set[str]]) -> dict[str, set[str]]:
        """Attributes that hold between the same two things, so one may follow from the other."""
        alike: dict[str, set[str]] = defaultdict(set)
        for attributes in together:
            for attribute in attributes:
                alike[attribute] |= attributes
        return alike

    @staticmethod
    def _find_single(about: dict[str, set[Record]]) -> frozenset[str]:
        """Attributes that have one value: another value is a contradiction."""
        facts: dict[str, int] = defaultdict(int)
        holders: dict[str, set[str]] = defaultdict(set)
        for subject, records in about.items():
            for record in records:
                facts[record.attribute] += 1
                holders[record.attribute].add(subject)
        return frozenset(name for name in facts if facts[name] <= MAX_VALUES_OF_ONE * len(holders[name]))

    def is_single(self, attribute: str) -> bool:
        """Whether a subject has one value of this attribute only."""
        return not self._one_world or attribute in self._single

    def swap_value(self, record: Record, draw: random.Random) -> Record | None:
        """The record with another value of its attribute, not known to be true."""
        found = self._sample(self._values, record.attribute, draw)
        meant = self._same.get(record.value, record.value)
        others = [value for value in found if self._same.get(value, value) != meant]
        return self._pick(record._replace(value=value) for value in others)

    def swap_subject(self, record: Record, draw: random.Random) -> Record | None:
        """The record said of another subject that has such an attribute."""
        found = self._sample(self._subjects, record.attribute, draw)
        return self._pick(record._replace(subject=subject) for subject in found if subject != record.subject)

    def swap_attribute(self, record: Record, draw: random.Random) -> Record | None:
        """The record with an attribute that means something else."""
        words = set(split_identifier(record.attribute).lower().split())
        for _ in range(8):
            other = draw.choice(self._attributes)
            same = other in self._alike[record.attribute] or words & set(
                split_identifier(other).lower().split()
            )
            found = record._replace(attribute=other)
            if not same and found not in self.known:
                return found
        return None

    def other_fact(self, records: Sequence[Record], draw: random.Random) -> Record | None:
        """A known fact about one of the subjects that does not follow from these records."""
        if not self._one_world:
            return self._made_up_fact(records, draw)
        subject = draw.choice(records).subject
        values = {record.value for record in records} | {record.subject for record in records}
        others = [fact for fact in self._about.get(subject, ()) if fact.value not in values]
        return draw.choice(others) if others else None

    def _made_up_fact(self, records: Sequence[Record], draw: random.Random) -> Record | None:
        """A fact with an attribute that these records do not have."""
        present = {record.attribute for record in records}
        absent = [attribute for attribute in self._attributes if attribute not in present]
        if not absent:
            return None
        attribute = draw.choice(absent)
        return Record(draw.choice(records).subject, attribute, draw.choice(self._values[attribute]))

    def _sample(self, pool: dict[str, list[str]], attribute: str, draw: random.Random) -> list[str]:
        found = pool.get(attribute, [])
        return draw.sample(found, min(8, len(found)))

    def _pick(self, records: Iterable[Record]) -> Record | None:
        return next((record for record in records if record not in self.known), None)
