"""What a figure contains: panels, lines, marks.

Panels are made once, by `make_panels`, and drawn by two thin renderers, one for pages and one
for pictures, so that both show the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.log import Column, Log

Dash: TypeAlias = Literal["solid", "dashed", "dotted", "dashdot"]
"""How a line is interrupted."""
Symbol: TypeAlias = Literal["start", "parting", "yes", "no"]
"""What a mark stands for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """A line through points. Where a number is not finite, the line has a gap."""

    name: str
    """What the legend calls it; empty to leave it out."""
    x: NDArray[np.float64]
    """Where the points are along the panel's horizontal axis [unit of the axis]."""
    y: NDArray[np.float64]
    """Where the points are along the panel's vertical axis [unit of the axis]."""
    colour: str
    """Colour as #rrggbb."""
    dash: Dash = "solid"
    """How the line is interrupted."""
    faint: bool = False
    """Whether it is thinner than the others, because it stands behind them."""
    dots: bool = False
    """Whether the points are dots without a line between them."""

    def __post_init__(self) -> None:
        for axis in ("x", "y"):
            # What rounding left of a zero would blow up the scale of an axis.
            values = np.round(np.asarray(getattr(self, axis), dtype=np.float64), 12)
            values[~np.isfinite(values)] = np.nan
            values.setflags(write=False)
            object.__setattr__(self, axis, values)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shape:
    """A filled polygon."""

    name: str
    """What it is, for the reader who points at it."""
    corners: NDArray[np.float64]
    """Corners (n, 2) in the order of the outline [unit of the axes]."""
    fill: str
    """Colour of its inside as #rrggbb."""
    edge: str
    """Colour of its outline as #rrggbb."""
    hatched: bool = False
    """Whether its inside has stripes: it rises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A symbol at one place."""

    symbol: Symbol
    """What it stands for."""
    x: float
    """Where it is along the horizontal axis [unit of the axis]."""
    y: float
    """Where it is along the vertical axis [unit of the axis]."""
    colour: str
    """Colour as #rrggbb."""
    name: str
    """What the legend calls it and all others of this name."""
    words: str = ""
    """What it is in particular, for the reader who points at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """Words above one place."""

    text: str
    """The words, in one line or more."""
    x: float
    """Where their middle is along the horizontal axis [unit of the axis]."""
    y: float
    """Where their lower edge is along the vertical axis [unit of the axis]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Heat:
    """A number at each crossing of a grid, as a colour. Where it is not finite, there is none."""

    x: NDArray[np.float64]
    """Where columns are along the horizontal axis, rising [unit of the axis]."""
    y: NDArray[np.float64]
    """Where rows are along the vertical axis, rising [unit of the axis]."""
    values: NDArray[np.float64]
    """The numbers, a row for each y [unit of the title]."""
    title: str
    """What the numbers are, with their unit."""
    names: tuple[str, str] | None = None
    """What 0 and 1 mean, where there are no other numbers; None for a scale of colours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One pair of axes and what is drawn in it, backmost first: shapes, lines, marks, labels."""

    key: str
    """Short name by which a page or picture asks for it."""
    title: str
    """What it shows."""
    x_label: str
    """Quantity and unit of the horizontal axis."""
    y_label: str
    """Quantity and unit of the vertical axis."""
    series: tuple[Series, ...]
    """The lines."""
    shapes: tuple[Shape, ...] = ()
    """The polygons behind the lines."""
    marks: tuple[Mark, ...] = ()
    """The symbols above the lines."""
    labels: tuple[Label, ...] = ()
    """The words above the lines."""
    x_names: tuple[str, ...] = ()
    """What 0, 1, 2 ... of the horizontal axis are called, where it counts things."""
    equal_axes: bool = False
    """Whether a metre is as long on one axis as on the other."""
    y_range: tuple[float, float] | None = None
    """From where to where the vertical axis is shown at first; None for all of it
    [unit of the axis]."""
    heat: Heat | None = None
    """Colours behind everything else; None for white."""

    @property
    def has_legend(self) -> bool:
        """Whether there is more than one name to tell apart."""
        return len(self.legend_names) > 1

    @property
    def legend_names(self) -> tuple[str, ...]:
        """The names that the legend lists: colours, lines, then marks, each once."""
        names = [thing.name for thing in (*self.series, *self.marks) if thing.name]
        meanings = self.heat.names or () if self.heat else ()
        return tuple(dict.fromkeys((*meanings, *names)))


MOST_ROWS = 2000
"""Rows that a line on a screen can use."""


def rows_to_draw(values: NDArray[np.float64], most: int = MOST_ROWS) -> NDArray[np.intp]:
    """Return which rows to draw so that peaks and gaps stay: all, or about `most` of them.

    Long logs are cut into stretches; the lowest, the highest and the first missing value of
    each stay, and both ends.
    """
    count = len(values)
    if count <= most:
        return np.arange(count)
    length = -(-count // (most // 2))
    rows = np.arange(0, count, length)
    # The last stretch is filled up with its own last value.
    stretches = np.pad(values, (0, len(rows) * length - count), mode="edge").reshape(-1, length)
    known = np.isfinite(stretches)
    kept = (
        [0, count - 1],
        rows + np.where(known, stretches, np.inf).argmin(axis=1),
        rows + np.where(known, stretches, -np.inf).argmax(axis=1),
        (rows + known.argmin(axis=1))[~known.all(axis=1)],
    )
    return np.unique(np.minimum(np.concatenate(kept), count - 1))


def thin_run(blocks: Iterable[Log], rows: int, most: int = MOST_ROWS) -> Log:
    """Return those rows of a long log in which any column has a peak or a gap, and both ends.

    Args:
        blocks: The log in blocks of rows, of which only one need be in memory at a time; at least
            one.
        rows: How many rows they have altogether.
        most: About how many rows are kept for the sake of each column.
    """
    kept: list[Log] = []
    for block in blocks:
        few = max(-(-len(block) * most // max(rows, 1)), 2)
        found = np.unique(np.concatenate([rows_to_draw(block[name], few) for name in block]))
        columns = {name: Column(c.values[found], c.unit) for name, c in block.columns.items()}
        kept.append(Log(columns, block.provenance))
    joined = {
        name: Column(np.concatenate([part[name] for part in kept]), column.unit)
        for name, column in kept[0].columns.items()
    }
    return Log(joined, kept[0].provenance)
