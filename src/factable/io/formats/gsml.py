"""The error marks of the accuracy shared task (Thomson and Reiter 2021) on reports about RotoWire's games."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from factable.errors import DataError, Fault
from factable.io.delimited import check_width, find_column, read_cells
from factable.io.faults import Faults, Malformed, make_each
from factable.io.files import read_whole, source_name
from factable.io.formats import require_sources
from factable.io.formats.rotowire import read_rotowire
from factable.types import Example

COLUMNS = ("TEXT_ID", "TOKENS", "DOC_TOKEN_START", "DOC_TOKEN_END", "TYPE")
TOKEN = re.compile(r"\S+")
Mark = tuple[int, int, str]


def read_gsml(sources: Sequence[str]) -> Iterator[Example]:
    """One example for each report, with its game as data and what people marked in it as `spans`."""
    require_sources("gsml", sources, 3, 3)
    marks_file, games, folder = sources
    texts = _read_texts(folder)
    marks = _read_marks(marks_file, texts)
    for example in read_rotowire([games]):
        text = texts.get(example.item)
        if text is not None:
            extra = {"spans": sorted(marks.get(example.item, [])), "meta": {"domain": "basketball"}}
            yield replace(example, text=text, references=(), extra=extra)


def _read_texts(folder: str) -> dict[str, str]:
    """The reports by their names, each from a file such as S001.txt."""
    paths = sorted(Path(folder).glob("*.txt"))
    if not paths:
        raise DataError([Fault(folder, None, "holds no .txt files", "name the folder of the reports")])
    return {path.stem: read_whole(str(path)).decode("utf-8", "replace").strip() for path in paths}


def _read_marks(path: str, texts: dict[str, str]) -> dict[str, list[Mark]]:
    """The spans of each report, from positions of tokens."""
    header, rows = read_cells(path)
    name = source_name(path)
    columns = [find_column(name, header, column) for column in COLUMNS]
    faults = Faults()

    def make(row: list[str]) -> tuple[str, Mark]:
        check_width(row, len(header))
        text_id, tokens, first, last, category = (row[column].strip() for column in columns)
        item = text_id.removesuffix(".txt")
        if item not in texts:
            raise Malformed(f"there is no text {item}", "name the folder that these marks belong to")
        return item, (*_span(texts[item], tokens, first, last), category)

    marks: dict[str, list[Mark]] = {}
    for _, (item, mark) in make_each(name, rows, make, faults):
        marks.setdefault(item, []).append(mark)
    faults.check()
    return marks


def _span(text: str, tokens: str, first: str, last: str) -> tuple[int, int]:
    """Where tokens stand in a text; they are counted from 1, and the last one belongs to them."""
    found = list(TOKEN.finditer(text))
    if not (first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last) <= len(found)):
        raise Malformed(f"tokens {first} to {last} of {len(found)}", "count the tokens of a text from 1")
    start, end = found[int(first) - 1].start(), found[int(last) - 1].end()
    if text[start:end].split() != tokens.split():
        shown = f"tokens {first} to {last} are {text[start:end][:40]!r}, not {tokens[:40]!r}"
        raise Malformed(shown, "give the texts that were marked")
    return start, end
