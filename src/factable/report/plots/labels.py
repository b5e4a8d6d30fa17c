"""Placing the names of points and lines so that they can be read."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from factable.report.plots.style import SOFT, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

LABEL_SIZE = 5.5
POINT_RADIUS = 1.8
# Distances of a label from its point, in points; from the second on a thin line leads to it.
DISTANCES = (2.5, 6.0, 10.0, 15.0)
ANGLES = (0, 180, 90, 270, 30, 330, 150, 210, 60, 300, 120, 240, 15, 345, 165, 195)
MAX_LINE, MAX_LINES = 28, 3


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: "Box") -> bool:
        """True if the two share an area."""
        across = min(self.right, other.right) > max(self.left, other.left)
        return across and min(self.top, other.top) > max(self.bottom, other.bottom)

    def is_inside(self, other: "Box") -> bool:
        """True if the other covers all of this one."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.bottom <= self.bottom and self.top <= other.top


class LabelPosition(NamedTuple):
    """A position of a label's centre, in points from its own point, and the boxes it and its line cover."""

    right: float
    up: float
    distance: float
    boxes: tuple[Box, ...]


def label_points(
    axes: "Axes", xs: Sequence[float], ys: Sequence[float], names: Sequence[str], taken: Sequence[Box]
) -> None:
    """Write names beside their points where they cover nothing; one without a free position is left out."""
    scale = axes.figure.dpi / 72
    centres = [(float(x), float(y)) for x, y in axes.transData.transform(list(zip(xs, ys, strict=True)))]
    sizes = [_size(axes, name) for name in names]
    panel = Box(*axes.bbox.extents)
    positions = [
        [position for position in _positions(*centre, *size, scale) if position.boxes[0].is_inside(panel)]
        for centre, size in zip(centres, sizes, strict=True)
    ]
    radius = POINT_RADIUS * scale
    occupied = [*taken, *(Box(x - radius, y - radius, x + radius, y + radius) for x, y in centres)]
    # The first label gets the best position, so a few orders are tried.
    numbers = range(len(names))
    across, up = (sorted(numbers, key=[centre[axis] for centre in centres].__getitem__) for axis in (0, 1))
    orders = (across, across[::-1], up, up[::-1])
    choices = [_choose(order, positions, occupied) for order in orders]
    best = min(choices, key=lambda choice: (-len(choice), sum(p.distance for p in choice.values())))
    for number, position in best.items():
        _write(axes, names[number], (xs[number], ys[number]), position)


def _choose(
    order: Sequence[int], positions: Sequence[Sequence[LabelPosition]], occupied: Sequence[Box]
) -> dict[int, LabelPosition]:
    """The first free position of each label, in the order given."""
    occupied, chosen = list(occupied), {}
    for number in order:
        for position in positions[number]:
            if not any(box.meets(other) for box in position.boxes for other in occupied):
                chosen[number] = position
                occupied.extend(position.boxes)
                break
    return chosen


def text_box(text: "Text") -> Box:
    """The rectangle that a text of the figure covers."""
    return Box(*text.get_window_extent().extents)


def _size(axes: "Axes", name: str) -> tuple[float, float]:
    """Width and height of a name in pixels."""
    text = axes.text(0, 0, shown(name), fontsize=LABEL_SIZE)
    box = text_box(text)
    text.remove()
    # A little wider, so that two names on one line are not read as one.
    return box.right - box.left + (box.top - box.bottom) / 3, box.top - box.bottom


def _positions(x: float, y: float, width: float, height: float, scale: float) -> Iterator[LabelPosition]:
    """Positions around a point in pixels, the best first."""
    for distance in DISTANCES:
        for degrees in ANGLES:
            along, across = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
            # The label touches a circle around the point with the side or corner that faces it.
            right = along * distance * scale + _side(along) * width / 2
            up = across * distance * scale + _side(across) * height / 2
            box = Box(x + right - width / 2, y + up - height / 2, x + right + width / 2, y + up + height / 2)
            line = _line(x, y, box, scale) if distance > DISTANCES[0] else ()
            yield LabelPosition(right / scale, up / scale, distance, (box, *line))


def _side(direction: float) -> float:
    return 0.0 if abs(direction) < 1e-9 else math.copysign(1.0, direction)


def _line(x: float, y: float, box: Box, scale: float) -> Iterator[Box]:
    """Small rectangles along the line from a point to the middle of its label, as far as it is drawn."""
    middle = ((box.left + box.right) / 2, (box.bottom + box.top) / 2)
    steps = math.ceil(math.dist((x, y), middle) / scale)
    half = 0.5 * scale
    for step in range(steps):
        across, up = (start + (end - start) * step / steps for start, end in zip((x, y), middle, strict=True))
        small = Box(across - half, up - half, across + half, up + half)
        if small.meets(box):
            return
        # The point itself is no obstacle to its own line.
        if math.dist((x, y), (across, up)) > 2 * POINT_RADIUS * scale:
            yield small


def _write(axes: "Axes", name: str, point: tuple[float, float], position: LabelPosition) -> None:
    """One label; a thin line leads to its point where it is not right beside it."""
    line = {"arrowstyle": "-", "color": SOFT, "linewidth": 0.4, "shrinkA": 0, "shrinkB": POINT_RADIUS}
    axes.annotate(
        shown(name),
        point,
        xytext=(position.right, position.up),
        textcoords="offset points",
        fontsize=LABEL_SIZE,
        ha="center",
        va="center",
        arrowprops=line if position.distance > DISTANCES[0] else None,
    )


def avoid_overlap(wanted: Sequence[float], sizes: Sequence[float], low: float, high: float) -> list[float]:
    """Centres of labels of these sizes that do not overlap, in order and as near to the wanted as possible.

    All lie between low and high if there is room for all.
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    # Where each label lies if all touch, counted from the first.
    offsets, end = [], 0.0
    for index in order:
        offsets.append(end + sizes[index] / 2)
        end += sizes[index]
    # Runs of labels that touch, as (sum of wanted starts, length); a run lies at the mean of these.
    runs: list[tuple[float, int]] = []
    for index, offset in zip(order, offsets, strict=True):
        runs.append((wanted[index] - offset, 1))
        while len(runs) > 1 and runs[-2][0] / runs[-2][1] > runs[-1][0] / runs[-1][1]:
            total, length = runs.pop()
            runs[-1] = (runs[-1][0] + total, runs[-1][1] + length)
    highest = max(low, high - end)
    starts = [min(max(total / length, low), highest) for total, length in runs for _ in range(length)]
    centres = [0.0] * len(wanted)
    for index, offset, start in zip(order, offsets, starts, strict=True):
        centres[index] = start + offset
    return centres


def wrap(name: str, max_line: int = MAX_LINE) -> str:
    """A name, such as a metric with many parameters, on a few lines; "…" is where something was cut off."""
    from textwrap import wrap as wrap_words

    lines = wrap_words(shown(name), max_line, break_long_words=False, break_on_hyphens=False)
    cut = [line if len(line) <= max_line else line[: max_line - 1] + "…" for line in lines]
    return "\n".join(cut if len(cut) <= MAX_LINES else [*cut[: MAX_LINES - 1], "…"])
