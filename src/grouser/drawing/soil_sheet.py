"""Soft ground as a sheet: its height, its surfaces, and how ruts lower it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.description.heightfield import HeightField
from grouser.description.mesh import Mesh
from grouser.description.solids import Patch, Plane, Slab
from grouser.description.surface import Rectangle, Surface
from grouser.description.terrain import Terrain
from grouser.models.ground.ruts import RutGrid

SAMPLES = 200_000
"""Largest number of points at which soft ground is looked for."""

BoundedSolid: TypeAlias = Slab | HeightField | Mesh
"""A solid with an end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoilSheet:
    """The part of a rut grid in which the ground is soft, with a node at the centre of each cell.

    Inside its rectangle the sheet is drawn instead of planes and of the tops of soft solids. It is
    as high as they are; other solids stand on it.
    """

    grid: RutGrid
    """The ruts, which may go on growing."""
    rows: slice
    """Rows of the grid."""
    columns: slice
    """Columns of the grid."""
    soft: tuple[BoundedSolid, ...]
    """Solids whose tops it replaces."""
    heights: NDArray[np.float64]
    """Height of each node without ruts; NaN where there is no ground [m]."""
    surfaces: NDArray[np.intp]
    """Surface of each cell between four nodes, by its number; -1 where there is no ground."""
    surface_count: int
    """Number of surfaces of the terrain."""

    @classmethod
    def of(cls, terrain: Terrain, grid: RutGrid) -> Self:
        """Return the sheet of a terrain."""
        found = soft_solids(terrain)
        rows, columns = _find_soft(terrain, grid, found)
        x, y = (axis[part] for axis, part in zip(_axes(grid), (columns, rows), strict=True))
        soft = tuple(solid for solid in found if _is_within(solid, x, y, grid.cell))
        bed = replace(terrain, solids=(*terrain.planes, *soft))
        middle_x, middle_y = (0.5 * (axis[1:] + axis[:-1]) for axis in (x, y))
        heights = np.asarray(bed.height(*np.meshgrid(x, y)))
        surfaces = np.asarray(bed.surface(*np.meshgrid(middle_x, middle_y)))
        corners = heights[1:, 1:] + heights[1:, :-1] + heights[:-1, 1:] + heights[:-1, :-1]
        return cls(
            grid=grid, rows=rows, columns=columns, soft=soft, heights=heights,
            surfaces=np.where(np.isnan(corners), -1, surfaces),
            surface_count=len(terrain.surfaces),
        )  # fmt: skip

    @property
    def x(self) -> NDArray[np.float64]:
        """World x of the columns [m]."""
        return _axes(self.grid)[0][self.columns]

    @property
    def y(self) -> NDArray[np.float64]:
        """World y of the rows [m]."""
        return _axes(self.grid)[1][self.rows]

    @property
    def depth(self) -> NDArray[np.float64]:
        """Depth of the ruts at the nodes now: a view of what goes on growing [m]."""
        return self.grid.depth[self.rows, self.columns]

    @property
    def rectangle(self) -> Rectangle:
        """The rectangle that the sheet covers."""
        return _between(self.x[0], self.x[-1], self.y[0], self.y[-1])

    def fits(self, grid: RutGrid) -> bool:
        """Return whether a grid has the same cells, so that the sheet can show its ruts."""
        mine = self.grid
        return (grid.x, grid.y, grid.cell) == (mine.x, mine.y, mine.cell) and (
            grid.depth.shape == mine.depth.shape
        )


def is_soft(surface: Surface) -> bool:
    """Return whether belts sink into a surface."""
    return surface.soil is not None


def soft_patches(terrain: Terrain) -> tuple[Patch, ...]:
    """Return the patches that are soft."""
    return tuple(patch for patch in terrain.patches if is_soft(terrain.surfaces[patch.surface]))


def soft_solids(terrain: Terrain) -> tuple[BoundedSolid, ...]:
    """Return the solids with an end that are soft, or on which a soft patch may lie."""
    patches = [patch.footprint for patch in soft_patches(terrain)]
    return tuple(
        solid
        for solid in terrain.solids
        if not isinstance(solid, Plane)
        and (is_soft(terrain.surfaces[solid.surface]) or _meets(solid.footprint, patches))
    )


def _meets(footprint: Rectangle, others: Sequence[Rectangle]) -> bool:
    low, high = footprint.corners.min(axis=0), footprint.corners.max(axis=0)
    return any(
        bool((other.corners.max(axis=0) > low).all() and (other.corners.min(axis=0) < high).all())
        for other in others
    )


def _axes(grid: RutGrid) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rows, columns = grid.depth.shape
    return grid.x + grid.cell * np.arange(columns), grid.y + grid.cell * np.arange(rows)


def _between(x0: float, x1: float, y0: float, y1: float) -> Rectangle:
    return Rectangle(
        x=float(0.5 * (x0 + x1)), y=float(0.5 * (y0 + y1)),
        length=float(x1 - x0), width=float(y1 - y0),
    )  # fmt: skip


def _is_within(
    solid: BoundedSolid, x: NDArray[np.float64], y: NDArray[np.float64], slack: float
) -> bool:
    low, high = (x[0] - slack, y[0] - slack), (x[-1] + slack, y[-1] + slack)
    return bool(((solid.footprint.corners >= low) & (solid.footprint.corners <= high)).all())


def _find_soft(
    terrain: Terrain, grid: RutGrid, solids: Sequence[BoundedSolid]
) -> tuple[slice, slice]:
    """Return the rows and columns of a grid around all soft ground; all of them without any.

    A solid that is soft in part is inside as a whole, if the grid is large enough.
    """
    rows, columns = grid.depth.shape
    stride = max(1, int(np.ceil(np.sqrt(rows * columns / SAMPLES))))
    x, y = np.meshgrid(*(axis[::stride] for axis in _axes(grid)))
    # Index -1, where there is no ground, finds the last: not soft.
    soft = np.array([*(is_soft(surface) for surface in terrain.surfaces.values()), False])
    found = soft[np.asarray(terrain.surface(x, y))]
    for solid in solids:
        found |= np.asarray(solid.footprint.contains(x, y))
    if not found.any():
        return slice(0, rows), slice(0, columns)
    spans = []
    for axis, count in ((1, rows), (0, columns)):
        (where,) = np.nonzero(found.any(axis=axis))
        low, high = stride * (int(where[0]) - 1), stride * (int(where[-1]) + 1) + 1
        spans.append(slice(max(low, 0), min(high, count)))
    return spans[0], spans[1]
