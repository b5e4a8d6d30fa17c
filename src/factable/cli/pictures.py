"""Options that draw: files for pictures, opened before the work and written whole or not at all."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from factable.cli.output import check_output
from factable.io.files import open_output
from factable.report.plots.style import picture_format, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw = Callable[[Callable[[], "Figure"]], None]


@contextmanager
def open_picture(path: str | None, option: str, files: Sequence[str]) -> Iterator[Draw]:
    """A function that takes one that makes a figure, and writes it; without a path it does nothing."""
    if path is None:
        yield _draw_nothing
        return
    shape = picture_format(path)
    check_output(files, path, option)
    with open_output(path) as stream:
        yield lambda make: save(make(), stream, shape)


def _draw_nothing(make: Callable[[], "Figure"]) -> None:
    """Nobody asked for this picture."""
