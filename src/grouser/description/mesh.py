"""Closed triangle meshes to stand on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grouser.description.footprint_index import FootprintIndex
from grouser.description.surface import EDGE_TOLERANCE, Rectangle
from grouser.geometry import Scalar


@dataclass(frozen=True, kw_only=True, eq=False)
class Mesh:
    """A closed surface of triangles; the ground is its highest point above (x, y).

    Points are in the frame of the course, x and y level, z up. Seen from outside, the corners of
    each triangle run counter-clockwise. Both arrays are read-only.
    """

    name: str = "mesh"
    """Name in drawings."""
    vertices: NDArray[np.float64]
    """Corners (n, 3) in the frame of the course [m]."""
    triangles: NDArray[np.intp]
    """Numbers of the three corners of each triangle (m, 3)."""
    surface: str = "ground"
    """Name of its surface."""
    is_convex: bool = False
    """Whether it is known to be convex; a mesh from a file may be so, too."""

    def __post_init__(self) -> None:
        for name, kind in (("vertices", np.float64), ("triangles", np.intp)):
            array = np.array(getattr(self, name), kind).reshape(-1, 3)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @cached_property
    def footprint(self) -> Rectangle:
        """Smallest rectangle around it, seen from above, parallel to world x and y."""
        (low_x, low_y), (high_x, high_y) = (
            bound(self.vertices[:, :2], axis=0).tolist() for bound in (np.min, np.max)
        )
        return Rectangle(
            x=0.5 * (low_x + high_x),
            y=0.5 * (low_y + high_y),
            length=high_x - low_x,
            width=high_y - low_y,
        )

    @property
    def top(self) -> float:
        """Height of its highest point [m]."""
        return float(self.vertices[:, 2].max())

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the height of its highest point at world points; NaN beside it [m]."""
        return self._highest(x, y)[1]

    def gradient(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return how the height rises along world x and y; NaN beside it [1]."""
        number, _ = self._highest(x, y)
        rises = self._faces.rises[number]
        return rises[..., 0][()], rises[..., 1][()]

    @cached_property
    def _faces(self) -> "_UpperFaces":
        return _UpperFaces(self.vertices[self.triangles])

    def _highest(self, x: Scalar, y: Scalar) -> tuple[NDArray[np.intp], Scalar]:
        """Return the upper face on top, -1 for none, and its height, NaN for none [m]."""
        x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
        number, height = self._faces.highest(x.ravel(), y.ravel())
        return number.reshape(x.shape), height.reshape(x.shape)[()]


class _UpperFaces:
    """The triangles that look up, and an index of what they cover."""

    def __init__(self, corners: NDArray[np.float64]) -> None:
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        up = normals[:, 2] > 1e-12 * np.linalg.norm(normals, axis=1)
        corners, normals = corners[up], normals[up]
        self.rises = np.append(-normals[:, :2] / normals[:, 2:], [(np.nan, np.nan)], axis=0)
        """How each rises along world x and y, and at the end NaN for none (m + 1, 2) [1]."""
        self._corners = corners
        self._lowest, self._highest = corners[:, :, 2].min(axis=1), corners[:, :, 2].max(axis=1)
        sides = np.roll(corners, -1, axis=1) - corners
        # (m, 3, 2): unit vectors across the sides, to the inside.
        across = np.stack((-sides[:, :, 1], sides[:, :, 0]), axis=-1)
        lengths = np.linalg.norm(across, axis=-1, keepdims=True)
        self._inward = across / np.where(lengths > 0.0, lengths, 1.0)
        flat = corners[:, :, :2]
        grown = 2.0 * EDGE_TOLERANCE
        self._index = FootprintIndex(flat.min(axis=1) - grown, flat.max(axis=1) + grown)

    def highest(
        self, x: NDArray[np.float64], y: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return which face is on top, -1 for none, and its height, NaN for none [m]."""
        points, faces = self._index.pairs(x, y)
        place = np.column_stack((x[points], y[points]))
        away = place[:, np.newaxis] - self._corners[faces, :, :2]
        inside = ((away * self._inward[faces]).sum(axis=-1) >= -EDGE_TOLERANCE).all(axis=1)
        points, faces, away = points[inside], faces[inside], away[inside, 0]
        tops = self._corners[faces, 0, 2] + (away * self.rises[faces]).sum(axis=-1)
        tops = np.clip(tops, self._lowest[faces], self._highest[faces])
        height = np.full(x.shape, -np.inf)
        np.maximum.at(height, points, tops)
        number = np.full(x.shape, len(self._corners))
        first = tops == height[points]
        np.minimum.at(number, points[first], faces[first])
        missed = number == len(self._corners)
        return np.where(missed, -1, number), np.where(missed, np.nan, height)
