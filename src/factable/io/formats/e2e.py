"""The E2E NLG challenge (Novikova et al. 2017): data with references, and system outputs."""

from collections import Counter
from collections.abc import Iterator, Sequence

from factable.errors import DataError, Fault
from factable.io.data import parse_e2e
from factable.io.delimited import check_width, find_column, read_cells, read_number
from factable.io.faults import Faults, examples_of, make_each
from factable.io.files import source_name
from factable.io.formats import require_sources
from factable.types import Example, Table

# Counts of slot errors, by the script of the challenge's authors.
ERROR_COUNTS = ("added", "missing", "valerr", "repeated")


class _Meanings:
    """Numbers distinct meaning representations in the order of their first occurrence; parses each once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, Table]] = {}

    def find(self, text: str) -> tuple[str, Table]:
        """The item and the table of a meaning representation."""
        key = text.strip()
        if key not in self._known:
            self._known[key] = (str(len(self._known) + 1), Table(parse_e2e(key)))
        return self._known[key]


def read_e2e(sources: Sequence[str]) -> Iterator[Example]:
    """One example for each distinct meaning representation, with all its references."""
    require_sources("e2e", sources, 1)
    faults = Faults()
    meanings = _Meanings()
    tables: dict[str, Table] = {}
    references: dict[str, list[str]] = {}
    for path in sources:
        for _, example in _read_references(path, meanings, faults):
            tables[example.item] = example.table
            references.setdefault(example.item, []).extend(example.references)
    faults.check()
    for item, table in tables.items():
        yield Example(item, "", "", table, tuple(references[item]))


def _read_references(path: str, meanings: _Meanings, faults: Faults) -> Iterator[tuple[int, Example]]:
    """An example for each row, not yet grouped."""
    header, rows = read_cells(path)
    name = source_name(path)
    meaning = find_column(name, header, "mr")
    columns = [index for index, column in enumerate(header) if column.lower().startswith("ref")]
    if not columns and len(header) > 1:
        problem = f'no column "ref" among {", ".join(header)}'
        raise DataError([Fault(name, 1, problem, "name the columns mr and ref in the first line")])

    def make(row: list[str]) -> Example:
        item, table = meanings.find(check_width(row, len(header))[meaning])
        references = (row[index].strip() for index in columns)
        return Example(item, "", "", table, tuple(filter(None, references)))

    return make_each(name, rows, make, faults)


def read_e2e_outputs(sources: Sequence[str]) -> Iterator[Example]:
    """One example for each row of the columns system, MR and output; counts of slot errors become ratings.

    A second output of one system for the same input is one more example of that system, so its item gets
    a suffix (`17#2`) and its system keeps its name: systems are what a study compares.
    """
    require_sources("e2e-outputs", sources, 1, 1)
    header, rows = read_cells(sources[0])
    name = source_name(sources[0])
    system, meaning, output = (find_column(name, header, column) for column in ("system", "MR", "output"))
    counts = {column.lower(): index for index, column in enumerate(header) if column.lower() in ERROR_COUNTS}
    meanings = _Meanings()
    seen: Counter[tuple[str, str]] = Counter()

    def make(row: list[str]) -> Example:
        item, table = meanings.find(check_width(row, len(header))[meaning])
        seen[item, row[system]] += 1
        times = seen[item, row[system]]
        item = item if times == 1 else f"{item}#{times}"
        human = {column: read_number(row[index], column) for column, index in counts.items()}
        return Example(item, row[system], row[output].strip(), table, human=human)

    return examples_of(name, rows, make)
