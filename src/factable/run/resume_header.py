"""What a run is made of, as the header of its resume file, and in what two runs differ."""

import os
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from factable.errors import DataError, Fault, UsageError
from factable.io.blocks import Block, lines_of
from factable.io.checksum import sha256_of
from factable.io.files import source_name
from factable.io.read import Source
from factable.io.row_blocks import RowBlock
from factable.run.sources import Corpus, can_be_read_twice, iter_units
from factable.run.units import AnyUnit, Plan, Render, read_unit
from factable.signature import SHOWN_HASH, sign, spec

Header = dict[str, Any]


def describe_run(corpus: Corpus, plan: Plan) -> Header:
    """Everything that can move a kept result; how many processes there are and what is skipped cannot."""
    return {
        "data": [_describe_source(source, whole=corpus.surveyed) for source in corpus.sources],
        "systems": list(corpus.systems),
        "metrics": [[spec(metric), sign(metric)] for metric in plan.metrics],
        "explain": plan.explain,
        "rows": _name_of(plan.render),
        "report": _name_of(plan.listing),
    }


def _describe_source(source: Source, *, whole: bool) -> Header:
    """The name, size and checksum of a file.

    Data in memory is compared unit by unit, and as a whole where every result depends on all of it.
    """
    if not isinstance(source, str | os.PathLike):
        return {"name": "list"} | (_describe_list(source) if whole else {})
    name = source_name(source)
    if not can_be_read_twice(source):
        found = "cannot be read a second time, as --resume has to"
        raise UsageError(str(Fault(name, None, found, "put the data in a file")))
    try:
        with open(source, "rb") as stream:
            checksum = sha256_of(stream)
            return {"name": name, "size": stream.tell(), "sha256": checksum}
    except OSError as error:
        raise DataError([Fault(name, None, str(error.strerror), "check the path")]) from None


def _describe_list(source: Source) -> Header:
    told, size = sha256(), 0
    for unit in iter_units([source]):
        told.update(digest_of(unit))
        size += len(read_unit(unit).examples)
    return {"size": size, "of": "examples", "sha256": told.hexdigest()}


def digest_of(unit: AnyUnit) -> bytes:
    """A checksum of all that a unit's scores are made of."""
    told = sha256()
    if isinstance(unit, RowBlock):
        unit = read_unit(unit)
    if isinstance(unit, Block):
        told.update(repr((unit.source, unit.first_line, unit.system)).encode())
        told.update(lines_of(unit))
    else:
        told.update(repr((unit.source, unit.unit, list(unit.lines), unit.faults)).encode())
        # One by one: a batch may be a whole corpus.
        for example in unit.examples:
            told.update(repr(example).encode())
    return told.digest()


def _name_of(render: Render | None) -> str:
    """A word for the kind of rows that go into the output or the report."""
    name: str = getattr(render, "__name__", type(render).__name__) if render else ""
    return name.removesuffix("_rows")


def find_difference(kept: Header, asked: Header) -> str | None:
    """What the kept results were made with, and what is asked for now; None where these are the same."""
    if kept == asked:
        return None
    names, now = ([source["name"] for source in header["data"]] for header in (kept, asked))
    if names != now:
        return f"holds results of {_listed(names)}, not of {_listed(now)}"
    for before, after in zip(kept["data"], asked["data"], strict=True):
        if before != after:
            what = f"holds results of {before['name']} with {_content(before)}"
            return f"{what}; now it has {_content(after)}"
    if kept["systems"] != asked["systems"]:
        return f"holds results of systems {_listed(kept['systems'])}, not {_listed(asked['systems'])}"
    return _find_other_metric(kept["metrics"], asked["metrics"]) or _find_other_option(kept, asked)


def _find_other_metric(kept: list[list[str]], asked: list[list[str]]) -> str | None:
    before, after = ([metric for metric, _ in metrics] for metrics in (kept, asked))
    if before != after:
        return f"holds results of the metrics {_listed(before)}, not of {_listed(after)}"
    for (metric, signature), (_, other) in zip(kept, asked, strict=True):
        if signature != other:
            pieces, others = signature.split("|"), other.split("|")
            gone = "|".join(piece for piece in pieces if piece not in others)
            come = "|".join(piece for piece in others if piece not in pieces)
            return f"holds results of {metric} with {gone or 'less'}; now it has {come or 'less'}"
    return None


def _find_other_option(kept: Header, asked: Header) -> str:
    if kept["explain"] != asked["explain"]:
        return f"was made {_with(kept['explain'])} --explain, and this run is {_with(asked['explain'])}"
    if kept["report"] != asked["report"]:
        return f"was made {_with(kept['report'])} --report, and this run is {_with(asked['report'])}"
    return f"was made for output as {kept['rows'] or 'a summary'}, not as {asked['rows'] or 'a summary'}"


def _content(source: Header) -> str:
    return f"{source['size']} {source.get('of', 'bytes')} (sha256 {source['sha256'][:SHOWN_HASH]}…)"


def _with(option: object) -> str:
    return "with" if option else "without"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
