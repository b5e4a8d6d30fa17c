"""Triples as JSON gives them -> Records; the compiled twin gives the same."""

from factable.types import Record


def make_records(rows: list[object]) -> tuple[Record, ...] | None:
    """Records of a list of three-string lists; None where any row is something else."""
    for row in rows:
        if type(row) is not list or len(row) != 3 or any(type(part) is not str for part in row):
            return None
    return tuple(map(Record._make, rows))  # type: ignore[arg-type]
