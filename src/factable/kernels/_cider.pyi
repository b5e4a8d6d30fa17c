from array import array
from collections.abc import Sequence

from factable.kernels.cider import Frequencies, Options
from factable.types import Example

def score_cider(
    examples: Sequence[Example], frequencies: Frequencies, options: Options
) -> tuple[dict[str, array[float]], bytes]: ...
