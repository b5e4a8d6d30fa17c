"""The format of checkpoints: JSON for text, little-endian arrays for numbers, nothing executable."""

import json
import os
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from hashlib import sha256
from typing import Any, NamedTuple, get_args

from factable.core.results import Scores
from factable.core.signature import SHOWN_HASH, sign, spec
from factable.engine.plan import AnyUnit, Plan, Render, Scored, read_unit
from factable.engine.sources import Corpus, can_be_read_twice, iter_units
from factable.errors import DataError, Fault, UsageError
from factable.io.blocks import Block, RowBlock, lines_of
from factable.io.faults import RowKind
from factable.io.files import sha256_of, source_name
from factable.io.read import Source
from factable.types import Finding, Kind

BYTES_PER_LENGTH = 8
BYTES_PER_KEY = 8
KINDS = frozenset(get_args(Kind))
FINDING_FIELDS = tuple(each.name for each in fields(Finding))
ROW_KINDS = frozenset(get_args(RowKind))


class CheckpointEntry(NamedTuple):
    """A scored unit, with the digest of its input."""

    digest: bytes
    scored: Scored


def pack(entry: CheckpointEntry) -> bytes:
    """The bytes that `unpack` turns back into an equal entry."""
    scored = entry.scored
    words = {
        "source": scored.source,
        "unit": scored.row_kind,
        "size": scored.size,
        "items": scored.items,
        "systems": scored.systems,
        "faults": scored.faults,
        "pieces": [_words_of(piece) for piece in scored.pieces],
    }
    sections = [entry.digest, encode_words(words)]
    sections += map(_pack_numbers, (scored.system_of, array("Q", scored.lines), scored.references))
    sections.append(scored.keys)
    for rows in (scored.rows, scored.listed):
        sections += [_pack_numbers(array("Q", map(len, rows))), b"".join(rows)]
    for piece in scored.pieces:
        sections += map(_pack_numbers, (piece.values, piece.stats, *piece.parts.values()))
    return b"".join(len(section).to_bytes(BYTES_PER_LENGTH, "little") + section for section in sections)


def unpack(packed: bytes) -> CheckpointEntry:
    """The entry of these bytes; anything `pack` would not have written raises ValueError."""
    try:
        return _unpack(_split(packed))
    except (KeyError, TypeError, AttributeError, IndexError, StopIteration) as error:
        raise ValueError(f"no entry ({error})") from None


def encode_words(words: Mapping[str, object]) -> bytes:
    """JSON in UTF-8; lone surrogates, which Python strings may hold, are kept."""
    return json.dumps(words, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def decode_words(encoded: bytes) -> dict[str, Any]:
    """What `encode_words` was given; anything else raises ValueError."""
    try:
        words = json.loads(encoded.decode("utf-8", "surrogatepass"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    _require(isinstance(words, dict))
    decoded: dict[str, Any] = words
    return decoded


def _words_of(piece: Scores) -> dict[str, object]:
    findings = [
        [tuple(getattr(each, name) for name in FINDING_FIELDS) for each in findings]
        for findings in piece.findings
    ]
    return {
        "metric": piece.metric,
        "signature": piece.signature,
        "corpus": piece.corpus,
        "corpus_parts": dict(piece.corpus_parts),
        "parts": list(piece.parts),
        "findings": findings,
    }


def _unpack(sections: Iterator[bytes]) -> CheckpointEntry:
    digest = next(sections)
    words = decode_words(next(sections))
    items, systems = _texts(words["items"]), tuple(_texts(words["systems"]))
    count = len(items)
    system_of = _unpack_numbers("I", next(sections), count)
    lines = _unpack_numbers("Q", next(sections), count)
    references = _unpack_numbers("I", next(sections), count)
    keys = next(sections)
    rows, listed = [_unpack_rows(next(sections), next(sections), count) for _ in range(2)]
    pieces = [_unpack_piece(piece, sections, count) for piece in words["pieces"]]
    _require(next(sections, None) is None and len(keys) == BYTES_PER_KEY * count)
    _require(max(system_of, default=-1) < len(systems))
    _require(words["unit"] in ROW_KINDS and isinstance(words["size"], int))
    faults = [_fault(fault) for fault in words["faults"]]
    (source,) = _texts([words["source"]])
    scored = Scored(
        source=source,
        row_kind=words["unit"],
        items=items,
        systems=systems,
        system_of=system_of,
        lines=lines,
        keys=keys,
        references=references,
        pieces=pieces,
        rows=rows,
        listed=listed,
        faults=faults,
        size=words["size"],
    )
    return CheckpointEntry(digest, scored)


def _unpack_piece(words: dict[str, Any], sections: Iterator[bytes], count: int) -> Scores:
    metric, signature = _texts([words["metric"], words["signature"]])
    findings = tuple(tuple(map(_finding, packed)) for packed in words["findings"])
    _require(len(findings) == count)
    values = _unpack_numbers("d", next(sections), count)
    stats = _unpack_numbers("d", next(sections))
    _require(len(stats) % count == 0 if count else not stats)
    parts = {part: _unpack_numbers("d", next(sections), count) for part in _texts(words["parts"])}
    together = {part: _number(value) for part, value in words["corpus_parts"].items()}
    return Scores(metric, signature, _number(words["corpus"]), values, parts, findings, together, stats)


def _finding(packed: Sequence[Any]) -> Finding:
    kind, record, span, score, note, claim, records, required = packed
    _require(kind in KINDS and isinstance(note, str))
    _require(record is None or isinstance(record, int))
    if span is not None:
        start, end = span
        _require(isinstance(start, int) and isinstance(end, int))
        span = (start, end)
    _require(isinstance(claim, bool) and isinstance(required, bool))
    _require(isinstance(records, list) and all(isinstance(each, int) for each in records))
    number = None if score is None else _number(score)
    return Finding(kind, record, span, number, note, claim, tuple(records), required)


def _fault(packed: Sequence[Any]) -> Fault:
    source, line, problem, remedy = packed
    _require(line is None or isinstance(line, int))
    _texts([source, problem, remedy])
    return Fault(source, line, problem, remedy)


def _split(packed: bytes) -> Iterator[bytes]:
    """Split length-prefixed sections."""
    index = 0
    while index < len(packed):
        start = index + BYTES_PER_LENGTH
        end = start + int.from_bytes(packed[index:start], "little")
        _require(start <= end <= len(packed))
        yield packed[start:end]
        index = end


def _pack_numbers(column: "array[Any]") -> bytes:
    if sys.byteorder == "big":
        column = column[:]
        column.byteswap()
    return column.tobytes()


def _unpack_numbers(typecode: Any, packed: bytes, count: int | None = None) -> "array[Any]":
    column: array[Any] = array(typecode)
    column.frombytes(packed)
    if sys.byteorder == "big":
        column.byteswap()
    _require(count is None or len(column) == count)
    return column


def _unpack_rows(lengths: bytes, joined: bytes, count: int) -> list[bytes]:
    """One row for each example, or none at all if the run makes no rows."""
    rows = []
    index = 0
    for length in _unpack_numbers("Q", lengths):
        rows.append(joined[index : index + length])
        index += length
    _require(index == len(joined) and len(rows) in (0, count))
    return rows


def _texts(texts: Any) -> list[str]:
    _require(isinstance(texts, list) and all(isinstance(text, str) for text in texts))
    checked: list[str] = texts
    return checked


def _number(value: Any) -> float:
    _require(isinstance(value, int | float))
    number: float = value
    return number


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("no entry")


Header = dict[str, Any]


def describe_run(corpus: Corpus, plan: Plan) -> Header:
    """Everything that can change a stored result; the number of processes and skipped lines cannot."""
    return {
        "data": [
            _describe_source(source, checksum_lists=corpus.read_twice)
            for source in (*corpus.sources, *(corpus.joins.sources if corpus.joins else ()))
        ],
        "systems": list(corpus.systems),
        "metrics": [[spec(metric), sign(metric)] for metric in plan.metrics],
        "explain": plan.explain,
        "rows": _name_of(plan.render),
        "report": _name_of(plan.listing),
    }


def _describe_source(source: Source, *, checksum_lists: bool) -> Header:
    """The name, size and checksum of a file.

    Data in memory is compared unit by unit, and as a whole where every result depends on all of it.
    """
    if not isinstance(source, str | os.PathLike):
        return {"name": "list"} | (_describe_list(source) if checksum_lists else {})
    name = source_name(source)
    if not can_be_read_twice(source):
        problem = "cannot be read a second time, as resuming requires"
        raise UsageError(str(Fault(name, None, problem, "put the data in a file")))
    try:
        with open(source, "rb") as stream:
            checksum = sha256_of(stream)
            return {"name": name, "size": stream.tell(), "sha256": checksum}
    except OSError as error:
        raise DataError([Fault(name, None, str(error.strerror), "check the path")]) from None


def _describe_list(source: Source) -> Header:
    digest, size = sha256(), 0
    for unit in iter_units([source]):
        digest.update(digest_of(unit))
        size += len(read_unit(unit).examples)
    return {"size": size, "of": "examples", "sha256": digest.hexdigest()}


def digest_of(unit: AnyUnit) -> bytes:
    """A checksum of a unit's input."""
    digest = sha256()
    if isinstance(unit, RowBlock):
        unit = read_unit(unit)
    if isinstance(unit, Block):
        digest.update(repr((unit.source, unit.first_line, unit.system)).encode())
        digest.update(lines_of(unit))
    else:
        digest.update(repr((unit.source, unit.row_kind, list(unit.lines), unit.faults)).encode())
        # One by one: a batch may be a whole corpus.
        for example in unit.examples:
            digest.update(repr(example).encode())
    return digest.digest()


def _name_of(render: Render | None) -> str:
    """A name for the kind of rows that go into the output or the report."""
    name: str = getattr(render, "__name__", type(render).__name__) if render else ""
    return name.removesuffix("_rows")


def find_difference(kept: Header, asked: Header) -> str | None:
    """How the stored run differs from this one, in words; None if they are the same."""
    if kept == asked:
        return None
    names, now = ([source["name"] for source in header["data"]] for header in (kept, asked))
    if names != now:
        return f"holds results of {_listed(names)}, not of {_listed(now)}"
    # Metrics first: how data in memory is described depends on them.
    other_metric = _find_other_metric(kept["metrics"], asked["metrics"])
    if other_metric:
        return other_metric
    for before, after in zip(kept["data"], asked["data"], strict=True):
        if before != after:
            kept_data = f"holds results of {before['name']} with {_content(before)}"
            return f"{kept_data}; now it has {_content(after)}"
    if kept["systems"] != asked["systems"]:
        return f"holds results of systems {_listed(kept['systems'])}, not {_listed(asked['systems'])}"
    return _find_other_option(kept, asked)


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
