"""Scored units as bytes and back: JSON for words, little-endian arrays for numbers, nothing that runs."""

import json
import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from factable.errors import Fault
from factable.io.collect import Unit
from factable.run.units import Scored
from factable.types import Finding, Kind, Scores

BYTES_PER_LENGTH = 8
BYTES_PER_KEY = 8
KINDS = frozenset(get_args(Kind))
UNITS = frozenset(get_args(Unit))


class Entry(NamedTuple):
    """A scored unit, with the digest of what it was made of."""

    digest: bytes
    scored: Scored


def pack(entry: Entry) -> bytes:
    """The bytes that `unpack` turns back into an equal entry."""
    scored = entry.scored
    words = {
        "source": scored.source,
        "unit": scored.unit,
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


def unpack(packed: bytes) -> Entry:
    """The entry of these bytes; anything `pack` would not have written raises ValueError."""
    try:
        return _unpack(_split(packed))
    except (KeyError, TypeError, AttributeError, IndexError, StopIteration) as error:
        raise ValueError(f"no entry ({error})") from None


def encode_words(words: Mapping[str, object]) -> bytes:
    """JSON in UTF-8; halves of surrogate pairs, which Python's texts may hold, stay what they are."""
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
        [(found.kind, found.record, found.span, found.score, found.note) for found in mine]
        for mine in piece.findings
    ]
    return {
        "metric": piece.metric,
        "signature": piece.signature,
        "corpus": piece.corpus,
        "corpus_parts": dict(piece.corpus_parts),
        "parts": list(piece.parts),
        "findings": findings,
    }


def _unpack(sections: Iterator[bytes]) -> Entry:
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
    _require(words["unit"] in UNITS and isinstance(words["size"], int))
    faults = [_fault(fault) for fault in words["faults"]]
    (source,) = _texts([words["source"]])
    scored = Scored(
        source=source,
        unit=words["unit"],
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
    return Entry(digest, scored)


def _unpack_piece(words: dict[str, Any], sections: Iterator[bytes], count: int) -> Scores:
    metric, signature = _texts([words["metric"], words["signature"]])
    findings = tuple(tuple(_finding(found) for found in mine) for mine in words["findings"])
    _require(len(findings) == count)
    values = _unpack_numbers("d", next(sections), count)
    stats = _unpack_numbers("d", next(sections))
    _require(len(stats) % count == 0 if count else not stats)
    parts = {part: _unpack_numbers("d", next(sections), count) for part in _texts(words["parts"])}
    together = {part: _number(value) for part, value in words["corpus_parts"].items()}
    return Scores(metric, signature, _number(words["corpus"]), values, parts, findings, together, stats)


def _finding(packed: Sequence[Any]) -> Finding:
    kind, record, span, score, note = packed
    _require(kind in KINDS and isinstance(note, str))
    _require(record is None or isinstance(record, int))
    if span is not None:
        start, end = span
        _require(isinstance(start, int) and isinstance(end, int))
        span = (start, end)
    return Finding(kind, record, span, None if score is None else _number(score), note)


def _fault(packed: Sequence[Any]) -> Fault:
    source, line, found, remedy = packed
    _require(line is None or isinstance(line, int))
    _texts([source, found, remedy])
    return Fault(source, line, found, remedy)


def _split(packed: bytes) -> Iterator[bytes]:
    """The sections, each after its length."""
    place = 0
    while place < len(packed):
        start = place + BYTES_PER_LENGTH
        end = start + int.from_bytes(packed[place:start], "little")
        _require(start <= end <= len(packed))
        yield packed[start:end]
        place = end


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
    """One row for each example, or none at all where nobody asked for rows."""
    rows = []
    place = 0
    for length in _unpack_numbers("Q", lengths):
        rows.append(joined[place : place + length])
        place += length
    _require(place == len(joined) and len(rows) in (0, count))
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
