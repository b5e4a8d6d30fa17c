from collections.abc import Iterable

from factable.kernels.cider import Frequencies, Stored
from factable.kernels.words import WordOptions

def count_documents(documents: Iterable[Iterable[str]], reading: WordOptions, orders: int) -> Frequencies: ...
def restore_documents(stored: Stored, reading: WordOptions, orders: int) -> Frequencies: ...
