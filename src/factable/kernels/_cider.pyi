from array import array
from collections.abc import Sequence

from factable.kernels.cider import CiderOptions
from factable.kernels.frequencies import Frequencies
from factable.types import Example

def score_cider(
    examples: Sequence[Example], frequencies: Frequencies, options: CiderOptions
) -> tuple[dict[str, array[float]], bytes]: ...
