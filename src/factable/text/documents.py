"""The facts of a table as short documents that a ranker can find."""

import random
from collections.abc import Sequence

from factable.text.templates import clean_value, facts_of, split_identifier
from factable.types import Record, Table

RECORDS, VALUES = DOCUMENT_KINDS = ("records", "values")
# Texts, each with the indices of its records.
TableDocuments = dict[str, list[int]]


def table_documents(table: Table, kind: str) -> TableDocuments:
    """The distinct documents of a table; records without a value have none."""
    documents: TableDocuments = {}
    for index, record in facts_of(table).items():
        text = document_text(record, kind)
        if text:
            documents.setdefault(text, []).append(index)
    return documents


def document_text(record: Record, kind: str) -> str:
    """A record as a document: subject, attribute and value, or the value alone; empty without a value."""
    value = clean_value(record.value)
    if kind == VALUES or not value:
        return value
    parts = clean_value(record.subject), split_identifier(record.attribute), value
    return " ".join(filter(None, parts))


def make_decoys(table: Table, attributes: Sequence[str], count: int) -> list[str]:
    """For each fact of a table, so many false ones: its subject and value with other attributes.

    The choice depends only on the fact and on the attributes.
    """
    decoys: dict[str, None] = {}
    for record in facts_of(table).values():
        text = document_text(record, RECORDS)
        if not text or not count:
            continue
        draw = random.Random(text.encode("utf-8", "surrogatepass"))  # noqa: S311
        others = [attribute for attribute in attributes if attribute != record.attribute]
        for attribute in draw.sample(others, min(count, len(others))):
            decoys[document_text(record._replace(attribute=attribute), RECORDS)] = None
    return list(decoys)
