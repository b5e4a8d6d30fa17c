"""Categories of errors that annotators choose from, read from small TOML files.

    [[category]]
    name = "wrong"
    error = "contradiction"
    description = "The data says something else."

`error` tells what a mark means for the verdict on a text: omission, contradiction, hallucination, or nothing.
"""

import os
from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple, NoReturn

from factable.errors import DataError, Fault, did_you_mean
from factable.io.files import read_whole, source_name
from factable.io.toml import parse_toml
from factable.types import ERRORS

# The files that ship.
NAMES = ("default", "quintd", "rotowire")
# One key of the keyboard for each.
MAX_CATEGORIES = 9
MAX_NAME, MAX_DESCRIPTION = 60, 500
FIELDS = ("name", "error", "description")
REMEDY = 'write [[category]] and name = "…" below it'


class Category(NamedTuple):
    """A kind of error; `error` is one of ERRORS, or empty for what does not change the verdict."""

    name: str
    error: str = ""
    description: str = ""


def load_categories(name: str | os.PathLike[str]) -> tuple[Category, ...]:
    """The categories that ship under a name, or those of a TOML file."""
    if name in NAMES:
        content = (files("factable") / "data" / "categories" / f"{name}.toml").read_bytes()
    else:
        content = read_whole(name)
    return parse_categories(source_name(name), content)


def parse_categories(source: str, content: bytes) -> tuple[Category, ...]:
    """Check the content of a TOML file; `source` names it in messages."""
    tables = parse_toml(source, content, REMEDY).get("category")
    if not isinstance(tables, list) or not tables:
        _refuse(source, "has no [[category]]", REMEDY)
    if len(tables) > MAX_CATEGORIES:
        _refuse(source, f"has {len(tables)} categories", f"give at most {MAX_CATEGORIES}, one for each key")
    made = [_make(source, number, table) for number, table in enumerate(tables, 1)]
    names = [category.name for category in made]
    for name in names:
        if names.count(name) > 1:
            _refuse(source, f"has two categories {name!r}", "give each a name of its own")
    if all(category.error == ERRORS[0] for category in made):
        _refuse(source, "has no category for words of the text", "add one whose error is not omission")
    return tuple(made)


def _make(source: str, number: int, table: object) -> Category:
    where = f"{source}: category {number}"
    if not isinstance(table, dict):
        _refuse(where, "is no table", REMEDY)
    for field, value in table.items():
        if field not in FIELDS:
            hint = did_you_mean(field, FIELDS)
            _refuse(where, f"has the unknown field {field!r}", f"{hint}fields are {', '.join(FIELDS)}")
        if not isinstance(value, str):
            _refuse(where, f"has a {field} that is no string", "write it in quotes")
    category = Category(**{field: value.strip() for field, value in table.items()} or {"name": ""})
    if not category.name or len(category.name) > MAX_NAME or not category.name.isprintable():
        _refuse(where, "has no name, or one too long", f"give a name of up to {MAX_NAME} characters")
    if category.error and category.error not in ERRORS:
        hint = did_you_mean(category.error, ERRORS)
        _refuse(where, f"has error {category.error!r}", f"{hint}give {', '.join(ERRORS)}, or leave it out")
    if len(category.description) > MAX_DESCRIPTION:
        _refuse(where, "has too long a description", f"use up to {MAX_DESCRIPTION} characters")
    return category


def _refuse(source: str, problem: str, remedy: str) -> NoReturn:
    raise DataError([Fault(source, None, problem, remedy)])


def category_for(categories: Sequence[Category], error: str) -> str:
    """The name of the first category that stands for an error; empty if there is none."""
    return next((category.name for category in categories if category.error == error), "")
