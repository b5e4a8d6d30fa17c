"""A progress bar in notebooks: how many examples are scored, of how many, and how fast."""

import os
import sys
import time
from collections.abc import Iterator, Sequence, Sized
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

from factable.engine.collect import Listener
from factable.engine.plan import Scored
from factable.io.files import plain_size
from factable.io.read import Source

# What is shown changes no more often.
SECONDS = 0.25


def in_notebook() -> bool:
    """Whether this process runs the cells of a notebook."""
    # IPython is not imported for this: in a notebook it is already.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return shell is not None and hasattr(shell, "kernel")


@contextmanager
def notebook_progress(sources: Sequence[Source]) -> Iterator[Listener]:
    """A listener that shows progress below the cell that runs; outside notebooks one that does nothing."""
    if not in_notebook():
        yield _ignore
        return
    bar = _Bar(sources)
    try:
        yield bar.take
    finally:
        bar.show()


class _Bar:
    """Counts examples, and bytes of files; one display that is updated in place."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._examples = self._bytes = 0
        files = [source for source in sources if isinstance(source, str | os.PathLike)]
        self._size = plain_size(files) if len(files) == len(sources) else None
        # Data frames have a length, which is that of their rows.
        self._total = None if files else sum(len(cast(Sized, source)) for source in sources)
        self._started = self._shown = time.monotonic()
        display = import_module("IPython.display").display
        self._display: Any = display(self._bundle(), raw=True, display_id=True)

    def take(self, unit: Scored) -> None:
        self._examples += len(unit.items)
        self._bytes += unit.size
        if time.monotonic() - self._shown >= SECONDS:
            self.show()

    def show(self) -> None:
        self._shown = time.monotonic()
        self._display.update(self._bundle(), raw=True)

    def _bundle(self) -> dict[str, str]:
        seconds = max(time.monotonic() - self._started, 1e-3)
        total = f" of {self._total:,}" if self._total else ""
        text = f"{self._examples:,}{total} examples, {self._examples / seconds:,.0f} per second"
        done, whole = (self._examples, self._total) if self._total else (self._bytes, self._size)
        bar = f'<progress value="{done}" max="{whole}"></progress> ' if whole else ""
        return {"text/plain": text, "text/html": f"{bar}{text}"}


def _ignore(unit: Scored) -> None:
    """Nobody looks."""
