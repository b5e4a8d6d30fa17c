"""How readers report bad outside data: what is wrong and where, up to ten faults in one error."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeVar

from factable.errors import MAX_FAULTS_SHOWN, DataError, Fault
from factable.io.limits import MAX_RECORDS, MAX_TEXT
from factable.types import Example

T = TypeVar("T")
R = TypeVar("R")
# What the entries of a source are called in messages.
RowKind = Literal["line", "row", "element"]
MAX_SHOWN = 60
# Faults of one batch of rows; millions of them would fill the memory.
MAX_FAULTS_KEPT = 1000
JSON_NAMES = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}


class Malformed(Exception):  # noqa: N818 - not an error of its own: a reader turns it into a Fault
    """What is wrong with a value and what to do about it; its reader adds file and line."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy


def kind_of(value: object) -> str:
    """The JSON word for the type of a value, for messages."""
    return JSON_NAMES.get(type(value), "a number" if isinstance(value, int | float) else type(value).__name__)


def show_value(value: object) -> str:
    """Any value, short enough for a one-line message."""
    try:
        shown = repr(value)
    except ValueError:
        # Python writes no number of more than 4300 digits.
        return "a number of too many digits"
    return shown if len(shown) <= MAX_SHOWN else shown[: MAX_SHOWN - 1] + "…"


def shorten(text: str, max_length: int = MAX_SHOWN) -> str:
    """A piece of outside text, quoted and short enough for a one-line message."""
    return repr(text if len(text) <= max_length else text[: max_length - 1] + "…")


def fault_at(source: str, row_kind: RowKind, number: int, problem: str, remedy: str) -> Fault:
    """A fault at a line (`file:3`) or at a row or element (`file: row 3`)."""
    if row_kind == "line":
        return Fault(source, number, problem, remedy)
    return Fault(f"{source}: {row_kind} {number}", None, problem, remedy)


class Faults:
    """Collects faults; the tenth raises a DataError with all of them, unless bad rows are skipped."""

    def __init__(self, *, skip_bad: bool = False) -> None:
        self._faults: list[Fault] = []
        self._skip_bad = skip_bad

    def add(self, *faults: Fault) -> None:
        """Add faults; raise when there are enough of them for one report."""
        # Only the first are ever shown; of the others their number counts.
        room = max(0, MAX_FAULTS_KEPT - len(self._faults))
        self._faults.extend(faults[:room])
        self._faults.extend(self._faults[-1:] * len(faults[room:]))
        if not self._skip_bad and len(self._faults) >= MAX_FAULTS_SHOWN:
            self.check()

    def pop_all(self) -> list[Fault]:
        """Return all faults and forget them."""
        faults, self._faults = self._faults, []
        return faults

    def check(self) -> None:
        """Raise a DataError if there are any faults."""
        if self._faults:
            raise DataError(self._faults[:MAX_FAULTS_SHOWN]) from None


def check_size(example: Example) -> Example:
    """The example, unless it is larger than any metric should have to read."""
    if len(example.table.records) > MAX_RECORDS:
        raise Malformed(f"more than {MAX_RECORDS} records", "split the data into several examples")
    for text in (example.text, *example.references):
        if len(text) > MAX_TEXT:
            raise Malformed(
                f"a text or reference of {len(text)} characters", f"split it; the limit is {MAX_TEXT}"
            )
    return example


def make_each(
    source: str,
    rows: Iterable[tuple[int, T]],
    make: Callable[[T], R],
    faults: Faults,
    *,
    row_kind: RowKind = "line",
) -> Iterator[tuple[int, R]]:
    """Call `make` on every numbered row; a bad row, or too large an example, becomes a fault."""
    numbered = iter(rows)
    while True:
        try:
            number, row = next(numbered)
            result = make(row)
            if isinstance(result, Example):
                check_size(result)
        except StopIteration:
            return
        except Malformed as error:
            faults.add(fault_at(source, row_kind, number, error.problem, error.remedy))
        except DataError as error:
            # The source itself breaks off here: report that together with the earlier faults.
            faults.add(*error.faults)
            faults.check()
        else:
            yield number, result


def examples_of(
    source: str, rows: Iterable[tuple[int, T]], make: Callable[[T], Example], *, row_kind: RowKind = "line"
) -> Iterator[Example]:
    """The examples of one source; its faults are raised at the end, or at the tenth."""
    faults = Faults()
    for _, example in make_each(source, rows, make, faults, row_kind=row_kind):
        yield example
    faults.check()
