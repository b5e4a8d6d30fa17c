"""Small changes that make a true statement false, or a text look like the output of a system."""

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
    """The text with one number or month slightly changed; None if it has none."""
    months = list(_MONTH.finditer(text))
    if months and draw.random() < 0.3:
        match = draw.choice(months)
        other = draw.choice([month for month in MONTHS if month != match[0]])
        return text[: match.start()] + other + text[match.end() :]
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return None
    match = draw.choice(numbers)
    return text[: match.start()] + _other_number(match[0], draw) + text[match.end() :]


def _other_number(number: str, draw: random.Random) -> str:
    """Another number of the same format: one digit changed, or two exchanged."""
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
    """The text with one of its verbs negated; None if it has no verb that we can negate."""
    verbs = list(_COPULA.finditer(text))
    if not verbs:
        return None
    verb = draw.choice(verbs)
    negated = {"has": "does not have", "does": "does not", "did": "did not"}.get(verb[0], f"{verb[0]} not")
    return text[: verb.start()] + negated + text[verb.end() :]


def add_generation_noise(text: str, draw: random.Random) -> str:
    """The text, usually unchanged, else in lower case, with spaces around punctuation or without accents."""
    chance = draw.random()
    if chance < 0.7:
        return text
    if chance < 0.9 or chance >= 0.97:
        # Punctuation inside numbers stays.
        text = re.sub(r"\s*(?<!\d)([.,;:!?()'\"])\s*|([.,;:!?()'\"])(?!\d)\s*", r" \1\2 ", text)
        text = " ".join(text.split())
    if 0.8 <= chance < 0.95:
        text = text.lower()
    if chance >= 0.95:
        text = unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode() or text
    return text


# An attribute with more values per subject than this can have several true values at once.
MAX_VALUES_PER_SUBJECT = 1.15
# Candidates drawn before a swap is given up.
MAX_TRIES = 8


class Knowledge:
    """All records of a corpus: which values, subjects and attributes go together.

    With `one_world`, a fact of one table holds in all. Otherwise every table stands alone, as the invented
    restaurants of E2E do: other tables say nothing about a subject, and another value is always a
    contradiction. `synonyms` gives a common name to values that mean the same.
    """

    def __init__(
        self, records: Iterable[Record], *, one_world: bool = True, synonyms: Mapping[str, str] | None = None
    ) -> None:
        all_records = frozenset(records)
        self._one_world = one_world
        self._synonyms = synonyms or {}
        self.known = all_records if one_world else frozenset()
        values: dict[str, set[str]] = defaultdict(set)
        subjects: dict[str, set[str]] = defaultdict(set)
        about: dict[str, set[Record]] = defaultdict(set)
        pairs: dict[tuple[str, str], set[str]] = defaultdict(set)
        for record in all_records:
            values[record.attribute].add(record.value)
            subjects[record.attribute].add(record.subject)
            about[record.subject].add(record)
            pairs[record.subject, record.value].add(record.attribute)
        # Sorted, because the order of sets differs between processes.
        self._values = {attribute: sorted(group) for attribute, group in values.items()}
        self._subjects = {attribute: sorted(group) for attribute, group in subjects.items()}
        self._about = {subject: sorted(group) for subject, group in about.items()}
        self._attributes = sorted(values)
        self._related = _find_related(pairs.values())
        self._single = _find_single(about)

    def is_single(self, attribute: str) -> bool:
        """Whether a subject has only one value of this attribute."""
        return not self._one_world or attribute in self._single

    def swap_value(self, record: Record, draw: random.Random) -> Record | None:
        """The record with another value of its attribute, not known to be true."""
        values = _sample(self._values.get(record.attribute, []), draw)
        meaning = self._synonyms.get(record.value, record.value)
        others = [value for value in values if self._synonyms.get(value, value) != meaning]
        return self._first_unknown(record._replace(value=value) for value in others)

    def swap_subject(self, record: Record, draw: random.Random) -> Record | None:
        """The record with another subject that has this attribute."""
        subjects = _sample(self._subjects.get(record.attribute, []), draw)
        others = [subject for subject in subjects if subject != record.subject]
        return self._first_unknown(record._replace(subject=subject) for subject in others)

    def swap_attribute(self, record: Record, draw: random.Random) -> Record | None:
        """The record with an attribute that means something else."""
        words = set(split_identifier(record.attribute).lower().split())
        for _ in range(MAX_TRIES):
            attribute = draw.choice(self._attributes)
            same_words = words & set(split_identifier(attribute).lower().split())
            swapped = record._replace(attribute=attribute)
            related = same_words or attribute in self._related[record.attribute]
            if not related and swapped not in self.known:
                return swapped
        return None

    def other_fact(self, records: Sequence[Record], draw: random.Random) -> Record | None:
        """A true fact about one of the subjects that does not follow from these records."""
        if not self._one_world:
            return self._invented_fact(records, draw)
        subject = draw.choice(records).subject
        values = {record.value for record in records} | {record.subject for record in records}
        others = [fact for fact in self._about.get(subject, ()) if fact.value not in values]
        return draw.choice(others) if others else None

    def _invented_fact(self, records: Sequence[Record], draw: random.Random) -> Record | None:
        """A fact with an attribute that these records do not have."""
        present = {record.attribute for record in records}
        absent = [attribute for attribute in self._attributes if attribute not in present]
        if not absent:
            return None
        attribute = draw.choice(absent)
        return Record(draw.choice(records).subject, attribute, draw.choice(self._values[attribute]))

    def _first_unknown(self, records: Iterable[Record]) -> Record | None:
        return next((record for record in records if record not in self.known), None)


def _sample(values: Sequence[str], draw: random.Random) -> list[str]:
    return draw.sample(values, min(MAX_TRIES, len(values)))


def _find_related(groups: Iterable[set[str]]) -> dict[str, set[str]]:
    """Attributes that hold between the same two things, so that one may follow from the other."""
    related: dict[str, set[str]] = defaultdict(set)
    for attributes in groups:
        for attribute in attributes:
            related[attribute] |= attributes
    return related


def _find_single(about: Mapping[str, set[Record]]) -> frozenset[str]:
    """Attributes of which a subject has one value, so that another value is a contradiction."""
    facts: dict[str, int] = defaultdict(int)
    subjects: dict[str, set[str]] = defaultdict(set)
    for subject, records in about.items():
        for record in records:
            facts[record.attribute] += 1
            subjects[record.attribute].add(subject)
    return frozenset(name for name in facts if facts[name] <= MAX_VALUES_PER_SUBJECT * len(subjects[name]))
