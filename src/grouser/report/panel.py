"""Content of a figure: panels with lines, shapes, marks and labels.

Panels are made by `make_panels` and drawn by two renderers, plotly for pages and matplotlib for
pictures.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.log import Column, Log, concatenate_logs

Dash: TypeAlias = Literal["solid", "dashed", "dotted", "dashdot"]
Symbol: TypeAlias = Literal["start", "divergence", "yes", "no"]
"""Meanings of a mark."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Series:
    """A line through points, with gaps where a number is not finite."""

    name: str
    """Name in the legend; empty to leave it out."""
    x: NDArray[np.float64]
    """Horizontal coordinates of the points [unit of the axis]."""
    y: NDArray[np.float64]
    """Vertical coordinates of the points [unit of the axis]."""
    colour: str
    """Colour as #rrggbb."""
    dash: Dash = "solid"
    faint: bool = False
    """Whether the line is thin and behind the others."""
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
    """Hover text."""
    corners: NDArray[np.float64]
    """Corners (n, 2) in the order of the outline [unit of the axes]."""
    fill: str
    """Colour of the inside as #rrggbb."""
    edge: str
    """Colour of the outline as #rrggbb."""
    hatched: bool = False
    """Whether the inside is hatched, for ramps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A symbol at one point."""

    symbol: Symbol
    x: float
    """Horizontal coordinate [unit of the axis]."""
    y: float
    """Vertical coordinate [unit of the axis]."""
    colour: str
    """Colour as #rrggbb."""
    name: str
    """Name in the legend, shared by several marks."""
    words: str = ""
    """Hover text; `name` if empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """Text above one point."""

    text: str
    """Text of one or more lines."""
    x: float
    """Horizontal coordinate of the middle [unit of the axis]."""
    y: float
    """Vertical coordinate of the lower edge [unit of the axis]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Heat:
    """A heat map: values on a grid as colours; empty where they are not finite."""

    x: NDArray[np.float64]
    """Horizontal coordinates of the columns, increasing [unit of the axis]."""
    y: NDArray[np.float64]
    """Vertical coordinates of the rows, increasing [unit of the axis]."""
    values: NDArray[np.float64]
    """Values, a row for each y [unit of the title]."""
    title: str
    """Quantity and unit of the values."""
    names: tuple[str, str] | None = None
    """Meanings of the values 0 and 1, if there are no others; None for a colour scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One pair of axes with its content, back to front: heat, shapes, lines, marks, labels."""

    key: str
    """Short unique name."""
    title: str
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
    """The texts above the lines."""
    x_names: tuple[str, ...] = ()
    """Names of 0, 1, 2 ... on the horizontal axis, for categories."""
    equal_axes: bool = False
    """Whether both axes have the same scale."""
    y_range: tuple[float, float] | None = None
    """Initial range of the vertical axis; None for all data [unit of the axis]."""
    heat: Heat | None = None
    """Heat map behind everything else, if any."""

    @property
    def has_legend(self) -> bool:
        """Whether there is more than one name in the legend."""
        return len(self.legend_names) > 1

    @property
    def legend_names(self) -> tuple[str, ...]:
        """Names in the legend: of colours, lines, then marks, each once."""
        names = [thing.name for thing in (*self.series, *self.marks) if thing.name]
        meanings = self.heat.names or () if self.heat else ()
        return tuple(dict.fromkeys((*meanings, *names)))


MOST_ROWS = 2000
"""Largest number of points of a line on a screen."""


def rows_to_draw(values: NDArray[np.float64], most: int = MOST_ROWS) -> NDArray[np.intp]:
    """Return the rows to draw so that peaks and gaps remain: all, or about `most` of them.

    A long column is divided into blocks; minimum, maximum and first NaN of each block are drawn,
    and both ends.
    """
    count = len(values)
    if count <= most:
        return np.arange(count)
    length = -(-count // (most // 2))
    rows = np.arange(0, count, length)
    # The last block is padded with its last value.
    blocks = np.pad(values, (0, len(rows) * length - count), mode="edge").reshape(-1, length)
    known = np.isfinite(blocks)
    kept = (
        [0, count - 1],
        rows + np.where(known, blocks, np.inf).argmin(axis=1),
        rows + np.where(known, blocks, -np.inf).argmax(axis=1),
        (rows + known.argmin(axis=1))[~known.all(axis=1)],
    )
    return np.unique(np.minimum(np.concatenate(kept), count - 1))


def thin_run(blocks: Iterable[Log], rows: int, most: int = MOST_ROWS) -> Log:
    """Return a long log reduced to the rows where any column has a peak or a gap, and both ends."""
    kept: list[Log] = []
    for block in blocks:
        few = max(-(-len(block) * most // max(rows, 1)), 2)
        found = np.unique(np.concatenate([rows_to_draw(block[name], few) for name in block]))
        columns = {name: Column(c.values[found], c.unit) for name, c in block.columns.items()}
        kept.append(Log(columns, block.provenance))
    return concatenate_logs(kept)
