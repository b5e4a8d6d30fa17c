from collections.abc import Sequence

from factable.types import Example

def read_lines(
    content: bytes, first_line: int, max_bytes: int, max_records: int, max_depth: int, max_name: int
) -> tuple[list[Example | bytes], Sequence[int], bool]: ...
