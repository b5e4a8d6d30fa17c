from collections.abc import Iterable

from factable.kernels.cider import Frequencies, Stored
from factable.kernels.words import Reading

def count_documents(documents: Iterable[Iterable[str]], reading: Reading, orders: int) -> Frequencies: ...
def restore_documents(stored: Stored, reading: Reading, orders: int) -> Frequencies: ...
