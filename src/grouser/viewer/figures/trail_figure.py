"""The line behind a robot."""

import math
from collections import deque

import numpy as np
import viser

from grouser.viewer.figures.figure import Figure
from grouser.viewer.figures.paint import Rgb

CHUNK = 48
"""Points of one node: only the last node changes when the trail grows."""
CHUNKS = 40
"""How many nodes are kept; the oldest is taken away."""


class TrailFigure(Figure):
    """A line through where a robot has been, as long as it is bounded."""

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
        """Begin a trail.

        Args:
            scene: Where to.
            name: Node that carries all of it.
            colour: Its colour.
            spacing: How far its points are apart at least [m].
            thickness: Its thickness [m].
            lift: How far it lies above the places that it is led to [m].
        """
        self._scene, self._name, self._colour = scene, name, colour
        self._spacing, self._thickness, self._lift = spacing, thickness, lift
        super().__init__(scene, name)
        self._nodes: deque[viser.LineSegmentsHandle] = deque()
        self._points: list[tuple[float, float, float]] = []
        self._number = 0

    def extend(self, x: float, y: float, z: float) -> None:
        """Lead the trail to a place, unless that is where it already is."""
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
        """Begin anew."""
        while self._nodes:
            self._nodes.pop().remove()
        self._points = []

    def _add(self, segments: np.ndarray) -> viser.LineSegmentsHandle:
        self._number += 1
        return self._scene.add_line_segments(
            f"{self._name}/{self._number}", segments, self._colour, thickness=self._thickness
        )
