"""Height fields: two triangles in each cell of a grid."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grouser.description.surface import EDGE_TOLERANCE, Rectangle
from grouser.geometry import Scalar, rotate


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeightField:
    """Heights at the nodes of a grid, two triangles in each cell, nothing outside.

    `heights[j, i]` stands at the field's own coordinates u = i `spacing_along`,
    v = j `spacing_across`, both from its first node; u points along `yaw`, v to the left of it.
    The diagonal of each cell runs from its node of least u and v to that of greatest u and v, as
    in height fields of the engine. A NaN node makes a hole of the cells around it.
    """

    name: str = "heightfield"
    """Name in drawings."""
    x: float = 0.0
    """Centre along world x [m]."""
    y: float = 0.0
    """Centre along world y [m]."""
    yaw: float = 0.0
    """Direction of its rows, counter-clockwise from world x [rad]."""
    spacing_along: float
    """Distance between nodes of a row [m]."""
    spacing_across: float
    """Distance between rows [m]."""
    heights: NDArray[np.float64]
    """Height of each node (rows, columns) [m]."""
    surface: str = "ground"
    """Name of its surface."""
    origin_on_map: tuple[float, float] | None = None
    """Easting and northing of the world's origin, if the file of the heights is a map [m]."""

    @property
    def footprint(self) -> Rectangle:
        """Footprint seen from above."""
        rows, columns = self.heights.shape
        return Rectangle(
            x=self.x,
            y=self.y,
            yaw=self.yaw,
            length=(columns - 1) * self.spacing_along,
            width=(rows - 1) * self.spacing_across,
        )

    @property
    def turned(self) -> "HeightField":
        """The same nodes counted from another corner, so that the diagonals are the other ones.

        Its own u points along v of this field, its v against u.
        """
        return replace(
            self,
            yaw=self.yaw + 0.5 * math.pi,
            spacing_along=self.spacing_across,
            spacing_across=self.spacing_along,
            heights=np.ascontiguousarray(self.heights.T[::-1]),
        )

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the height at world points; NaN outside [m]."""
        node, along, across, u, v = self._triangle(x, y)
        return node + along * u + across * v

    def gradient(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return how the height rises along world x and y; NaN outside [1]."""
        node, along, across, u, v = self._triangle(x, y)
        nothing = 0.0 * (node + u + v)  # NaN outside and in holes
        return rotate(
            along / self.spacing_along + nothing, across / self.spacing_across + nothing, self.yaw
        )

    def _triangle(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar, Scalar]:
        """Return the height of the first node of the cell, the rises, and where the point is.

        Rises are those along the cell's sides, over a whole side [m]; places in the cell are from 0
        to 1. NaN outside, and in a cell with a node that is NaN.
        """
        (h00, h10, h01, h11), u, v = self._cell(x, y)
        below = u >= v  # the triangle 00, 10, 11; above the diagonal it is 00, 11, 01
        along = np.where(below, h10 - h00, h11 - h01)
        across = np.where(below, h11 - h10, h01 - h00)
        # All four nodes count, so that a hole is a whole cell.
        node = np.where(np.isnan(h00 + h10 + h01 + h11), np.nan, h00)
        return node, along, across, u, v

    def _cell(self, x: Scalar, y: Scalar) -> tuple[tuple[Scalar, ...], Scalar, Scalar]:
        """Return the four nodes around each point, and where it is between them (0 to 1)."""
        rows, columns = self.heights.shape
        u, v = rotate(np.subtract(x, self.x), np.subtract(y, self.y), -self.yaw)
        u = u / self.spacing_along + 0.5 * (columns - 1)
        v = v / self.spacing_across + 0.5 * (rows - 1)
        slack_u = EDGE_TOLERANCE / self.spacing_along
        slack_v = EDGE_TOLERANCE / self.spacing_across
        inside = (
            (u >= -slack_u) & (u <= columns - 1 + slack_u)
            & (v >= -slack_v) & (v <= rows - 1 + slack_v)
        )  # fmt: skip
        # Points outside must not be turned into an index; they read node 0 and become NaN.
        i = np.clip(np.floor(np.where(inside, u, 0.0)).astype(np.intp), 0, columns - 2)
        j = np.clip(np.floor(np.where(inside, v, 0.0)).astype(np.intp), 0, rows - 2)
        nodes = (
            self.heights[j, i],
            self.heights[j, i + 1],
            self.heights[j + 1, i],
            self.heights[j + 1, i + 1],
        )
        return nodes, np.where(inside, u - i, np.nan), v - j
