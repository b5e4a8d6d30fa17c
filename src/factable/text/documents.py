"""What is ranked of a table: its facts as short texts, or its bare values."""

import random
from collections.abc import Sequence

from factable.text.templates import clean_value, facts_of, split_identifier
from factable.types import Record, Table

RECORDS, VALUES = READINGS = ("records", "values")
# Texts of what is ranked, with the places of the records behind each.
Units = dict[str, list[int]]


def units_of(table: Table, reading: str) -> Units:
    """The distinct units of a table; records without a value are none."""
    units: Units = {}
    for index, record in facts_of(table).items():
        text = unit_text(record, reading)
        if text:
            units.setdefault(text, []).append(index)
    return units


def unit_text(record: Record, reading: str) -> str:
    """A record as it is ranked: subject, attribute and value, or the value alone; empty without a value."""
    value = clean_value(record.value)
    if reading == VALUES or not value:
        return value
    return " ".join(
        part for part in (clean_value(record.subject), split_identifier(record.attribute), value) if part
    )


def decoys_of(table: Table, attributes: Sequence[str], count: int) -> list[str]:
    """Made-up facts for each fact of a table: its subject and value with so many other attributes.

    Which ones depends on the fact and the attributes to choose from alone.
    """
    found: dict[str, None] = {}
    for record in facts_of(table).values():
        own = unit_text(record, RECORDS)
        if not own or not count:
            continue
        draw = random.Random(own.encode("utf-8", "surrogatepass"))  # noqa: S311
        others = [attribute for attribute in attributes if attribute != record.attribute]
        chosen = draw.sample(others, min(count, len(others)))
        found |= dict.fromkeys(unit_text(record._replace(attribute=one), RECORDS) for one in chosen)
    return list(found)
