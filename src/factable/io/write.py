"""Examples -> JSON lines."""

import os
from collections.abc import Iterable

import orjson

from factable.io.examples import to_object
from factable.io.files import open_output
from factable.types import Example


def write_examples(
    examples: Iterable[Example], path: str | os.PathLike[str], *, with_text: bool = True
) -> int:
    """Write examples as JSON lines, whole or not at all; return how many.

    `with_text=False` is for corpora that hold no texts to be checked: an empty text would be one.
    """
    count = 0
    with open_output(path) as stream:
        for example in examples:
            fields = to_object(example)
            if not with_text:
                del fields["text"]
            stream.write(orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE))
            count += 1
    return count
