"""Examples -> JSON lines."""

import os
from collections.abc import Iterable

import orjson

from factable.io.examples import to_object
from factable.io.files import open_output
from factable.types import Example


def write_examples(examples: Iterable[Example], path: str | os.PathLike[str]) -> int:
    """Write examples as JSON lines, whole or not at all; return how many."""
    count = 0
    with open_output(path) as stream:
        for example in examples:
            stream.write(orjson.dumps(to_object(example), option=orjson.OPT_APPEND_NEWLINE))
            count += 1
    return count
