"""Ground given by heights on a grid."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.description.rectangle import EDGE_TOLERANCE, Rectangle
from grouser.geometry import Scalar, rotate


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeightField:
    """Heights at the nodes of a grid, bilinear between them, nothing outside.

    `heights[j, i]` stands at the field's own coordinates u = i `spacing_along`,
    v = j `spacing_across`, both from its first node; u points along `yaw`, v to the left of it.
    A node that is not a number makes a hole of the cells around it.
    """

    name: str = "heightfield"
    """What it is called in drawings."""
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

    @property
    def footprint(self) -> Rectangle:
        """What it covers, seen from above."""
        rows, columns = self.heights.shape
        return Rectangle(
            x=self.x,
            y=self.y,
            yaw=self.yaw,
            length=(columns - 1) * self.spacing_along,
            width=(rows - 1) * self.spacing_across,
        )

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the height at world points; NaN outside [m]."""
        (h00, h10, h01, h11), u, v = self._cell(x, y)
        return (h00 * (1.0 - u) + h10 * u) * (1.0 - v) + (h01 * (1.0 - u) + h11 * u) * v

    def gradient(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return how the height rises along world x and y; NaN outside [1]."""
        (h00, h10, h01, h11), u, v = self._cell(x, y)
        along = ((h10 - h00) * (1.0 - v) + (h11 - h01) * v) / self.spacing_along
        across = ((h01 - h00) * (1.0 - u) + (h11 - h10) * u) / self.spacing_across
        return rotate(along, across, self.yaw)

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
