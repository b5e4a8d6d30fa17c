"""A progress bar on stderr, only where stderr is a terminal."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from factable.io.files import COMPRESSION_ENDINGS
from factable.run.units import Scored


class Progress:
    """Shows how much of the input is done: bytes where the size is known, and examples."""

    def __init__(self, files: Sequence[str] = (), *, shown: bool = True) -> None:
        self._examples = 0
        self._bar = None
        if shown and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (TextColumn("{task.fields[examples]:,} examples"), BarColumn(), TimeRemainingColumn())
            # Without a refreshing thread, so that worker processes can be forked safely.
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
            self._task = self._bar.add_task("", total=_total_bytes(files), examples=0)

    def __enter__(self) -> "Progress":
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def take(self, unit: Scored) -> None:
        """Say that a unit of work is done."""
        self.advance(unit.size, len(unit.items))

    def advance(self, size: int, examples: int) -> None:
        """Say that so many bytes and examples more are done."""
        self._examples += examples
        if self._bar:
            self._bar.update(self._task, advance=size, examples=self._examples, refresh=True)


def _total_bytes(files: Sequence[str]) -> int | None:
    """The size of all files; None where there are none, or one is compressed, missing or stdin."""
    paths = [Path(name) for name in files]
    if not paths or any(path.suffix in COMPRESSION_ENDINGS or not path.is_file() for path in paths):
        return None
    return sum(path.stat().st_size for path in paths)
