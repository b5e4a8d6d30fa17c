from array import array
from collections.abc import Sequence

from factable.kernels.rouge import RougeOptions
from factable.types import Example

def score_rouge(
    examples: Sequence[Example], options: RougeOptions
) -> tuple[dict[str, array[float]], bytes]: ...
