"""What a run is made of, as the header of its resume file, and in what two runs differ."""

import hashlib
import os
from collections.abc import Sequence
from typing import Any

from factable.errors import DataError, Fault, UsageError
from factable.io.files import source_name
from factable.io.read import Source
from factable.run.units import Plan, Render
from factable.signature import SHOWN_HASH, sign, spec

Header = dict[str, Any]


def describe_run(sources: Sequence[Source], systems: Sequence[str], plan: Plan) -> Header:
    """Everything that can move a kept result; how many processes there are and what is skipped cannot."""
    return {
        "data": [_describe_source(source) for source in sources],
        "systems": list(systems),
        "metrics": [[spec(metric), sign(metric)] for metric in plan.metrics],
        "explain": plan.explain,
        "rows": _name_of(plan.render),
        "report": _name_of(plan.listing),
    }


def _describe_source(source: Source) -> Header:
    """The name, size and checksum of a file; data in memory is compared unit by unit alone."""
    if not isinstance(source, str | os.PathLike):
        return {"name": "list"}
    name = source_name(source)
    if str(source) == "-" or not os.path.isfile(source):
        found = "cannot be read a second time, as --resume has to"
        raise UsageError(str(Fault(name, None, found, "put the data in a file")))
    try:
        with open(source, "rb") as stream:
            checksum = hashlib.file_digest(stream, "sha256").hexdigest()
            return {"name": name, "size": stream.tell(), "sha256": checksum}
    except OSError as error:
        raise DataError([Fault(name, None, str(error.strerror), "check the path")]) from None


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
    return f"{source['size']} bytes (sha256 {source['sha256'][:SHOWN_HASH]}…)"


def _with(option: object) -> str:
    return "with" if option else "without"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
