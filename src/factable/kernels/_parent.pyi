from array import array
from collections.abc import Sequence

from factable.kernels.parent import Counts, Options
from factable.types import Example

def score_parent(
    examples: Sequence[Example], options: Options, counts: Counts | None
) -> tuple[dict[str, array[float]], bytes]: ...
