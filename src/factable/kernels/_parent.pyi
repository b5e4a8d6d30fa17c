from array import array
from collections.abc import Sequence

from factable.kernels.parent import CooccurrenceCounts, ParentOptions
from factable.types import Example

def score_parent(
    examples: Sequence[Example], options: ParentOptions, counts: CooccurrenceCounts | None
) -> tuple[dict[str, array[float]], bytes]: ...
