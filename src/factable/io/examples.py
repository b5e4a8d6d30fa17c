"""Examples from JSON objects, and back."""

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import isfinite

import orjson

from factable.errors import did_you_mean
from factable.io.data import is_missing, make_table
from factable.io.faults import Malformed, kind_of
from factable.io.files import open_output
from factable.io.limits import MAX_FIELDS
from factable.types import Example

FIELDS = ("id", "system", "data", "text", "references", "human", "subject", "title")
_KNOWN = frozenset(FIELDS)
# Objects whose names are longer in total are not cached.
MAX_CACHED_LENGTH = 1000


def make_example(source: object, number: int, raw: bytes = b"", *, need_text: bool = True) -> Example:
    """Check one object and make it an Example; `number` stands in for a missing id.

    `raw` is the JSON that the object was parsed from, if any; it is searched for names that occur twice.
    """
    if not isinstance(source, dict):
        raise Malformed(f"{kind_of(source)} instead of an object", 'write {"id": …, "data": …, "text": …}')
    extra: dict[str, object] = {}
    if not _KNOWN.issuperset(source):
        _check_unknown_fields(source)
        extra = {name: value for name, value in source.items() if name not in _KNOWN}
    text = source.get("text")
    if type(text) is not str:
        text = _missing_text(source, text, need_text)
    if "data" not in source:
        raise Malformed('no "data" field', "add the data the text was written from")
    item, system = source.get("id"), source.get("system")
    subject, title = source.get("subject") or "", source.get("title") or ""
    if type(subject) is not str or type(title) is not str:
        name, value = ("title", title) if type(subject) is str else ("subject", subject)
        raise Malformed(f'"{name}" is {kind_of(value)}', "give a string")
    return Example(
        item if type(item) is str else _name("id", item, str(number)),
        system if type(system) is str else _name("system", system, ""),
        text,
        make_table(source["data"], subject=subject, title=title, raw=raw, line=source),
        _references(source.get("references")),
        {} if source.get("human") is None else _ratings(source["human"]),
        extra,
    )


def _check_unknown_fields(source: Mapping[str, object]) -> None:
    if len(source) > MAX_FIELDS:
        raise Malformed(f"{len(source)} fields", f"give at most {MAX_FIELDS}, and put facts into data")
    names = tuple(source)
    # Cached, because looking for close matches takes longer than all the rest of a line.
    check = (
        _refuse_misspelt_cached
        if sum(len(str(name)) for name in names) <= MAX_CACHED_LENGTH
        else _refuse_misspelt
    )
    check(names)


def _refuse_misspelt(keys: tuple[object, ...]) -> None:
    """Unknown fields are allowed, unless they look like a misspelt one of ours."""
    absent = [name for name in FIELDS if name not in keys]
    for key in keys:
        hint = did_you_mean(str(key), absent)
        if key not in _KNOWN and hint:
            raise Malformed(f'unknown field "{key}"', f"{hint}Fields are {', '.join(FIELDS)}")


_refuse_misspelt_cached = lru_cache(maxsize=1000)(_refuse_misspelt)


def _missing_text(source: Mapping[str, object], text: object, need_text: bool) -> str:
    if text is not None:
        raise Malformed(f'"text" is {kind_of(text)}', "give the text as a string")
    if need_text:
        problem = 'no "text" field' if "text" not in source else '"text" is null'
        raise Malformed(problem, 'add the text to be checked (an empty output is "")')
    return ""


def _name(field: str, name: object, default: str) -> str:
    if name is None:
        return default
    if type(name) is int:
        return str(name)
    raise Malformed(f'"{field}" is {kind_of(name)}', "give a string or a whole number")


def _references(references: object) -> tuple[str, ...]:
    """Null references are dropped; empty strings are kept, for the metrics to treat."""
    if references is None:
        return ()
    if not isinstance(references, list | tuple):
        raise Malformed(f'"references" is {kind_of(references)}', 'give a list of strings, such as ["…"]')
    for reference in references:
        if type(reference) is not str and reference is not None:
            raise Malformed(f'"references" holds {kind_of(reference)}', "give strings only")
    if None in references:
        references = [reference for reference in references if reference is not None]
    return tuple(references)


def _ratings(human: object) -> dict[str, float]:
    if not isinstance(human, dict):
        raise Malformed(f'"human" is {kind_of(human)}', 'give an object such as {"semantics": 2.3}')
    return {str(name): _rating(name, rating) for name, rating in human.items() if not is_missing(rating)}


def _rating(dimension: object, rating: object) -> float:
    if isinstance(rating, bool) or not isinstance(rating, int | float):
        raise Malformed(f'"human" has {kind_of(rating)} for "{dimension}"', "give numbers")
    if not isfinite(rating):
        raise Malformed(f'"human" has {rating} for "{dimension}"', "give finite numbers")
    return float(rating)


def to_object(example: Example) -> dict[str, object]:
    """The JSON object of an example; reading it back gives the same example, its other fields included."""
    result: dict[str, object] = {"id": example.item}
    if example.system:
        result["system"] = example.system
    table = example.table
    if table.title:
        result["title"] = table.title
    if isinstance(table.source, dict) and table.records and table.records[0].subject:
        result["subject"] = table.records[0].subject
    # Objects and rows as they are: records alone would lose their nesting.
    result["data"] = [tuple(record) for record in table.records] if table.source is None else table.source
    result["text"] = example.text
    if example.references:
        result["references"] = example.references
    if example.human:
        result["human"] = dict(example.human)
    return {**result, **example.extra}


def write_examples(
    examples: Iterable[Example], path: str | os.PathLike[str], *, with_text: bool = True
) -> int:
    """Write examples as JSON lines, whole or not at all; return how many.

    `with_text=False` leaves out the texts, for corpora without any: an empty text would be an output.
    """
    count = 0
    with open_output(path) as stream:
        for example in examples:
            fields = to_object(example)
            if not with_text:
                del fields["text"]
            stream.write(orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE))
            count += 1
    return count
