"""Ruts: what belts have pressed into soft ground."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.description import Course
from grouser.description.solids import Plane
from grouser.errors import InvalidValue

AROUND = 6.0
"""How far a grid of ruts reaches around the start, on soil without an end [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RutGrid:
    """Greatest sinkage of the ground, on a grid of the world."""

    x: float
    """Centre of the first cell, along x [m]."""
    y: float
    """Centre of the first cell, along y [m]."""
    cell: float
    """Size of a cell [m]."""
    depth: NDArray[np.float64]
    """Greatest sinkage so far; rows along y, columns along x [m]."""

    def copy(self) -> "RutGrid":
        """Return the ruts as they are now; those of a plant go on growing."""
        return RutGrid(x=self.x, y=self.y, cell=self.cell, depth=self.depth.copy())


def make_ruts(course: Course) -> RutGrid | None:
    """Return the grid of a course's ruts, with those that it begins with; None if it has none.

    It covers all soil; soil without an end is covered within the course's `area`, or else around
    the start.

    Raises:
        InvalidValue: The grid would have too many cells.
    """
    if course.ruts is None:
        return None
    cell, boxes = course.ruts.cell, np.array(list(_boxes(course)))
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    columns, rows = (int(n) for n in np.ceil((high - low) / cell - 1e-9) + 1)
    if columns * rows > limits.RUT_CELLS:
        side = ((high[0] - low[0]) * (high[1] - low[1]) / limits.RUT_CELLS) ** 0.5
        required = (
            f"be at least {1.01 * side:.2g} m for soil of {np.ptp((low[0], high[0])):.3g} m x "
        )
        required += f"{np.ptp((low[1], high[1])):.3g} m"
        raise InvalidValue("ruts.cell_m", cell, required)
    grid = RutGrid(x=float(low[0]), y=float(low[1]), cell=cell, depth=np.zeros((rows, columns)))
    x, y = low[0] + cell * np.arange(columns), low[1] + cell * np.arange(rows)
    for lane in course.ruts.lanes:
        inside = lane.footprint.contains(x[None, :], y[:, None])
        np.maximum(grid.depth, np.where(inside, lane.depth, 0.0), out=grid.depth)
    return grid


def has_endless_soil(course: Course) -> bool:
    """Return whether soil goes on beyond the grid of ruts: that of a plane."""
    surfaces = course.terrain.surfaces
    return any(surfaces[plane.surface].soil is not None for plane in course.terrain.planes)


def _boxes(course: Course) -> Iterator[tuple[float, float, float, float]]:
    """Yield least x and y, greatest x and y of all soil."""
    terrain = course.terrain
    soft = {name for name, surface in terrain.surfaces.items() if surface.soil is not None}
    for part in (*terrain.solids, *terrain.patches):
        if part.surface not in soft:
            continue
        if isinstance(part, Plane):
            start, area = course.start_pose, course.area
            x, y = float(start.x), float(start.y)
            around = (x - AROUND, y - AROUND, x + AROUND, y + AROUND)
            yield around if area is None else (area.x[0], area.y[0], area.x[1], area.y[1])
        else:
            corners = part.footprint.corners
            yield (*corners.min(axis=0), *corners.max(axis=0))


def ruts_of(plant: object) -> RutGrid | None:
    """Return the ruts of a plant, a view that goes on growing; None if it has no soil."""
    return getattr(plant, "ruts", None)
