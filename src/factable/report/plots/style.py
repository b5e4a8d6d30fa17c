"""The look of every figure, and how it is saved."""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from math import ceil
from shutil import which
from typing import IO, TYPE_CHECKING, Any, ParamSpec, TypeVar

from factable.errors import MissingExtraError, MissingProgramError, UsageError, printable
from factable.io.files import plain_suffix
from factable.report.formats import escape_latex

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Arguments = ParamSpec("Arguments")
R = TypeVar("R")
FORMATS = {".png": "png", ".svg": "svg", ".pdf": "pdf", ".pgf": "pgf"}
# Symbols of our own that not every font has.
TEX_SYMBOLS = {"−": "-", "λ": r"\lambda", "↓": r"\downarrow"}
# Programs that can measure text for a picture that LaTeX sets.
TEX_PROGRAMS = ("pdflatex", "xelatex", "lualatex")
# Inches: a column and the whole width of a two-column paper.
COLUMN, PAGE = 3.3, 6.8
WIDTHS = {"column": COLUMN, "text": PAGE}
RESOLUTION = 300
# Okabe and Ito's colours for colour-blind readers; yellow is too pale for lines and left out.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
FILL, INK, SOFT, GRID = "#8ebde0", "#222222", "#6b6b6b", "#e3e3e3"
# No date, so that equal figures give equal bytes.
METADATA: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "pgf": {},
}
STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica"],
    "font.size": 7,
    "axes.titlesize": 7.5,
    "axes.titleweight": "bold",
    "axes.labelsize": 7,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": SOFT,
    "axes.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.2,
    "axes.unicode_minus": True,
    # Names from data: a dollar sign is a dollar sign.
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "factable",
    "pdf.fonttype": 42,
}


def image_format(path: str | os.PathLike[str]) -> str:
    """The format, such as pdf, that a file's ending stands for; raises if figures cannot be drawn."""
    ending = plain_suffix(path)
    if ending not in FORMATS:
        problem = f"ends in {ending!r}" if ending else "has no ending"
        raise UsageError(f"picture {os.fspath(path)!r} {problem}; end it in .png, .svg, .pdf or .pgf")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError("drawing", "plot") from None
    if FORMATS[ending] == "pgf":
        tex_program()
    return FORMATS[ending]


def tex_program() -> str:
    """The LaTeX that measures the text of a .pgf picture."""
    found = next(filter(which, TEX_PROGRAMS), None)
    if found is None:
        names = ", ".join(TEX_PROGRAMS)
        raise MissingProgramError(f"a .pgf picture needs LaTeX ({names}); install TeX Live, or draw a .pdf")
    return found


@dataclass(frozen=True, slots=True)
class Look:
    """What may differ between pictures of one result: their width, and names shown instead of others.

    Without a width, one panel is as wide as a column, and several are as wide as the text.
    """

    width: str | None = None
    rename: Callable[[str], str] = str

    def max_columns(self, most: int) -> int:
        """How many panels fit side by side."""
        return 1 if self.width == "column" else most

    def inches(self, columns: int) -> float:
        """The width of a figure with so many columns of panels."""
        if self.width is not None:
            return WIDTHS[self.width]
        return COLUMN if columns == 1 else PAGE


@contextmanager
def _in_style() -> Iterator[None]:
    """Our style on top of matplotlib's own defaults, whatever the user's settings are."""
    from matplotlib import style

    with style.context(["default", STYLE]), warnings.catch_warnings():
        # A character that the font lacks is drawn as a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        yield


def styled(draw: Callable[Arguments, R]) -> Callable[Arguments, R]:
    """Run a function that draws in our style."""

    @wraps(draw)
    def in_style(*args: Arguments.args, **kwargs: Arguments.kwargs) -> R:
        with _in_style():
            return draw(*args, **kwargs)

    return in_style


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure, in inches, that makes room for its labels, without pyplot's global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.03, wspace=0.03, hspace=0.03)
    figure = Figure(figsize=(width, height), dpi=RESOLUTION, layout=layout)
    FigureCanvasAgg(figure)
    return figure


def make_panels(
    number: int, columns: int, height: float, *, width: float, extra: float = 0.0, **sharing: Any
) -> tuple["Figure", list["Axes"]]:
    """A figure with panels of this height, side by side in columns; `extra` height is for the figure."""
    lines = ceil(number / columns)
    figure = new_figure(width, lines * height + extra)
    grid = figure.subplots(lines, columns, squeeze=False, **sharing).flat
    for axes in grid[number:]:
        axes.set_visible(False)
    return figure, list(grid[:number])


def fix_layout(figure: "Figure") -> None:
    """Make room for all labels so far and freeze the layout, so that positions are known."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


@styled
def save(figure: "Figure", stream: IO[bytes], image_format: str) -> None:
    """Write a figure as png, svg, pdf or pgf; equal figures give equal bytes."""
    if image_format == "pgf":
        _save_for_tex(figure, stream)
    else:
        figure.savefig(stream, format=image_format, dpi=RESOLUTION, metadata=METADATA[image_format])


def _save_for_tex(figure: "Figure", stream: IO[bytes]) -> None:
    """Write commands for LaTeX, which sets the text in the fonts of the document."""
    import io

    from matplotlib import rc_context
    from matplotlib.text import Text
    from matplotlib.ticker import FuncFormatter

    for text in figure.findobj(Text):
        text.set_text(_for_tex(text.get_text()))
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        formatter, ticks = axis.get_major_formatter(), [float(tick) for tick in axis.get_ticklocs()]
        if isinstance(formatter, FuncFormatter):
            # Names, which are written anew whenever the figure is drawn.
            axis.set_ticks(ticks, list(map(_for_tex, formatter.format_ticks(ticks))))
    # The back end writes text, and takes a name or a file of text.
    written = io.StringIO()
    with rc_context({"pgf.rcfonts": False, "pgf.texsystem": tex_program()}):
        figure.savefig(written, format="pgf")
    stream.write(written.getvalue().encode())


def _for_tex(text: str) -> str:
    text = "\n".join(map(escape_latex, text.split("\n")))
    for letter, command in TEX_SYMBOLS.items():
        text = text.replace(letter, rf"\ensuremath{{{command}}}")
    return text


def shown(name: str) -> str:
    """A name from the data as it is written in a figure."""
    return printable(name) or "(unnamed)"
