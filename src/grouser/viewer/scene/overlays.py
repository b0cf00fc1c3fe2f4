"""Scene nodes of trails and lines, and the materials of all nodes."""

import math
from collections import deque
from typing import Any, Literal, TypeAlias

import numpy as np
import viser
from numpy.typing import ArrayLike, NDArray
from trimesh import Trimesh

from grouser.drawing.colours import Colour
from grouser.errors import InvalidValue
from grouser.report.colours import LINES


class SceneNode:
    """A root node and its children, which are shown, hidden and removed together."""

    def __init__(self, scene: viser.SceneApi, name: str) -> None:
        """Add a root node without children at a path, such as `/world/robot`."""
        self._root = scene.add_frame(name, show_axes=False)

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return self._root.visible

    @visible.setter
    def visible(self, visible: bool) -> None:
        self._root.visible = visible

    def remove(self) -> None:
        """Remove all nodes from the scene."""
        self._root.remove()


Rgb: TypeAlias = tuple[int, int, int]
"""Red, green and blue, each from 0 to 255."""

MATERIAL: Literal["standard", "toon3", "toon5"] = "standard"
"""Material of all surfaces."""


def to_rgb(colour: Colour) -> Rgb:
    """Return a colour with components from 0 to 255."""
    red, green, blue = (round(255 * part) for part in colour)
    return red, green, blue


def line_rgb(number: int) -> Rgb:
    """Return a colour of the charts' palette, which is safe for colour-blind people."""
    red, green, blue = bytes.fromhex(LINES[number][1:])
    return red, green, blue


def mix(colour: Rgb, other: Rgb, share: float) -> Rgb:
    """Return a mixture of two colours with a `share` of the other [1]."""
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(colour, other, strict=True))
    return red, green, blue


def to_linear(colours: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return sRGB colours (..., 3) as linear ones, from 0 to 255: batched meshes need these."""
    share = np.asarray(colours) / 255.0
    linear = np.where(share > 0.04045, ((share + 0.055) / 1.055) ** 2.4, share / 12.92)
    return np.round(255.0 * linear).astype(np.uint8)


def add_mesh(
    scene: viser.SceneApi,
    name: str,
    mesh: Trimesh,
    colour: Rgb,
    *,
    opacity: float | None = None,
    both_sides: bool = False,
    facets: bool = False,
    shadowed: bool = False,
) -> viser.MeshHandle:
    """Add a mesh to a scene; `opacity` makes it translucent [1], `facets` its triangles flat.

    Shadows fall on it only if it is `shadowed`.
    """
    return scene.add_mesh_simple(
        name,
        mesh.vertices,
        mesh.faces,
        color=colour,
        opacity=opacity,
        material=MATERIAL,
        side="double" if both_sides else "front",
        flat_shading=facets,
        cast_shadow=False,
        receive_shadow=shadowed,
    )


def add_batch(
    scene: viser.SceneApi,
    name: str,
    shape: Trimesh,
    scales: NDArray[np.float64],
    colours: NDArray[np.uint8],
    **options: Any,
) -> viser.BatchedMeshHandle:
    """Add a mesh at the origin for each row of `scales` (n, 3) [1]."""
    count = len(scales)
    return scene.add_batched_meshes_simple(
        name,
        shape.vertices,
        shape.faces,
        np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        np.zeros((count, 3)),
        batched_scales=scales,
        batched_colors=colours,
        lod="off",
        material=MATERIAL,
        cast_shadow=False,
        receive_shadow=False,
        **options,
    )


CHUNK = 48
"""Number of points in one node; only the last node is updated when the trail grows."""
CHUNKS = 40
"""Largest number of nodes; then the oldest is removed."""


class TrailNode(SceneNode):
    """A line along a robot's past positions, of bounded length."""

    def __init__(
        self,
        scene: viser.SceneApi,
        name: str,
        colour: Rgb,
        *,
        spacing: float = 0.03,
        thickness: float = 0.012,
        lift: float = 0.0,
    ) -> None:
        """Add an empty trail; `lift` is its height above the positions [m]."""
        self._scene, self._name, self._colour = scene, name, colour
        self._spacing, self._thickness, self._lift = spacing, thickness, lift
        super().__init__(scene, name)
        self._nodes: deque[viser.LineSegmentsHandle] = deque()
        self._points: list[tuple[float, float, float]] = []
        self._number = 0

    def extend(self, x: float, y: float, z: float) -> None:
        """Append a point, if it is at least `spacing` away from the last."""
        here = (x, y, z + 0.5 * self._thickness + self._lift)
        if self._points and math.dist(self._points[-1], here) < self._spacing:
            return
        self._points.append(here)
        if len(self._points) < 2:
            return
        line = np.array(self._points, dtype=np.float32)
        segments = np.stack((line[:-1], line[1:]), axis=1)
        if len(self._points) == 2:
            self._nodes.append(self._add(segments))
        else:
            self._nodes[-1].points = segments
        if len(self._points) > CHUNK:
            self._points = [here]
        if len(self._nodes) > CHUNKS:
            self._nodes.popleft().remove()

    def clear(self) -> None:
        """Remove all points."""
        while self._nodes:
            self._nodes.pop().remove()
        self._points = []

    def _add(self, segments: np.ndarray) -> viser.LineSegmentsHandle:
        self._number += 1
        return self._scene.add_line_segments(
            f"{self._name}/{self._number}", segments, self._colour, thickness=self._thickness
        )


MAX_VERTICES = 100_000
"""Most points of lines that are shown at once; more would delay pages [1]."""


class LinesNode(SceneNode):
    """Lines of a program, such as rollouts of a planner; each call shows other ones."""

    def __init__(self, scene: viser.SceneApi, name: str) -> None:
        """Add a node without lines."""
        self._scene, self._name = scene, name
        super().__init__(scene, name)
        self._lines: viser.LineSegmentsHandle | None = None

    def show(self, points: ArrayLike, colours: ArrayLike, thickness: float) -> None:
        """Show lines (n, vertices, 3) [m] instead of the last; none if n is 0.

        Raises:
            InvalidValue: Points or colours have another shape, or there are too many.
        """
        lines, rgb = np.asarray(points, np.float32), np.asarray(colours, np.uint8)
        if lines.ndim != 3 or lines.shape[2] != 3 or (len(lines) and lines.shape[1] < 2):
            required = "be an array (lines, vertices, 3) with at least 2 vertices"
            raise InvalidValue("points", f"an array {lines.shape}", required)
        if lines.shape[0] * lines.shape[1] > MAX_VERTICES:
            required = f"have at most {MAX_VERTICES:,} vertices"
            raise InvalidValue("points", f"{lines.shape[0] * lines.shape[1]:,}", required)
        if rgb.shape not in ((3,), (len(lines), 3)):
            required = f"be one colour (3,), or one for each line ({len(lines)}, 3)"
            raise InvalidValue("colours", f"an array {rgb.shape}", required)
        if not len(lines):
            if self._lines is not None:
                self._lines.remove()
            self._lines = None
            return
        segments = np.stack((lines[:, :-1], lines[:, 1:]), axis=2)
        each = np.broadcast_to(rgb[..., None, None, :], (*segments.shape[:3], 3))
        self._lines = self._scene.add_line_segments(
            f"{self._name}/lines", segments.reshape(-1, 2, 3), each.reshape(-1, 2, 3),
            thickness=thickness,
        )  # fmt: skip
