"""ToTTo (Parikh et al. 2020): the highlighted cells of a Wikipedia table are the facts."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factable.io.data import check_name
from factable.io.faults import Faults, Malformed, kind_of, show_value
from factable.io.formats import require_sources
from factable.io.objects import get_field, make_examples
from factable.types import Example, Record, Table

TITLES = ("table_page_title", "table_section_title")
# Wider than any table of the corpus; a wider cell is an error in the data and should not cost memory.
MAX_COLUMNS_SPANNED = 1000
# Positions covered by all cells of a table, and cells visited for all highlighted ones.
MAX_COVERED = 1_000_000
MAX_VISITED = 20_000_000


class _Cell(NamedTuple):
    """A cell with the columns it covers."""

    value: str
    is_header: bool
    columns: range


def read_totto(sources: Sequence[str]) -> Iterator[Example]:
    """One example for each line of the published JSON files."""
    require_sources("totto", sources, 1, 1)
    faults = Faults()
    for _, example in make_examples(sources[0], _make, faults):
        yield example
    faults.check()


def _make(source: object, number: int) -> Example:
    titles = [get_field(source, field, str, "").strip() for field in TITLES]
    rows = _fill_cells(get_field(source, "table", list))
    positions = get_field(source, "highlighted_cells", list)
    if len(positions) * sum(map(len, rows)) > MAX_VISITED:
        raise Malformed(f"{len(positions)} highlighted cells in too large a table", "split the table")
    records = [_record(rows, position) for position in positions]
    sentences = [
        get_field(annotation, "final_sentence", str).strip()
        for annotation in get_field(source, "sentence_annotations", list, [])
    ]
    return Example(
        _item(source, number),
        "",
        "",
        Table(tuple(record for record in records if record.value), " | ".join(filter(None, titles))),
        tuple(filter(None, sentences)),
    )


def _item(source: object, number: int) -> str:
    example_id = source.get("example_id") if isinstance(source, dict) else None
    if example_id is None:
        return str(number)
    if type(example_id) not in (int, str):
        raise Malformed(f'"example_id" is {kind_of(example_id)}', "give a string or a whole number")
    return str(example_id)


def _fill_cells(rows: list[object]) -> list[list[_Cell]]:
    """Rows of cells in file order, each with the columns left to it by cells that span several."""
    occupied: list[set[int]] = [set() for _ in rows]
    filled = []
    area = 0
    for number, row in enumerate(rows):
        if not isinstance(row, list):
            raise Malformed(f'"table" has {kind_of(row)} as row {number + 1}', "give a list of cells")
        cells = []
        column = 0
        for cell in row:
            while column in occupied[number]:
                column += 1
            width = min(max(get_field(cell, "column_span", int, 1), 1), MAX_COLUMNS_SPANNED)
            columns = range(column, column + width)
            below = occupied[number : number + max(get_field(cell, "row_span", int, 1), 1)]
            area += len(below) * width
            if area > MAX_COVERED:
                raise Malformed("cells that span too many rows and columns", "correct the spans")
            for covered in below:
                covered.update(columns)
            cells.append(
                _Cell(
                    get_field(cell, "value", str).strip(), get_field(cell, "is_header", bool, False), columns
                )
            )
        filled.append(cells)
    return filled


def _record(rows: list[list[_Cell]], position: object) -> Record:
    """The fact of one highlighted cell."""
    row_number, cell_number = _check_position(rows, position)
    row = rows[row_number]
    cell = row[cell_number]
    attribute = check_name(" / ".join(_column_headers(rows[:row_number], cell)))
    subject = "" if _is_header_row(row) else _row_header(row, cell)
    if not attribute:
        # In a table like an infobox the header beside the cell is the attribute, not the subject.
        attribute, subject = subject, ""
    return Record(subject, attribute, cell.value)


def _check_position(rows: list[list[_Cell]], position: object) -> tuple[int, int]:
    if isinstance(position, list) and [type(index) for index in position] == [int, int]:
        row, cell = position
        if 0 <= row < len(rows) and 0 <= cell < len(rows[row]):
            return row, cell
    raise Malformed(
        f'"highlighted_cells" has {show_value(position)}',
        "give [row, cell] indices inside the table, counted from 0",
    )


def _column_headers(above: list[list[_Cell]], cell: _Cell) -> list[str]:
    """Headers above a cell from top to bottom: those in header rows, or in any row if there are none."""
    for rows in ([row for row in above if _is_header_row(row)], above):
        headers = [
            other.value
            for row in rows
            for other in row
            if other.is_header and other.value and _overlap(other.columns, cell.columns)
        ]
        if headers:
            return list(dict.fromkeys(headers))
    return []


def _row_header(row: list[_Cell], cell: _Cell) -> str:
    headers = (other.value for other in row if other.is_header and other is not cell and other.value)
    return next(headers, "")


def _is_header_row(row: list[_Cell]) -> bool:
    """Whether all cells with text are headers: then they head columns, not the row."""
    return all(cell.is_header for cell in row if cell.value)


def _overlap(first: range, second: range) -> bool:
    return first.start < second.stop and second.start < first.stop
