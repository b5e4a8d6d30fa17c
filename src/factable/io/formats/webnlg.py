"""WebNLG XML, of the challenges of 2017 and of 2020 (release 3.0)."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from factable.errors import DataError, Fault
from factable.io.collect import Faults, make_each
from factable.io.files import source_name
from factable.io.formats import require_sources
from factable.io.formats.webnlg_xml import Entry, iter_entries
from factable.io.malformed import Malformed, shorten
from factable.types import Example, Record, Table

LITERAL = re.compile(r'"([^"]*)"(?:@[A-Za-z-]+|\^\^\S+)?')
FILE_ENDINGS = (".xml", ".xml.gz", ".xml.xz", ".xml.zst")


def read_webnlg(sources: Sequence[str], *, lang: str = "en") -> Iterator[Example]:
    """One example for each entry: modified triples, and the good texts in one language as references."""
    require_sources("webnlg", sources, 1)
    paths = [path for source in sources for path in _find_files(source)]
    faults = Faults()
    for path, label in zip(paths, _labels(paths), strict=True):

        def make(entry: Entry, prefix: str = label) -> Example:
            return _make(entry, prefix, lang)

        for _, example in make_each(source_name(path), iter_entries(path), make, faults):
            yield example
    faults.check()


def _find_files(source: str) -> list[str]:
    """The file itself, or all XML files below a folder, sorted."""
    if not os.path.isdir(source):
        return [source]
    found = sorted(str(path) for path in Path(source).rglob("*") if path.name.lower().endswith(FILE_ENDINGS))
    if not found:
        raise DataError(
            [Fault(source, None, "a folder without XML files", "name a folder of WebNLG XML files")]
        )
    return found


def _labels(paths: Sequence[str]) -> list[str]:
    """What to put before the ids of each file: its name, and as many folders as tell files apart."""
    if len(paths) == 1:
        return [""]
    parts = [_label_parts(path) for path in paths]
    deepest = max(map(len, parts))
    for depth in range(1, deepest + 1):
        labels = ["/".join(part[-depth:]) + "/" for part in parts]
        if len(set(labels)) == len(labels):
            break
    return labels


def _label_parts(path: str) -> list[str]:
    # A file name may hold bytes that are no UTF-8, which no JSON file could keep.
    readable = os.fsencode(path).decode("utf-8", "replace")
    return [*Path(readable).parts[:-1], Path(readable).name.split(".xml")[0]]


def _make(entry: Entry, prefix: str, lang: str) -> Example:
    if not entry.triples:
        raise Malformed(f"entry {entry.eid} without modified triples", "give its modifiedtripleset")
    texts = [lex for lex in entry.texts if lex.text and lex.lang in ("", lang)]
    good = [lex for lex in texts if lex.comment in ("", "good")] or texts
    records = tuple(split_triple(triple) for triple in entry.triples)
    return Example(f"{prefix}{entry.eid}", "", "", Table(records), tuple(lex.text for lex in good))


def split_triple(triple: str) -> Record:
    """The record of one WebNLG triple, with readable subject and value."""
    parts = triple.strip().split(" | ")
    if len(parts) != 3:
        raise Malformed(
            f"triple {shorten(triple)} has {len(parts)} parts", 'write "subject | attribute | value"'
        )
    return Record(_readable(parts[0]), parts[1].strip(), _readable(parts[2]))


def _readable(term: str) -> str:
    """Without underscores, and without the quotes, language and type of a literal."""
    literal = LITERAL.fullmatch(term.strip())
    return (literal[1] if literal else term).replace("_", " ").strip()
