from array import array
from collections.abc import Sequence

from factable.kernels.frequencies import Frequencies

def sum_information(
    texts: Sequence[str], references: Sequence[Sequence[str]], frequencies: Frequencies
) -> array[float]: ...
