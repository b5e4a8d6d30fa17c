"""Examples of JSON lines; `_lines.py` reads the usual ones, and fast."""

from collections.abc import Sequence

from factable.types import Example


def read_lines(
    content: bytes,
    first_line: int,
    max_bytes: int,  # noqa: ARG001
    max_records: int,  # noqa: ARG001
    max_depth: int,  # noqa: ARG001
    max_name: int,  # noqa: ARG001
) -> tuple[list[Example | bytes], Sequence[int], bool]:
    """Each line that is not blank, as an example or as it is; the number of each; whether all were read.

    Compiled code makes the examples of lines that are short and have nothing unusual about them.
    `factable.io.examples` makes those of all other lines, and would make equal ones of these.
    """
    lines: list[Example | bytes] = []
    numbers: list[int] = []
    for number, line in enumerate(content.split(b"\n"), first_line):
        if line and not line.isspace():
            lines.append(line)
            numbers.append(number)
    return lines, numbers, not lines
