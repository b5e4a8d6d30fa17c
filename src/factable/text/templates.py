"""Facts as sentences: a template per attribute, and a general one for all others."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from factable.text.memo import cached_if_short
from factable.text.patterns import lazy_pattern
from factable.types import Record, Table

SUBJECT, ATTRIBUTE, VALUE = "<subject>", "<predicate>", "<object>"
# The sentences of Dušek and Kasner (2020) for attributes without a template, and ours without a subject.
BACKOFF = f"The {ATTRIBUTE} of {SUBJECT} is {VALUE}."
BACKOFF_WITHOUT_SUBJECT = f"The {ATTRIBUTE} is {VALUE}."
# Attributes whose value names the subject of the other records, the most specific first.
NAMING = ("name", "title", "full name", "page title")
# Attributes that do so if they come first.
_NAMING_FIRST = """
product item company organisation organization event hotel restaurant city country airport station person
player team club athlete album song film movie show series book game project course recipe dish building
school university vehicle ship
"""
NAMING_FIRST = frozenset(_NAMING_FIRST.split())
# Values that are not written out in a sentence.
TRUE, FALSE = frozenset(("yes", "true")), frozenset(("no", "false"))
_VERB = lazy_pattern(r"(is|are|was|has|have|had|can|does|did|allows|accepts|includes|offers)\s+(.+)")
# Between the steps of a path such as address.city or rooms[0].size.
_STEP = lazy_pattern(r"\[\d+\]|(?<=[\w\]])\.(?=\w)")
_MEMBER = lazy_pattern(r"(.*\[\d+\])\.[^.\[\]]+")
_HUMP = lazy_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ADJECTIVE = lazy_pattern(
    r"(?:able|ible|ed|ic|ical|al|ly|less|free|ful|ive|ous|proof|ready|ant|ent|ary|ing|open|new|safe)\Z"
)
_COPULAS = frozenset(("is", "are", "was", "can", "does", "did"))
_QUOTES = {'"': '"', "'": "'", "“": "”"}


@dataclass(frozen=True, slots=True)
class Templates:
    """Templates by attribute, or by attribute and value (`familyFriendly=yes`); the first of each is used."""

    by_attribute: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def sentence(self, record: Record) -> str:
        """The record as a sentence."""
        return fill(self.choices(record)[0], record)

    def choices(self, record: Record) -> Sequence[str]:
        """Every template for a record, the best first; the general one if there is no other."""
        for key in (f"{record.attribute}={record.value}", record.attribute):
            templates = self.by_attribute.get(key, ())
            usable = [template for template in templates if record.subject or SUBJECT not in template]
            if usable:
                return usable
        if clean_value(record.value).lower() in TRUE | FALSE:
            return (_of_boolean(record),)
        return (BACKOFF if record.subject else BACKOFF_WITHOUT_SUBJECT,)


def _of_boolean(record: Record) -> str:
    """A sentence that affirms or denies an attribute such as `familyFriendly` or `has_wifi`."""
    words = split_identifier(record.attribute)
    match = _VERB.fullmatch(words)
    verb, rest = (match[1], match[2]) if match else ("is" if _ADJECTIVE.search(words) else "has", words)
    denial = "" if clean_value(record.value).lower() in TRUE else " not" if verb in _COPULAS else " no"
    # The only angle brackets in a template are those of its placeholders.
    rest = rest.replace("<", "").replace(">", "")
    return f"{SUBJECT if record.subject else 'It'} {verb}{denial} {rest}."


def fill(template: str, record: Record) -> str:
    """A template, filled with the subject, attribute and value of a record."""
    parts = {
        SUBJECT: clean_value(record.subject),
        ATTRIBUTE: split_identifier(record.attribute),
        VALUE: clean_value(record.value),
    }
    # In one pass, so that a value that looks like a placeholder stays a value.
    filled = re.sub(f"{SUBJECT}|{ATTRIBUTE}|{VALUE}", lambda match: parts[match[0]], template)
    return filled[:1].upper() + filled[1:]


@cached_if_short(1 << 12)
def split_identifier(name: str) -> str:
    """An attribute as words: split at camel case, underscores and the steps of a path."""
    if " " not in name:
        # With spaces, a full stop marks an abbreviation, as in "No.of seats".
        name = _STEP.sub(" ", name)
    words = _HUMP.sub(" ", re.sub(r"[_/]+", " ", name)).split()
    return " ".join(
        word if word.isupper() and len(word) > 1 else word[:1].lower() + word[1:] for word in words
    )


def clean_value(value: str) -> str:
    """A subject or value as it stands in a sentence: no surrounding quotes, no underscores."""
    text = value.strip()
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1]:
        text = text[1:-1]
    return " ".join(text.replace("_", " ").split())


def facts_of(table: Table) -> dict[int, Record]:
    """The facts of a table by the index of their record, each with a subject if the table has one.

    The subject of a plain record is the title of its table, or the value of a record such as `name`, which is
    then no fact of its own. Members of a list of objects, such as `jobs[0].year`, have the first value of
    their object as subject, as the cells of a row have its first cell.
    """
    naming = _naming_record(table.records)
    subject = table.title or ("" if naming is None else table.records[naming].value)
    if naming is not None and clean_value(table.records[naming].value) != clean_value(subject):
        naming = None
    heads: dict[str, str] = {}
    facts = {}
    for index, record in enumerate(table.records):
        if index == naming:
            continue
        member = None if record.subject else _MEMBER.fullmatch(record.attribute)
        if member and member[1] in heads:
            facts[index] = record._replace(subject=heads[member[1]])
            continue
        if member and not any(char.isdecimal() for char in record.value):
            heads[member[1]] = record.value
        facts[index] = record if record.subject else record._replace(subject=subject)
    return facts


def _naming_record(records: Sequence[Record]) -> int | None:
    """The index of the record that names the subject of the others, if there is one."""
    if len(records) < 2:
        return None
    names = [split_identifier(record.attribute).lower() if not record.subject else "" for record in records]
    first = 0 if names[0] in NAMING_FIRST and names.count(names[0]) == 1 else None
    return next((names.index(name) for name in NAMING if names.count(name) == 1), first)
