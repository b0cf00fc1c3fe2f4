"""The ground under a scan as a height field: one node for each square of points.

Of the points nearest to a node, those of the lowest layer are the ground there: points follow each
other upwards with no gap that a robot could drive under (`clearance`). What lies above such a gap
overhangs the ground and is left out. The node's height is a percentile of the layer's points.

A layer of one or two points that differs by more than the clearance from the median of the nodes
around it is an outlier, as of dust or a mirror; the next layer counts then. A layer that begins so
far above this median, where other points overhang beside it, overhangs ground that was hidden: its
node is a gap. Gaps up to a width are
filled between their sides (`fill_gaps`); what is wider stays a hole.

What was never seen cannot be told from a solid: a table whose floor is hidden becomes a block.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter, minimum_filter

from grouser import limits
from grouser.description.field_ground import fill_gaps
from grouser.description.scan_files import Points, Scan, cover_triangles
from grouser.errors import InvalidDescription

Up: TypeAlias = Literal["x", "y", "z", "-x", "-y", "-z"]
"""Which axis of a scan points up."""
_TURNED: dict[Up, tuple[tuple[int, float], ...]] = {
    "z": ((0, 1.0), (1, 1.0), (2, 1.0)),
    "y": ((0, 1.0), (2, -1.0), (1, 1.0)),
    "x": ((1, 1.0), (2, 1.0), (0, 1.0)),
    "-z": ((0, 1.0), (1, -1.0), (2, -1.0)),
    "-y": ((0, 1.0), (2, 1.0), (1, -1.0)),
    "-x": ((1, -1.0), (2, 1.0), (0, -1.0)),
}
"""Axis and sign of x, y and z of a course, by what points up in the scan."""
FEW = 2
"""Points of a layer that may be an outlier, at most [1]."""
AROUND = 2
"""Nodes either way whose median an outlier is compared with [1]."""
KNOWN_AROUND = 3
"""Known nodes among them that it takes [1]."""
PASSES = 3
"""How often outliers are looked for: below one, there may be another [1]."""
SPARSE = 100
"""Nodes for each point, at most: fewer points are no ground [1]."""
ROOM, LEVEL = 0.4, 0.1
"""Around a start, ground reaches so far either way, and differs by so much at most [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanRule:
    """How a scan becomes ground."""

    spacing: float
    """Distance of nodes [m]."""
    up: Up = "z"
    """Which axis of the scan points up."""
    unit: float = 1.0
    """Length of one unit of the scan [m]."""
    crop: tuple[float, ...] = ()
    """West, east, south and north end of what is taken, perhaps lowest and highest z [m]."""
    clearance: float = 0.5
    """Height of a gap that a robot can drive under [m]."""
    percentile: float = 50.0
    """Percentile of the heights of the ground's points that a node has [%]."""
    fill: float = 0.5
    """Widest gap that is filled [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanGround:
    """A height field, and what became of a scan's points."""

    heights: NDArray[np.float64]
    """Heights of the nodes (rows, columns), the first row in the north, NaN without ground [m]."""
    spacing: float
    """Distance of nodes [m]."""
    middle: tuple[float, float]
    """Where the middle of the field lies in the scan: x, y [m]."""
    start: tuple[float, float]
    """A place to start at, from the middle [m]."""
    elevation: float
    """Height there [m]."""
    points: dict[str, int]
    """How many points of the scan were what."""
    nodes: dict[str, int]
    """How many nodes are what; an overhang is counted beside ground."""
    headroom: float | None
    """Least height of a gap under an overhang; None without any [m]."""


class _Grid(NamedTuple):
    first: tuple[float, float]
    """Place of the south-west node [m]."""
    shape: tuple[int, int]
    """Rows, columns."""


def make_ground(file: Path, scan: Scan, rule: ScanRule) -> ScanGround:
    """Return the ground of a scan; `file` is named in errors.

    Raises:
        InvalidDescription: There are no points, too many, or too large an area.
    """
    points, counts = _take(file, scan, rule)
    grid = _lay_grid(file, points, rule)
    place = np.rint((points[:, :2] - grid.first) / rule.spacing).astype(np.int64)
    cells = place[:, 1] * grid.shape[1] + place[:, 0]
    order = np.lexsort((points[:, 2], cells))
    layers = _Layers(cells[order], points[order, 2], rule)
    heights, dropped = layers.find_ground(grid.shape)
    filled = fill_gaps(heights, (rule.spacing, rule.spacing), rule.fill)
    seen, known = int((~np.isnan(heights)).sum()), int((~np.isnan(filled)).sum())
    overhangs, above, headroom = layers.count_above()
    u, v = find_start(filled, rule.spacing)
    rows, columns = grid.shape
    middle = (
        grid.first[0] + 0.5 * (columns - 1) * rule.spacing,
        grid.first[1] + 0.5 * (rows - 1) * rule.spacing,
    )
    return ScanGround(
        heights=filled[::-1],
        spacing=rule.spacing,
        middle=middle,
        start=((u - 0.5 * (columns - 1)) * rule.spacing, (v - 0.5 * (rows - 1)) * rule.spacing),
        elevation=float(filled[v, u]),
        points=counts | {"outliers": dropped, "above overhangs": above},
        nodes={
            "seen": seen,
            "filled": known - seen,
            "holes": filled.size - known,
            "under overhangs": overhangs,
        },
        headroom=headroom,
    )


def _take(file: Path, scan: Scan, rule: ScanRule) -> tuple[Points, dict[str, int]]:
    """Return the points to use, in metres and z up, and how many there are."""
    turned = [rule.unit * sign * scan.points[:, axis] for axis, sign in _TURNED[rule.up]]
    points, triangles = np.column_stack(turned), scan.triangles
    usable = np.asarray(np.isfinite(points).all(axis=1))
    if len(triangles):
        triangles = triangles[usable[triangles].all(axis=1)]
        if rule.crop:
            corners = points[triangles]
            inside = np.ones(len(triangles), bool)
            for axis, low, high in _ranges(rule.crop):
                inside &= corners[..., axis].max(axis=1) >= low
                inside &= corners[..., axis].min(axis=1) <= high
            triangles = triangles[inside]
    counts = {"in the file": len(points), "not finite": len(points) - int(usable.sum())}
    if len(triangles):
        covered = cover_triangles(file, Scan(points, triangles), 0.5 * rule.spacing)
        counts["of the surface"] = len(covered)
        points = covered
    else:
        points = points[usable]
    inside = np.ones(len(points), bool)
    for axis, low, high in _ranges(rule.crop):
        inside &= (points[:, axis] >= low) & (points[:, axis] <= high)
    counts["cropped"] = len(inside) - int(inside.sum())
    points = points[inside]
    if not len(points):
        raise InvalidDescription(file, ["has no points inside the crop that are finite numbers"])
    most_of_axes = limits.COORDINATE, limits.COORDINATE, limits.LENGTH
    for name, values, most in zip("xyz", points.T, most_of_axes, strict=True):
        low, high = float(values.min()), float(values.max())
        if max(-low, high) > most:
            mistake = f"{name} must be from {-most:g} to {most:g} m, not from {low:g} to {high:g}"
            raise InvalidDescription(file, [f"{mistake}; give its unit, or crop it"])
    return points, counts


def _ranges(crop: tuple[float, ...]) -> Iterator[tuple[int, float, float]]:
    for axis in range(len(crop) // 2):
        yield axis, crop[2 * axis], crop[2 * axis + 1]


def _lay_grid(file: Path, points: Points, rule: ScanRule) -> _Grid:
    """Return a grid over the points, whose nodes are whole numbers of spacings."""
    spacing = rule.spacing
    low = np.rint(points[:, :2].min(axis=0) / spacing)
    columns, rows = np.rint(points[:, :2].max(axis=0) / spacing) - low + 1.0
    most = min(limits.HEIGHT_SAMPLES, SPARSE * (len(points) + SPARSE))
    if columns * rows > most:
        inner = np.percentile(points[:, :2], (0.5, 99.5), axis=0)
        mistake = (
            f"would need {columns:,.0f} x {rows:,.0f} nodes of {spacing:g} m, and {most:,} are the "
            f"most for {len(points):,} points: give a larger spacing, or crop it (99 % of "
            f"its points are at x {inner[0, 0]:.6g} to {inner[1, 0]:.6g} m, y {inner[0, 1]:.6g} to "
            f"{inner[1, 1]:.6g} m)"
        )
        raise InvalidDescription(file, [mistake])
    if min(columns, rows) < 2:
        size = f"{(columns - 1) * spacing:g} x {(rows - 1) * spacing:g} m"
        mistake = f"must cover two nodes of {spacing:g} m either way, and covers {size}"
        raise InvalidDescription(file, [f"{mistake}: give a smaller spacing, or its unit"])
    first = float(low[0] * spacing), float(low[1] * spacing)
    return _Grid(first, (int(rows), int(columns)))


class _Layers:
    """Points of each cell in layers, from the lowest up."""

    def __init__(self, cells: NDArray[np.int64], z: NDArray[np.float64], rule: ScanRule) -> None:
        """Sort out layers of points that are sorted by cell and height."""
        is_next = cells[1:] != cells[:-1]
        gaps = z[1:] - z[:-1]
        begins = np.flatnonzero(np.append(True, is_next | (gaps > rule.clearance)))
        self._counts = np.diff(np.append(begins, len(z)))
        self._cells = cells[begins]
        self._gaps = np.append(math.inf, gaps)[begins]
        place = begins + 0.01 * rule.percentile * (self._counts - 1)
        lower = np.floor(place).astype(np.int64)
        upper = np.minimum(lower + 1, len(z) - 1)
        share = place - lower
        self._bottoms = z[begins]
        self._heights = np.where(share > 0.0, z[lower] + share * (z[upper] - z[lower]), z[lower])
        self._limit = rule.clearance
        starts = np.flatnonzero(np.append(True, self._cells[1:] != self._cells[:-1]))
        self._ground = starts
        """Layer that is the ground of each cell that has points."""
        self._ends = np.append(starts[1:], len(self._cells))
        self._hidden = np.zeros(len(starts), bool)
        """Cells whose layers all overhang ground that was hidden."""

    def find_ground(self, shape: tuple[int, int]) -> tuple[NDArray[np.float64], int]:
        """Return the heights of nodes, NaN without points, and how many outliers there were."""
        dropped = 0
        for _ in range(PASSES):
            heights, few = self._lay(shape), self._counts_of_ground <= FEW
            which = np.flatnonzero(self._has_ground & (few | self._is_beside_overhang(shape)))
            ground = self._ground[which]
            median = self._median_around(heights, ground)
            hidden = self._is_beside_overhang(shape)[which]
            hidden &= self._bottoms[ground] - median > self._limit
            odd = few[which] & ~hidden & (np.abs(self._heights[ground] - median) > self._limit)
            if not (hidden.any() or odd.any()):
                break
            dropped += int(self._counts[ground[odd]].sum())
            self._ground[which[odd]] += 1
            self._hidden[which[hidden]] = True
        return self._lay(shape), dropped

    def count_above(self) -> tuple[int, int, float | None]:
        """Return cells with an overhang, points above their ground, and the least headroom [m]."""
        layers = np.arange(len(self._cells))
        number = np.repeat(np.arange(len(self._ground)), np.diff(np.append(0, self._ends)))
        above = layers + self._hidden[number] > self._ground[number]
        lowest = (layers == self._ground[number] + 1) & ~self._hidden[number]
        headroom = float(self._gaps[lowest].min()) if lowest.any() else None
        return int(self._overhangs.sum()), int(self._counts[above].sum()), headroom

    @property
    def _overhangs(self) -> NDArray[np.bool_]:
        return self._hidden | (self._ground + 1 < self._ends)

    def _is_beside_overhang(self, shape: tuple[int, int]) -> NDArray[np.bool_]:
        cells = self._cells[self._ends - 1]
        grid = np.zeros(shape[0] * shape[1], bool)
        grid[cells] = self._overhangs
        near = maximum_filter(grid.reshape(shape), 2 * AROUND + 1, mode="constant")
        return np.asarray(near, bool).ravel()[cells]

    @property
    def _has_ground(self) -> NDArray[np.bool_]:
        return ~self._hidden & (self._ground < self._ends)

    @property
    def _counts_of_ground(self) -> NDArray[np.int64]:
        return np.where(self._has_ground, self._counts[np.minimum(self._ground, self._ends - 1)], 0)

    def _lay(self, shape: tuple[int, int]) -> NDArray[np.float64]:
        heights = np.full(shape[0] * shape[1], np.nan)
        ground = self._ground[self._has_ground]
        heights[self._cells[ground]] = self._heights[ground]
        return heights.reshape(shape)

    def _median_around(
        self, heights: NDArray[np.float64], layers: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Return the median of the nodes around those of layers; NaN of too few [m]."""
        median = np.full(len(layers), np.nan)
        framed = np.pad(heights, AROUND, constant_values=np.nan)
        offsets = np.arange(-AROUND, AROUND + 1)
        for first in range(0, len(layers), _AT_ONCE):
            row, column = np.divmod(self._cells[layers[first : first + _AT_ONCE]], heights.shape[1])
            rows = row[:, None, None] + AROUND + offsets[:, None]
            around = framed[rows, column[:, None, None] + AROUND + offsets].reshape(len(row), -1)
            around[:, around.shape[1] // 2] = np.nan
            enough = (~np.isnan(around)).sum(axis=1) >= KNOWN_AROUND
            median[first : first + _AT_ONCE][enough] = np.nanmedian(around[enough], axis=1)
        return median


_AT_ONCE = 50_000
"""Cells that are compared with what is around them at a time [1]."""


def find_start(heights: NDArray[np.float64], spacing: float) -> tuple[int, int]:
    """Return column and row of a node to start at: near the middle, with level ground around it."""
    rows, columns = heights.shape
    reach = min(math.ceil(ROOM / spacing), (min(rows, columns) - 1) // 2)
    known = ~np.isnan(heights)
    size = 2 * reach + 1
    high = maximum_filter(np.where(known, heights, np.inf), size, mode="constant", cval=np.inf)
    low = minimum_filter(np.where(known, heights, -np.inf), size, mode="constant", cval=-np.inf)
    away = np.hypot(
        np.arange(columns) - 0.5 * (columns - 1), (np.arange(rows) - 0.5 * (rows - 1))[:, None]
    )
    level = high - low <= LEVEL
    best = np.where(level if level.any() else known, away, np.inf).argmin()
    row, column = divmod(int(best), columns)
    return column, row
