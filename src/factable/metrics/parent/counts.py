"""Co-occurrence counts of table words and text words, for PARENT's co-occurrence model.

One file of plain arrays. Row b of the pairs holds, for table word b, the numbers of the text words that were
seen with it (sorted) and how often.
"""

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.io.files import sha256_of
from factable.models.runtime.arrays import FileKind, array_to_text, cached_by_mtime, load_arrays, save_arrays

FORMAT = "factable-counts-1"
COUNTS_FILE = FileKind("a counts file", "make one with: factable train counts TRAIN.jsonl OUT.counts")
PAIR = "|||"


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Token numbers, how often each token was in a table, and sorted rows of co-occurring tokens."""

    vocabulary: dict[str, int]
    totals: NDArray[np.uint32]
    starts: NDArray[np.int64]
    columns: NDArray[np.uint32]
    pairs: NDArray[np.uint32]
    tokenizer: str = ""


def save_counts(counts: Counts, path: str | os.PathLike[str]) -> None:
    """Write a counts file; equal counts give equal bytes."""
    save_arrays(
        path,
        FORMAT,
        tokenizer=counts.tokenizer,
        # No token holds white space, so line feeds can separate them.
        vocabulary="\n".join(counts.vocabulary),
        totals=counts.totals,
        starts=counts.starts,
        columns=counts.columns,
        pairs=counts.pairs,
    )


def load_counts(path: str) -> Counts:
    """A counts file made by `factable train counts`, or the flat JSON of the PARENT authors."""
    return cached_by_mtime(_load, path, COUNTS_FILE)


def counts_checksum(path: str) -> str:
    """The sha256 of a counts file."""
    return cached_by_mtime(sha256_of, path, COUNTS_FILE)


def _load(path: str) -> Counts:
    if not zipfile.is_zipfile(path):
        return _load_json(Path(path).read_bytes())
    stored = load_arrays(path, FORMAT)
    words = array_to_text(stored["vocabulary"])
    counts = Counts(
        {word: number for number, word in enumerate(words.split("\n"))} if words else {},
        stored["totals"].astype(np.uint32, casting="safe"),
        stored["starts"].astype(np.int64, casting="safe"),
        stored["columns"].astype(np.uint32, casting="safe"),
        stored["pairs"].astype(np.uint32, casting="safe"),
        array_to_text(stored["tokenizer"]),
    )
    _check(counts)
    return counts


def _check(counts: Counts) -> None:
    """Refuse arrays that do not fit together: the compiled kernel trusts them."""
    size, pairs = len(counts.vocabulary), len(counts.columns)
    starts, columns = counts.starts, counts.columns
    if any(part.ndim != 1 for part in (counts.totals, starts, columns, counts.pairs)):
        raise ValueError("arrays of the wrong shape")
    if len(counts.totals) != size or len(starts) != size + 1 or len(counts.pairs) != pairs:
        raise ValueError("arrays of unequal lengths")
    if starts[0] != 0 or starts[-1] != pairs or np.any(np.diff(starts) < 0):
        raise ValueError("rows out of order")
    if pairs and columns.max() >= size:
        raise ValueError("a pair names an unknown word")
    # Sorted inside each row: a fall from one column to the next is allowed only where a row begins.
    falls = np.flatnonzero(columns[1:] <= columns[:-1]) + 1
    if not np.isin(falls, starts).all():
        raise ValueError("a row is not sorted")


def _load_json(content: bytes) -> Counts:
    """The authors' own layout: `{"born": 20, "born|||was": 19, …}`."""
    import orjson

    flat = orjson.loads(content)
    if not isinstance(flat, dict) or not all(type(count) is int and count >= 0 for count in flat.values()):
        raise ValueError("neither an archive of arrays nor a JSON object of whole numbers")
    vocabulary: dict[str, int] = {}
    for key in flat:
        word, joined, other = key.partition(PAIR)
        vocabulary.setdefault(word, len(vocabulary))
        if joined:
            vocabulary.setdefault(other, len(vocabulary))
    totals = np.zeros(len(vocabulary), dtype=np.uint32)
    pairs: dict[int, int] = {}
    for key, count in flat.items():
        word, joined, other = key.partition(PAIR)
        if joined:
            pairs[vocabulary[word] << 32 | vocabulary[other]] = count
        else:
            totals[vocabulary[word]] = count
    keys = np.array(sorted(pairs), dtype=np.uint64)
    return from_pairs(
        vocabulary, totals, keys, np.array([pairs[key] for key in keys.tolist()], dtype=np.uint32)
    )


def from_pairs(
    vocabulary: dict[str, int],
    totals: NDArray[np.uint32],
    keys: NDArray[np.uint64],
    pairs: NDArray[np.uint32],
    tokenizer: str = "",
) -> Counts:
    """Counts from sorted keys `table word << 32 | text word` and the count of each."""
    rows = (keys >> np.uint64(32)).astype(np.int64)
    starts = np.searchsorted(rows, np.arange(len(vocabulary) + 1)).astype(np.int64)
    columns = (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    return Counts(vocabulary, totals, starts, columns, pairs, tokenizer)
