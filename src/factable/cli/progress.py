"""A progress bar on stderr, only where stderr is a terminal."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType

from factable.cli.output import check_output, is_quiet
from factable.engine.plan import Scored
from factable.errors import UsageError, add_note
from factable.io.files import plain_size
from factable.models.runtime.progress import progress_listener

# Work that tells of every step is not shown more often.
SECONDS = 0.1


class Progress:
    """Shows how much of the input is done, bytes where the size is known and examples; below, long work.

    `total` is the number of examples, where they are read already.
    """

    def __init__(self, files: Sequence[str] = (), *, total: int | None = None, shown: bool = True) -> None:
        self._examples = 0
        self._started = time.monotonic()
        self._counts_examples = total is not None
        self._bar = None
        self._open = ExitStack()
        if shown and sys.stderr.isatty() and not is_quiet():
            from rich.console import Console
            from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TimeRemainingColumn(),
            )
            # Without a refreshing thread, so that worker processes can be forked safely.
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
            self._task = self._bar.add_task("0 examples", total=total or plain_size(files))
            self._work = self._bar.add_task("", visible=False)
            self._last = 0.0

    def __enter__(self) -> "Progress":
        if self._bar:
            self._open.enter_context(self._bar)
            self._open.enter_context(progress_listener(self._on_progress))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def _on_progress(self, steps: str, done: int, total: int) -> None:
        """Show work that takes long before any example is done."""
        now = time.monotonic()
        if self._bar and (done >= total or now - self._last >= SECONDS):
            self._last = now
            shown = f"{done:,} of {total:,} {steps}"
            self._bar.update(self._work, description=shown, completed=done, total=total, visible=done < total)
            self._bar.refresh()

    def take(self, unit: Scored) -> None:
        """Say that a unit of work is done."""
        self.advance(unit.size, len(unit.items))

    def advance(self, size: int, examples: int) -> None:
        """Say that so many bytes and examples more are done."""
        self._examples += examples
        if self._bar:
            step = examples if self._counts_examples else size
            seconds = time.monotonic() - self._started
            shown = f"{self._examples:,} examples, {self._examples / max(seconds, SECONDS):,.0f} per second"
            self._bar.update(self._task, advance=step, description=shown, refresh=True)


def check_resume(resume: str | None, files: Sequence[str], outputs: dict[str, str | None]) -> None:
    """Refuse a file that is an input, or an output: options with the path that each names."""
    if resume is None:
        return
    check_output(files, resume, "--resume")
    for option, path in outputs.items():
        if path is not None and Path(path).absolute() == Path(resume).absolute():
            raise UsageError(f"--resume and {option} are both {path}; give two names")


@contextmanager
def resumable(resume: str | None) -> Iterator[None]:
    """Note on whatever stops the run from outside that nothing is lost."""
    try:
        yield
    except BaseException as stop:
        if resume is not None and not isinstance(stop, Exception):
            add_note(stop, f"the same command goes on with what {resume} holds")
        raise
