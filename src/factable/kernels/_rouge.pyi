from array import array
from collections.abc import Sequence

from factable.kernels.rouge import Options
from factable.types import Example

def score_rouge(examples: Sequence[Example], options: Options) -> tuple[dict[str, array[float]], bytes]: ...
