"""Examples from rows of a table (CSV, Parquet, data frames), and tables from objects of Python."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

import orjson

from factable.errors import DataError, Fault
from factable.io.data import is_missing, make_table
from factable.io.duplicates import check_unique_names
from factable.io.examples import FIELDS, make_example
from factable.io.faults import Malformed, shorten
from factable.io.limits import MAX_NESTING
from factable.types import Example, Record, Table

REFERENCE = re.compile(r"ref(?:erence)?_?0*([0-9]*)")
RATING_PREFIX = "human."
NAME_FIELDS = ("id", "system", "subject", "title")
# How JSON in a cell begins; a "[Rec] | director | …" string is not JSON.
JSON_START = re.compile(r"\s*(?:\[\s*[\[{\"\]]|\{\s*[\"}])")
_NATIVE = frozenset((str, int, bool, type(None)))


class Columns:
    """What each column of a table is for; makes an Example of each row."""

    def __init__(self, names: Sequence[str]) -> None:
        self._references = sorted(
            (len(match[1]), match[1], index)
            for index, name in enumerate(names)
            if name not in FIELDS and (match := REFERENCE.fullmatch(name))
        )
        self._ratings = [(name, index) for index, name in enumerate(names) if name.startswith(RATING_PREFIX)]
        used = {index for *_, index in self._references} | {index for _, index in self._ratings}
        rest = [(name, index) for index, name in enumerate(names) if index not in used]
        has_data = "data" in names
        self._fields = [(name, index) for name, index in rest if name in FIELDS or has_data]
        self._facts = [] if has_data else [(name, index) for name, index in rest if name not in FIELDS]

    def example(self, cells: Sequence[object], number: int, *, need_text: bool = True) -> Example:
        """The Example of one row; `number` stands in for a missing id."""
        row = {name: to_json_types(cells[index]) for name, index in self._fields}
        for name in NAME_FIELDS:
            if name in row:
                row[name] = _label(row[name])
        row["data"] = parse_cell(row["data"]) if "data" in row else self._find_facts(cells)
        if self._references or "references" in row:
            row["references"] = self._find_references(row.get("references"), cells)
        if self._ratings or "human" in row:
            row["human"] = self._find_ratings(row.get("human"), cells)
        return make_example(row, number, need_text=need_text)

    def _find_facts(self, cells: Sequence[object]) -> dict[str, object]:
        if not self._facts:
            raise Malformed('no "data" column and no other columns', "add the data the text was written from")
        facts = {name: to_json_types(cells[index]) for name, index in self._facts}
        return {name: value for name, value in facts.items() if value != ""}

    def _find_references(self, listed: object, cells: Sequence[object]) -> object:
        """References of the list column, then of the numbered columns; empty cells are left out."""
        if isinstance(listed, str):
            listed = parse_cell(listed) if JSON_START.match(listed) else [listed]
        if listed is not None and not isinstance(listed, list):
            return listed
        numbered = [to_json_types(cells[index]) for *_, index in self._references]
        return [reference for reference in (listed or []) + numbered if reference != ""]

    def _find_ratings(self, human: object, cells: Sequence[object]) -> object:
        human = parse_cell(human) if human != "" else None
        if human is not None and not isinstance(human, dict):
            return human
        by_column = {
            name.removeprefix(RATING_PREFIX): _number(name, to_json_types(cells[index]))
            for name, index in self._ratings
        }
        return {**(human or {}), **by_column}


def row_example(row: object, number: int, *, need_text: bool = True) -> Example:
    """The Example of one dict, with the fields of a JSON line; NumPy values and NaN are understood."""
    source = to_json_types(row)
    if isinstance(source, dict):
        for name in ("id", "system"):
            if name in source:
                source[name] = _label(source[name], empty="")
    return make_example(source, number, need_text=need_text)


def parse_cell(cell: object) -> object:
    """A cell as it is, or the value of the JSON in it."""
    if not isinstance(cell, str) or not JSON_START.match(cell):
        return cell
    try:
        value: object = orjson.loads(cell)
    except (orjson.JSONDecodeError, UnicodeEncodeError) as error:
        raise Malformed(
            f"broken JSON ({str(error).split(': line')[0]}) in {shorten(cell)}", "correct it"
        ) from None
    check_unique_names(cell, value)
    return value


def _label(value: object, empty: str | None = None) -> object:
    """An id or name; data frames turn integers with gaps into floats, and an empty cell means none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return empty if value == "" else value


def _number(column: str, cell: object) -> object:
    if not isinstance(cell, str):
        return cell
    if not cell.strip():
        return None
    try:
        return float(cell)
    except ValueError:
        raise Malformed(f'{shorten(cell)} in column "{column}"', "give numbers, or empty cells") from None


def to_json_types(value: object, depth: int = 0) -> Any:
    """The value in JSON types: no NumPy, data frame or calendar types; None for missing values."""
    if type(value) in _NATIVE:
        return value
    if depth > MAX_NESTING:
        raise Malformed(f"nested deeper than {MAX_NESTING} levels", "flatten it")
    if isinstance(value, Mapping):
        return {_key(key): to_json_types(inner, depth + 1) for key, inner in value.items()}
    if isinstance(value, list | tuple) and not _is_named(value):
        return [to_json_types(inner, depth + 1) for inner in value]
    if isinstance(value, set | frozenset):
        # Sets have no order, and results must not depend on one.
        return sorted((to_json_types(inner, depth + 1) for inner in value), key=str)
    plain = _to_plain_scalar(value)
    if plain is not value:
        return plain
    fields = _fields_of(value)
    return value if fields is value else to_json_types(fields, depth + 1)


def _key(key: object) -> str:
    """The name of a field, which JSON has as text."""
    return key if type(key) is str else str(to_json_types(key))


def _is_named(value: object) -> bool:
    """Whether a tuple has names for its values, such as a row of a data frame; a record is a plain triple."""
    return hasattr(value, "_asdict") and not isinstance(value, Record)


def _to_plain_scalar(value: object) -> object:
    """A scalar in JSON types, or the value itself if it is none."""
    # Missing values of pandas, recognised by name so that pandas need not be installed.
    if is_missing(value) or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, Enum):
        return to_json_types(value.value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal | timedelta | PurePath | UUID):
        return str(value)
    return value


def _fields_of(value: Any) -> object:
    """The fields of an object, the rows of a data frame or the values of an array; else the value itself.

    Objects of other packages are recognised by their methods, so that none of them has to be installed.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if hasattr(value, "itertuples"):
        return value.to_dict("records")
    for convert in ("_asdict", "model_dump", "to_dicts"):
        # Named tuples, pydantic models, Polars data frames.
        if hasattr(value, convert):
            return getattr(value, convert)()
    if hasattr(value, "to_dict") and hasattr(value, "index"):
        # A pandas series: a row has names, a column has numbers.
        by_label = value.to_dict()
        return by_label if all(isinstance(label, str) for label in by_label) else list(by_label.values())
    for convert in ("tolist", "to_list", "item"):
        # NumPy arrays and scalars, Polars and Arrow series.
        if hasattr(value, convert):
            return getattr(value, convert)()
    return value


def table_of(data: object, *, subject: str = "", title: str = "") -> Table:
    """The table of whatever a program holds: JSON, as text or not, dates, NumPy scalars, any objects."""
    if isinstance(data, Table):
        return data
    try:
        return make_table(parse_cell(to_json_types(data)), subject=subject, title=title)
    except Malformed as fault:
        raise DataError([Fault("data", None, fault.problem, fault.remedy)]) from None
