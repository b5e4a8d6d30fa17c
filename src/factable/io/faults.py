"""Making examples and other things of rows, collecting faults on the way, up to ten in one report."""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, TypeVar

from factable.errors import MAX_FAULTS_SHOWN, DataError, Fault
from factable.io.limits import check_size
from factable.io.malformed import Malformed
from factable.types import Example

T = TypeVar("T")
R = TypeVar("R")
RowKind = Literal["line", "row", "element"]


class Faults:
    """Faults found so far; the tenth raises them all, unless `patient`: then the owner takes them."""

    def __init__(self, *, patient: bool = False) -> None:
        self._found: list[Fault] = []
        self._patient = patient

    def add(self, *faults: Fault) -> None:
        """Remember faults; raise when there are enough of them for one report."""
        self._found.extend(faults)
        if not self._patient and len(self._found) >= MAX_FAULTS_SHOWN:
            self.check()

    def take(self) -> list[Fault]:
        """What was found since the last time."""
        taken, self._found = self._found, []
        return taken

    def check(self) -> None:
        """Raise what was found, if anything."""
        if self._found:
            raise DataError(self._found[:MAX_FAULTS_SHOWN]) from None


def fault_at(source: str, row_kind: RowKind, number: int, found: str, remedy: str) -> Fault:
    """A fault at a line (`file:3`) or at a row or element (`file: row 3`)."""
    if row_kind == "line":
        return Fault(source, number, found, remedy)
    return Fault(f"{source}: {row_kind} {number}", None, found, remedy)


def make_each(
    source: str,
    rows: Iterable[tuple[int, T]],
    make: Callable[[T], R],
    faults: Faults,
    *,
    row_kind: RowKind = "line",
) -> Iterator[tuple[int, R]]:
    """Make something of every numbered row; a bad row, or too large an example, becomes a fault."""
    numbered = iter(rows)
    while True:
        try:
            number, row = next(numbered)
            made = make(row)
            if isinstance(made, Example):
                check_size(made)
        except StopIteration:
            return
        except Malformed as error:
            faults.add(fault_at(source, row_kind, number, error.problem, error.remedy))
        except DataError as error:
            # The source itself breaks off here; report that with what was found before.
            faults.add(*error.faults)
            faults.check()
        else:
            yield number, made


def examples_of(
    source: str, rows: Iterable[tuple[int, T]], make: Callable[[T], Example], *, row_kind: RowKind = "line"
) -> Iterator[Example]:
    """The examples of one source; its faults are raised at the end, or at the tenth."""
    faults = Faults()
    for _, example in make_each(source, rows, make, faults, row_kind=row_kind):
        yield example
    faults.check()
