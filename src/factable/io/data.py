"""Every form that `data` may have, turned into a Table."""

import re
from collections.abc import Iterator
from math import isnan

from factable.io.duplicates import check_unique_names
from factable.io.faults import Malformed, kind_of, shorten
from factable.io.limits import MAX_NAME, MAX_NESTING, MAX_RECORDS
from factable.kernels import flatten, flatten_rows, make_records
from factable.kernels.reading import NoRecordError, to_text
from factable.types import Record, Table

FORMS = (
    'give triples [["s", "p", "o"], …], "s | p | o" strings, an object, a list of row objects, '
    "or an E2E string name[…], food[…]"
)
# No blanks around the name in the pattern: they would make matching a long run of blanks quadratic.
E2E_SLOT = re.compile(r"([^\[\],]+)\[([^\]]*)\]\s*(?:,|$)")


def make_table(
    data: object, *, subject: str = "", title: str = "", raw: bytes = b"", line: object = None
) -> Table:
    """Turn any accepted form of `data` into a Table; `subject` names the entity of attribute-value data.

    `raw` is the JSON line that the data come from, if any, and `line` what it was parsed to: they are
    searched for names that occur twice.
    """
    if type(data) is list:
        records = make_records(data)
        if records is not None:
            return Table(records, title)
    if raw and type(data) is not str:
        check_unique_names(raw, line)
    if type(data) is list:
        return _from_list(data, subject, title)
    if isinstance(data, dict):
        try:
            return Table(flatten(data, subject, *RECORD_LIMITS), title, data)
        except NoRecordError as error:
            raise _malformed(error) from None
    if isinstance(data, str):
        return Table(_from_string(data, subject), title)
    if isinstance(data, list | tuple):
        return make_table(
            [list(row) if isinstance(row, tuple) else row for row in data], subject=subject, title=title
        )
    raise Malformed(f'"data" is {kind_of(data)}', FORMS)


def _from_list(rows: list[object], subject: str, title: str) -> Table:
    """Records of triples with other scalars, of "s | p | o" strings, or of row objects."""
    if subject and rows and isinstance(rows[0], dict):
        title = title or subject
    are_rows = bool(rows) and all(isinstance(row, dict) for row in rows)
    try:
        if are_rows:
            return Table(flatten_rows(rows, *RECORD_LIMITS), title, rows)  # type: ignore[arg-type]
        return Table(tuple(_from_mixed(rows)), title)
    except NoRecordError as error:
        raise _malformed(error) from None


def _from_mixed(rows: list[object]) -> list[Record]:
    records: list[Record] = []
    for number, row in enumerate(rows, 1):
        if isinstance(row, str):
            records.append(split_triple(row))
        elif isinstance(row, list | tuple):
            records.extend(_loose_triple(list(row), number))
        elif isinstance(row, dict):
            records.extend(flatten_rows([row], *RECORD_LIMITS)[: max(0, RECORD_LIMITS[0] - len(records))])
        else:
            raise Malformed(f'"data" has {kind_of(row)} as element {number}', FORMS)
    return records


# One record more than there may be, so that too many are noticed.
RECORD_LIMITS = (MAX_RECORDS + 1, MAX_NESTING, MAX_NAME)


def _malformed(error: NoRecordError) -> Malformed:
    """What is wrong with data that no records can be made of."""
    if error.reason == "depth":
        return Malformed(f'"data" is nested deeper than {MAX_NESTING} levels', "flatten it")
    if error.reason == "name":
        return _name_too_long(str(error.found))
    problem = f'"data" has {kind_of(error.found)} in {error.path}'
    return Malformed(problem, "use strings, numbers or booleans")


def split_triple(text: str) -> Record:
    """The record of one "s | p | o" string."""
    parts = text.split(" | ") if text.count("|") > 2 else text.split("|")
    if len(parts) != 3:
        raise Malformed(
            f'"data" has {shorten(text)} with {len(parts)} parts', 'a triple is "subject | attribute | value"'
        )
    return Record(parts[0].strip(), parts[1].strip(), parts[2].strip())


def _loose_triple(row: list[object], number: int) -> Iterator[Record]:
    """The record of a triple whose parts may be numbers or booleans; a null value gives no record."""
    if len(row) != 3:
        raise Malformed(
            f'"data" has {len(row)} parts in triple {number}', "a triple has subject, attribute and value"
        )
    if is_missing(row[2]):
        return
    subject, attribute, value = (to_text(part, f"triple {number}") for part in row)
    yield Record(subject, attribute, value)


def check_name(name: str) -> str:
    """The name of an attribute, unless it is so long that copies of it would fill the memory."""
    if len(name) > MAX_NAME:
        raise _name_too_long(name)
    return name


def _name_too_long(name: str) -> Malformed:
    return Malformed(f"an attribute name of {len(name)} characters", f"the limit is {MAX_NAME}")


def is_missing(value: object) -> bool:
    """Whether a value stands for no value: null, or the NaN of data frames."""
    return value is None or (isinstance(value, float) and isnan(value))


def _from_string(text: str, subject: str) -> tuple[Record, ...]:
    """Records of an E2E string, or of "s | p | o" strings joined by line breaks or <br>."""
    if "|" in text and not E2E_SLOT.match(text):
        return tuple(split_triple(line) for line in re.split(r"\n|<br>", text) if line.strip())
    return parse_e2e(text, subject)


def parse_e2e(text: str, subject: str = "") -> tuple[Record, ...]:
    """Records of an E2E meaning representation such as `name[The Eagle], food[French]`."""
    records = []
    position = 0
    text = text.rstrip()
    while position < len(text):
        slot = E2E_SLOT.match(text, position)
        if slot is None or not slot[1].strip():
            raise Malformed(
                f'"data" is {shorten(text)}, which cannot be read from {shorten(text[position:], 20)} on',
                FORMS,
            )
        records.append(Record(subject, slot[1].strip(), slot[2].strip()))
        position = slot.end()
    return tuple(records)
