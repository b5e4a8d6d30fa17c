"""WikiBio (Lebret et al. 2016): infoboxes as `field_1:token` and their first sentences."""

import re
from collections.abc import Iterator, Sequence

from factable.io.faults import examples_of
from factable.io.files import source_name
from factable.io.formats import require_sources
from factable.io.formats.parallel import zip_lines
from factable.io.malformed import Malformed, shorten
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
    # Only a box can be wrong, so that is the file that faults name.
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
        found = FIELD.fullmatch(piece)
        if found is None:
            raise Malformed(f"{shorten(piece)} is no field", "write field_1:token, separated by tabs")
        count = int(found[2] or 1)
        if tokens and (found[1] != name or count <= last):
            yield name, _restore_brackets(" ".join(tokens))
            tokens = []
        name, last = found[1], count
        if found[3] and found[3] != NO_VALUE:
            tokens.append(found[3])
    if tokens:
        yield name, _restore_brackets(" ".join(tokens))


def _restore_brackets(text: str) -> str:
    return BRACKET.sub(lambda found: BRACKETS[found[1].lower()], text)
