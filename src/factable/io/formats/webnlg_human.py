"""The human evaluation of the WebNLG challenge 2017: nine systems and the references, three ratings."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from factable.errors import DataError, Fault
from factable.io.delimited import check_width, find_column, read_cells, read_number
from factable.io.faults import examples_of
from factable.io.files import read_lines
from factable.io.formats import require_sources
from factable.io.formats.parallel import unequal_lines
from factable.io.formats.webnlg import split_triple
from factable.io.malformed import Malformed, shorten
from factable.types import Example, Table

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
    indices = {wanted: find_column(name, header, wanted) for wanted in ("mr", "team", "text", *DIMENSIONS)}

    def make(row: list[str]) -> Example:
        cells = check_width(row, len(header))
        found = inputs.get(cells[indices["mr"]].strip())
        if found is None:
            raise Malformed(f"mr {shorten(cells[indices['mr']])} is not in {INPUTS_FILE}", "add it there")
        item, table, references = found
        text = cells[indices["text"]].strip()
        human = {dimension: read_number(cells[indices[dimension]], dimension) for dimension in DIMENSIONS}
        return Example(
            item, cells[indices["team"]], "" if text == NO_OUTPUT else text, table, references, human
        )

    return examples_of(name, rows, make)


def _read_inputs(folder: Path) -> dict[str, tuple[str, Table, tuple[str, ...]]]:
    """Item, table and references of every input, by its text in the ratings."""
    paths = [str(folder / IDS_FILE), str(folder / INPUTS_FILE)]
    paths += sorted(str(path) for path in folder.glob(REFERENCE_FILES))
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
            table = Table(tuple(split_triple(triple) for triple in triples.split("<br>")))
        except Malformed as error:
            raise DataError([Fault(paths[1], line, error.problem, error.remedy)]) from None
        kept = tuple(reference.strip() for reference in references if reference.strip())
        inputs[triples.strip()] = (item.strip(), table, kept)
    return inputs
