"""Arrows at the contacts, with a scale that adapts."""

import math
from collections.abc import Sequence

import numpy as np
import viser
from numpy.typing import NDArray

from grouser.drawing.mesh import arrow, creased
from grouser.models import Contact
from grouser.viewer.scene.overlays import Rgb, SceneNode, add_batch, line_rgb, to_linear

SLIP = line_rgb(5)
"""Colour of slip arrows: no ghost has it."""
MAX_ARROWS = 64
"""Number of arrows of each kind; the longest are shown."""
HIDDEN = 1e-6
"""Scale of unused arrows [1]."""
FADING = 0.985
"""Factor by which the largest vector is forgotten with each picture [1]."""


def round_up(value: float) -> float:
    """Return the next number of 1, 2 or 5 times a power of ten [unit of the value]."""
    power = 10.0 ** math.floor(math.log10(value))
    for step in (1.0, 2.0, 5.0):
        if value <= step * power * (1.0 + 1e-9):
            return step * power
    return 10.0 * power


class Scale:
    """Size of a vector per length of its arrow: 1, 2 or 5 times a power of ten."""

    def __init__(self, longest: float, least: float) -> None:
        """Make a scale by which a vector of size `least` has at most an arrow `longest` [m].

        Smaller vectors get short arrows: noise at rest is not scaled up.
        """
        self._longest, self._least, self._peak = longest, least, 0.0
        self.value = round_up(least / longest)
        """Size of a vector per metre of its arrow [unit of the vector/m]."""

    def fit(self, largest: float) -> float:
        """Return the scale by which a vector of size `largest` is shown, and recent ones."""
        self._peak = max(largest, FADING * self._peak)
        wanted = max(self._peak, self._least) / self._longest
        if wanted > self.value or wanted < 0.3 * self.value:
            self.value = round_up(wanted)
        return self.value


class ArrowsNode(SceneNode):
    """Arrows of one kind of vectors."""

    def __init__(
        self, scene: viser.SceneApi, name: str, colour: Rgb, *, longest: float, least: float
    ) -> None:
        """Add hidden arrows; the scale adapts so that none is longer than `longest` [m]."""
        super().__init__(scene, name)
        self.scale = Scale(longest, least)
        self._longest = longest
        scales = np.full((MAX_ARROWS, 3), HIDDEN)
        linear = to_linear(np.array(colour, dtype=np.float64))
        self._node = add_batch(scene, f"{name}/all", creased(arrow()), scales, linear)
        self._node.visible = False

    def show(self, places: NDArray[np.float64], vectors: NDArray[np.float64]) -> None:
        """Show these vectors (n, 3) at their places (n, 3) [m] instead of the last ones."""
        sizes = np.linalg.norm(vectors, axis=1)
        lengths = sizes / self.scale.fit(float(sizes.max(initial=0.0)))
        chosen = np.argsort(-lengths)[:MAX_ARROWS]
        chosen = chosen[lengths[chosen] > 0.02 * self._longest]
        self._node.visible = bool(len(chosen))
        if not len(chosen):
            return
        count = len(chosen)
        points, turns = np.zeros((MAX_ARROWS, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (MAX_ARROWS, 1))
        scales = np.full((MAX_ARROWS, 3), HIDDEN)
        points[:count] = places[chosen]
        turns[:count] = quaternions_from_x(vectors[chosen] / sizes[chosen, None])
        scales[:count] = 0.035 * self._longest
        scales[:count, 0] = lengths[chosen]
        self._node.batched_positions = points.astype(np.float32)
        self._node.batched_wxyzs = turns.astype(np.float32)
        self._node.batched_scales = scales.astype(np.float32)


def quaternions_from_x(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return quaternions (n, 4), scalar first, of the shortest rotations from x to (n, 3)."""
    x, y, z = directions.T
    turns = np.column_stack((1.0 + x, np.zeros(len(x)), -z, y))
    turns[x < -1.0 + 1e-9] = (0.0, 0.0, 0.0, 1.0)
    return turns / np.linalg.norm(turns, axis=1, keepdims=True)


def table(contacts: Sequence[Contact], name: str) -> NDArray[np.float64]:
    """Return a vector of each contact (n, 3), by the name of its field [unit of the field]."""
    return np.array([getattr(contact, name) for contact in contacts]).reshape(-1, 3)
