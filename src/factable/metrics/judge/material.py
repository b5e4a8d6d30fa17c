"""What a judge is shown of an example: its data in one of several forms, numbered facts and sentences."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from factable.core.schema import record_paths
from factable.errors import printable
from factable.metrics.ledger.required import is_structured, required_leaves
from factable.metrics.ledger.verdict import Rules
from factable.structure import Structure
from factable.text.markdown import segments
from factable.text.templates import clean_value
from factable.types import Example, Record, Span, Table

FORMS = ("auto", "json", "table", "triples")
# Of larger data only the facts that must be said are listed; the claims of the text are judged all the same.
MAX_LISTED = 200


@dataclass(frozen=True, slots=True)
class Material:
    """One example as it is shown; fact number n is the record `facts[n - 1]`, and so with sentences.

    `others` are records that are not asked about, because there are too many.
    """

    example: Example
    facts: tuple[int, ...]
    required: frozenset[int]
    others: tuple[int, ...]
    sentences: tuple[Span, ...]
    form: str

    @classmethod
    def of(cls, example: Example, rules: Rules, form: str = "auto") -> "Material":
        """Choose what is listed."""
        candidates, required = _facts_of(example.table, rules)
        listed = (
            candidates if len(candidates) <= MAX_LISTED else [each for each in candidates if each in required]
        )
        chosen = frozenset(listed)
        return cls(
            example,
            tuple(listed),
            required,
            tuple(each for each in candidates if each not in chosen),
            tuple(segment.span for segment in segments(example.text)),
            _form_of(example.table) if form == "auto" else form,
        )

    @property
    def data(self) -> str:
        """The data; of triples, what the list of facts does not have."""
        table = self.example.table
        title = f"title: {printable(table.title)}\n" if table.title else ""
        return title + (self._unlisted() if self.form == "triples" else _WRITERS[self.form](table))

    def _unlisted(self) -> str:
        table, listed = self.example.table, frozenset(self.facts)
        lines = self._lines(index for index in range(len(table.records)) if index not in listed)
        return "\n".join(("the listed facts, and" if lines else "the listed facts", *lines))

    def _lines(self, records: Iterable[int]) -> list[str]:
        table = self.example.table
        paths = record_paths(table)
        return [_fact_line(table.records[index], paths[index], table.source is not None) for index in records]

    @property
    def fact_list(self) -> str:
        """The facts with their numbers."""
        lines = (f"{number}. {line}" for number, line in enumerate(self._lines(self.facts), 1))
        return "\n".join(lines) or "(none)"

    @property
    def sentence_list(self) -> str:
        """The sentences with their numbers, each on a line."""
        lines = (
            f"{number}. {printable(self.example.text[slice(*span)])}"
            for number, span in enumerate(self.sentences, 1)
        )
        return "\n".join(lines)


def _facts_of(table: Table, rules: Rules) -> tuple[list[int], frozenset[int]]:
    """The records that are facts and those of them that a text must say."""
    if not is_structured(table):
        records = {
            index: record
            for index, record in enumerate(table.records)
            if clean_value(record.value) and not rules.ignores(record)
        }
        return list(records), frozenset(
            index for index, record in records.items() if rules.selection.requires(record)
        )
    structure = Structure.of(table)
    leaves = required_leaves(structure, table, rules)
    required = frozenset(structure.leaves[leaf].record for leaf in leaves) - {None}
    listed = [
        leaf.record
        for leaf in structure.leaves
        if leaf.record is not None
        and not rules.ignores(table.records[leaf.record])
        and (leaf.record in required or leaf.kind in ("value", "flag", "prose"))
    ]
    return listed, frozenset(index for index in required if index is not None)


def _form_of(table: Table) -> str:
    if table.source is None:
        return "triples"
    return "table" if _rows_of(table) else "json"


def _rows_of(table: Table) -> Sequence[Mapping[str, object]]:
    """Rows whose cells are plain values, for a table to show; none for other data."""
    source = table.source
    if not isinstance(source, list) or not all(isinstance(row, dict) for row in source):
        return ()
    is_flat = not any(isinstance(cell, dict | list) for row in source for cell in row.values())
    return source if is_flat else ()


def _fact_line(record: Record, path: str, is_source: bool) -> str:
    parts = (path, record.value) if is_source else tuple(record)
    return " | ".join(printable(part) for part in parts if part)


def _as_json(table: Table) -> str:
    if table.source is None:
        rows = [[part for part in record if part] for record in table.records]
        return json.dumps(rows, ensure_ascii=False)
    return json.dumps(table.source, ensure_ascii=False, indent=1, default=str)


def _as_table(table: Table) -> str:
    rows = _rows_of(table)
    if not rows:
        paths = record_paths(table)
        cells = [
            (record.subject, path, record.value) for record, path in zip(table.records, paths, strict=True)
        ]
        return "\n".join(_table_lines(("subject", "attribute", "value"), cells))
    columns = list(dict.fromkeys(key for row in rows for key in row))
    shown = [[_cell(row.get(column)) for column in columns] for row in rows]
    return "\n".join(_table_lines(columns, shown))


def _cell(value: object) -> str:
    return "" if value is None else str(value)


def _table_lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for cells in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(printable(cell).replace('|', '/') for cell in cells)} |"


_WRITERS: Mapping[str, Callable[[Table], str]] = {"json": _as_json, "table": _as_table}
