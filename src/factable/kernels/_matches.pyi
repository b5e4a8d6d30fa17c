from array import array
from collections.abc import Sequence

from factable.kernels.matches import TokenUnit

def count_clipped(
    texts: Sequence[str], references: Sequence[Sequence[str]], orders: int, unit: TokenUnit
) -> array[int]: ...
def count_each(
    texts: Sequence[str], references: Sequence[Sequence[str]], orders: int, unit: TokenUnit
) -> array[int]: ...
