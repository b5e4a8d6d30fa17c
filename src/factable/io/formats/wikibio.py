"""WikiBio (Lebret et al. 2016): infoboxes as `field_1:token` and their first sentences."""

import re
from collections.abc import Iterator, Sequence

from factable.io.faults import Malformed, examples_of, shorten
from factable.io.files import source_name
from factable.io.formats import require_sources
from factable.io.formats.parallel import zip_lines
from factable.types import Example, Record, Table

TITLE = "article_title"
NO_VALUE = "<none>"
FIELD = re.compile(r"(.+?)(?:_([0-9]{1,9}))?:(.*)", re.DOTALL)
BRACKETS = {"lrb": "(", "rrb": ")", "lsb": "[", "rsb": "]", "lcb": "{", "rcb": "}"}
BRACKET = re.compile("-(" + "|".join(BRACKETS) + ")-", re.IGNORECASE)


def read_wikibio(sources: Sequence[str]) -> Iterator[Example]:
    """One example for each line: the box is the data, the summary the reference."""
    require_sources("wikibio", sources, 2, 2)
    rows = ((number, (number, lines)) for number, lines in zip_lines(sources))
    # Only the boxes can be malformed, so faults name that file.
    return examples_of(source_name(sources[0]), rows, lambda row: _make(*row))


def _make(number: int, lines: list[str]) -> Example:
    fields = list(_fields(lines[0]))
    title = " ".join(value for name, value in fields if name == TITLE)
    records = tuple(Record("", name, value) for name, value in fields if name != TITLE)
    summary = _restore_brackets(lines[1]).strip()
    return Example(str(number), "", "", Table(records, title), (summary,) if summary else ())


def _fields(box: str) -> Iterator[tuple[str, str]]:
    """Fields with their tokens joined; one ends where the name changes or the count starts again."""
    name, last = "", 0
    tokens: list[str] = []
    for piece in filter(None, box.split("\t")):
        match = FIELD.fullmatch(piece)
        if match is None:
            raise Malformed(f"{shorten(piece)} is no field", "write field_1:token, separated by tabs")
        count = int(match[2] or 1)
        if tokens and (match[1] != name or count <= last):
            yield name, _restore_brackets(" ".join(tokens))
            tokens = []
        name, last = match[1], count
        if match[3] and match[3] != NO_VALUE:
            tokens.append(match[3])
    if tokens:
        yield name, _restore_brackets(" ".join(tokens))


def _restore_brackets(text: str) -> str:
    return BRACKET.sub(lambda match: BRACKETS[match[1].lower()], text)
