from array import array
from collections.abc import Sequence

def count_edits(texts: Sequence[str], references: Sequence[Sequence[str]]) -> array[int]: ...
