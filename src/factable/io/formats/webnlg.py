"""WebNLG: the XML of the challenges of 2017 and 2020 (release 3.0), and the human evaluation of 2017."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from factable.errors import DataError, Fault
from factable.io.delimited import check_width, find_column, read_cells, read_number
from factable.io.faults import Faults, Malformed, examples_of, make_each, shorten
from factable.io.files import open_input, read_lines, source_name
from factable.io.formats import require_sources
from factable.io.formats.parallel import unequal_lines
from factable.io.limits import MAX_LINE_BYTES
from factable.types import Example, Record, Table

XML_CHUNK_BYTES = 1 << 16


class Lex(NamedTuple):
    """One text of an entry."""

    text: str
    lang: str
    comment: str


class WebnlgEntry(NamedTuple):
    """One entry: its id, its modified triples and its texts."""

    eid: str
    triples: list[str]
    texts: list[Lex]


class _RefusedError(Exception):
    """Well-formed XML that is not accepted: problem and remedy."""


class _Collector:
    """Turns the parser's events into entries; holds those of one chunk of the file."""

    def __init__(self) -> None:
        self.entries: list[tuple[int, WebnlgEntry]] = []
        self.root = ""
        self._count = 0
        self._entry: WebnlgEntry | None = None
        self._line = 0
        self._attributes: dict[str, str] = {}
        self._text: list[str] | None = None
        self._size = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._add_text
        self.parser.StartDoctypeDeclHandler = self._refuse

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.root = self.root or name
        if name == "entry":
            self._count += 1
            self._entry = WebnlgEntry(attributes.get("eid") or str(self._count), [], [])
            self._size = 0
            self._line = self.parser.CurrentLineNumber
        elif name in ("mtriple", "lex"):
            self._text = []
            self._attributes = attributes

    def _end(self, name: str) -> None:
        if self._entry is None:
            return
        text = "".join(self._text or ()).strip()
        if name == "mtriple":
            self._entry.triples.append(text)
        elif name == "lex":
            attributes = self._attributes
            self._entry.texts.append(Lex(text, attributes.get("lang", ""), attributes.get("comment", "")))
        elif name == "entry":
            self.entries.append((self._line, self._entry))
            self._entry = None
        self._text = None

    def _add_text(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)
            self._size += len(text)
            if self._size > MAX_LINE_BYTES:
                raise _RefusedError(f"an entry of more than {MAX_LINE_BYTES >> 20} MB", "split it")

    def _refuse(self, *_: object) -> None:
        raise _RefusedError("a document type declaration", "delete the <!DOCTYPE …> declaration")


def iter_entries(path: str) -> Iterator[tuple[int, WebnlgEntry]]:
    """The entries of one file with the line each begins at."""
    collector = _Collector()
    with open_input(path) as stream:
        while chunk := stream.read(XML_CHUNK_BYTES):
            _feed(path, collector, chunk)
            yield from collector.entries
            collector.entries.clear()
    _feed(path, collector, b"", final=True)
    if collector.root != "benchmark":
        problem = f"the outermost element is <{collector.root}>"
        raise DataError(
            [Fault(source_name(path), None, problem, "give WebNLG XML, which begins with <benchmark>")]
        )


def _feed(path: str, collector: _Collector, chunk: bytes, *, final: bool = False) -> None:
    name, parser = source_name(path), collector.parser
    try:
        parser.Parse(chunk, final)
    except expat.ExpatError as error:
        problem = f"broken XML ({expat.ErrorString(error.code)})"
        remedy = "correct the file or download it again"
        raise DataError([Fault(name, error.lineno, problem, remedy)]) from None
    except (LookupError, ValueError) as error:
        # The parser met an encoding that Python does not know, or not for XML.
        raise DataError([Fault(name, 1, f"XML encoding: {error}", "save the file as UTF-8")]) from None
    except _RefusedError as refused:
        problem, remedy = refused.args
        raise DataError([Fault(name, parser.CurrentLineNumber, problem, remedy)]) from None


LITERAL = re.compile(r'"([^"]*)"(?:@[A-Za-z-]+|\^\^\S+)?')
FILE_ENDINGS = (".xml", ".xml.gz", ".xml.xz", ".xml.zst")


def read_webnlg(sources: Sequence[str], *, lang: str = "en") -> Iterator[Example]:
    """One example for each entry: modified triples, and the good texts in one language as references."""
    require_sources("webnlg", sources, 1)
    paths = [path for source in sources for path in _find_files(source)]
    faults = Faults()
    for path, label in zip(paths, _labels(paths), strict=True):

        def make(entry: WebnlgEntry, prefix: str = label) -> Example:
            return _make(entry, prefix, lang)

        for _, example in make_each(source_name(path), iter_entries(path), make, faults):
            yield example
    faults.check()


def _find_files(source: str) -> list[str]:
    """The file itself, or all XML files below a folder, sorted."""
    if not os.path.isdir(source):
        return [source]
    files = Path(source).rglob("*")
    # A pipe would be waited for until somebody writes to it.
    paths = sorted(str(path) for path in files if path.name.lower().endswith(FILE_ENDINGS) and path.is_file())
    if not paths:
        raise DataError(
            [Fault(source, None, "a folder without XML files", "name a folder of WebNLG XML files")]
        )
    return paths


def _labels(paths: Sequence[str]) -> list[str]:
    """A prefix for the ids of each file: its name, and as many folders as make the prefixes unique."""
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
    # A file name may hold bytes that are not UTF-8, which JSON cannot hold.
    name = os.fsencode(path).decode("utf-8", "replace")
    return [*Path(name).parts[:-1], Path(name).name.split(".xml")[0]]


def _make(entry: WebnlgEntry, prefix: str, lang: str) -> Example:
    if not entry.triples:
        raise Malformed(f"entry {entry.eid} without modified triples", "give its modifiedtripleset")
    texts = [lex for lex in entry.texts if lex.text and lex.lang in ("", lang)]
    good = [lex for lex in texts if lex.comment in ("", "good")] or texts
    records = tuple(split_webnlg_triple(triple) for triple in entry.triples)
    return Example(f"{prefix}{entry.eid}", "", "", Table(records), tuple(lex.text for lex in good))


def split_webnlg_triple(triple: str) -> Record:
    """The record of one WebNLG triple, with readable subject and value."""
    parts = triple.strip().split(" | ")
    if len(parts) != 3:
        raise Malformed(
            f"triple {shorten(triple)} has {len(parts)} parts", 'write "subject | attribute | value"'
        )
    return Record(_readable(parts[0]), parts[1].strip(), _readable(parts[2]))


def _readable(term: str) -> str:
    """A term without underscores, and without the quotes, language and type of a literal."""
    literal = LITERAL.fullmatch(term.strip())
    return (literal[1] if literal else term).replace("_", " ").strip()


RATINGS_FILE = "all_data_final_averaged.csv"
INPUTS_FILE = "MRs.txt"
IDS_FILE = "sample-ids.txt"
REFERENCE_FILES = "gold-sample-reference*.lex"
DIMENSIONS = ("fluency", "grammar", "semantics")
NO_OUTPUT = "null"


def read_webnlg_human(sources: Sequence[str]) -> Iterator[Example]:
    """One example for each rated text; a missing output is an empty text."""
    require_sources("webnlg-human", sources, 1, 1)
    folder = Path(sources[0])
    if not folder.is_dir():
        remedy = f"name the folder that holds {RATINGS_FILE}"
        raise DataError([Fault(str(folder), None, "no such folder", remedy)])
    inputs = _read_inputs(folder)
    name = str(folder / RATINGS_FILE)
    header, rows = read_cells(name)
    indices = {column: find_column(name, header, column) for column in ("mr", "team", "text", *DIMENSIONS)}

    def make(row: list[str]) -> Example:
        cells = check_width(row, len(header))
        known = inputs.get(cells[indices["mr"]].strip())
        if known is None:
            raise Malformed(f"mr {shorten(cells[indices['mr']])} is not in {INPUTS_FILE}", "add it there")
        item, table, references = known
        text = cells[indices["text"]].strip()
        human = {dimension: read_number(cells[indices[dimension]], dimension) for dimension in DIMENSIONS}
        return Example(
            item, cells[indices["team"]], "" if text == NO_OUTPUT else text, table, references, human
        )

    return examples_of(name, rows, make)


def _read_inputs(folder: Path) -> dict[str, tuple[str, Table, tuple[str, ...]]]:
    """Item, table and references of every input, by the text that stands for it in the ratings file."""
    paths = [str(folder / IDS_FILE), str(folder / INPUTS_FILE)]
    paths += sorted(str(path) for path in folder.glob(REFERENCE_FILES) if path.is_file())
    columns = [read_lines(path) for path in paths]
    while columns[0] and not columns[0][-1].strip():
        # The published list of ids ends with a blank line.
        columns[0].pop()
    counts = [len(column) for column in columns]
    if len(set(counts)) > 1:
        raise DataError([unequal_lines(paths, counts)])
    inputs = {}
    for line, (item, triples, *references) in enumerate(zip(*columns, strict=True), 1):
        try:
            table = Table(tuple(split_webnlg_triple(triple) for triple in triples.split("<br>")))
        except Malformed as error:
            raise DataError([Fault(paths[1], line, error.problem, error.remedy)]) from None
        stripped = tuple(filter(None, map(str.strip, references)))
        inputs[triples.strip()] = (item.strip(), table, stripped)
    return inputs
