"""Writes the page: HTML, style, script, and the data as JSON escaped for a script block."""

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import IO, TYPE_CHECKING, Literal

import numpy as np
import orjson

from factable._version import __version__
from factable.core.schema import SCHEMA
from factable.engine.collect import Result
from factable.errors import printable
from factable.report.html.listing import ExampleListing
from factable.report.html.overview import Drawing, overviews
from factable.stats import Indices

if TYPE_CHECKING:
    from factable.study.comparison import SystemComparison

# Of more examples the page lists the worst; what it says of all together is of all.
MAX_EXAMPLES = 20_000
STYLES = ("shared.css", "page.css")
SCRIPTS = (
    *("dom.js", "findings.js", "data.js", "words.js", "overview.js"),
    *("example.js", "list.js", "save.js", "start.js"),
)
# Modules for pages that load several of them; in a report all are one script.
MODULE_WORDS = re.compile(r"^import .*\n|^export ", re.MULTILINE)
# Bytes that could end a block of script, or upset who reads it; in JSON they only occur inside texts.
UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


ASSETS = files("factable.report.html") / "page"
# What other pages than reports show findings with.
SHARED_ASSETS = tuple(ASSETS / name for name in ("dom.js", "findings.js", "data.js", "shared.css"))


@dataclass(frozen=True, slots=True)
class Report:
    """What a page is made of: the scores of a run, its examples, and what else there is to say."""

    title: str
    result: Result
    listing: ExampleListing
    outcome: Literal["", "passed", "failed"] = ""
    notes: Sequence[str] = ()
    comparison: "SystemComparison | None" = None
    draws: int = 1000
    seed: int = 0
    most_examples: int = MAX_EXAMPLES


def write_report(stream: IO[bytes], report: Report) -> None:
    """Write the page, UTF-8, piece by piece."""
    script = '"use strict";\n' + "\n".join(MODULE_WORDS.sub("", _asset(name)) for name in SCRIPTS)
    style = "\n".join(_asset(name) for name in STYLES)
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    pieces = {
        "policy": policy,
        "title": escape(printable(_valid(report.title))),
        "style": style,
        "script": script,
    }
    for part in _asset("page.html").split("⟦"):
        name, mark, after = part.partition("⟧")
        if mark and name == "data":
            for piece in _data(report):
                stream.write(_harmless(piece))
        stream.write((pieces.get(name, "") + after if mark else part).encode())


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _hash(inline: str) -> str:
    """How a policy names the one script or style that may run."""
    digest = hashlib.sha256(inline.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _valid(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _harmless(json: bytes) -> bytes:
    for letter, written in UNSAFE.items():
        json = json.replace(letter.encode(), written.encode())
    return json


def _data(report: Report) -> Iterator[bytes]:
    """The JSON document, in pieces: what is said of all, the examples, and the data they share."""
    item_of = report.listing.item_of()
    members = _members(report)
    indices = _listed(report, members, item_of)
    yield orjson.dumps(_head(report, item_of, members, len(indices)), option=orjson.OPT_SERIALIZE_NUMPY)[:-1]
    yield b',"examples":['
    tables: dict[bytes, int] = {}
    for number, row in enumerate(report.listing.rows(indices)):
        table = tables.setdefault(row.data, len(tables))
        yield b'%s{"table":%d,%s' % (b",\n" if number else b"\n", table, row.rest[1:])
    yield b'],"tables":['
    for data, number in tables.items():
        yield (b",\n" if number else b"\n") + data
    yield b"]}"


def _head(report: Report, item_of: Indices, members: Indices, shown: int) -> dict[str, object]:
    metrics = overviews(report.result, Drawing(report.draws, report.seed, item_of), report.comparison)
    draws = report.comparison.draws if report.comparison else report.draws
    seed = report.comparison.seed if report.comparison else report.seed
    return {
        "schema": SCHEMA,
        "title": _valid(report.title),
        "version": __version__,
        "outcome": report.outcome,
        "notes": list(map(_valid, report.notes)),
        "systems": list(map(_valid, report.result.systems)),
        "examples_in_all": len(members),
        "items_in_all": len(np.unique(item_of[members])),
        "shown": shown,
        "draws": draws,
        "seed": seed,
        "compared": report.comparison is not None,
        "baseline": report.comparison.baseline if report.comparison else "",
        "alpha": report.comparison.alpha if report.comparison else None,
        "metrics": metrics,
    }


def _members(report: Report) -> Indices:
    """The indices of the examples on the page: of a comparison, those of its systems."""
    system_of = np.frombuffer(report.result.system_of, dtype=np.uint32)
    if report.comparison is None:
        return np.arange(len(system_of))
    numbers = [
        number for number, name in enumerate(report.result.systems) if name in report.comparison.systems
    ]
    return np.flatnonzero(np.isin(system_of, numbers))


def _listed(report: Report, members: Indices, item_of: Indices) -> list[int]:
    """Indices of the examples to list: all, or the worst items if there are too many."""
    if len(members) <= report.most_examples:
        return members.tolist()  # type: ignore[no-any-return]
    sign = 1 if report.result.metrics[0].higher_is_better else -1
    # NaN sorts last.
    order = members[np.argsort(sign * np.frombuffer(report.result.scores[0].values)[members], kind="stable")]
    worst = np.full(int(item_of.max()) + 1, len(order))
    np.minimum.at(worst, item_of[order], np.arange(len(order)))
    by_item = members[np.argsort(worst[item_of[members]], kind="stable")]
    return sorted(by_item[: report.most_examples].tolist())
