from array import array
from collections.abc import Sequence

from factable.kernels.parent import Counts, Options
from factable.types import Example, Record

def make_records(rows: list[object]) -> tuple[Record, ...] | None: ...
def tokenize(text: str, tokenizer: str = "words") -> list[str]: ...
def score_parent(
    examples: Sequence[Example], options: Options, counts: Counts | None
) -> tuple[dict[str, array[float]], bytes]: ...
