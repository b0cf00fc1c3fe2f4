"""Forces and slip where a robot touches the ground."""

from collections.abc import Sequence

import numpy as np
import viser
from numpy.typing import NDArray

from grouser.models import Contact
from grouser.viewer.figures.figure import Figure
from grouser.viewer.figures.paint import MATERIAL, Rgb, line_rgb, to_linear
from grouser.viewer.shapes.solids import arrow

FORCE, SLIP = line_rgb(3), line_rgb(5)
"""Colours of forces and of slip."""
MOST = 64
"""How many contacts are shown: those with the largest vectors."""
HIDDEN = 1e-6
"""Scale of arrows that are not needed [1]."""


class ArrowsFigure(Figure):
    """An arrow for the force and one for the slip velocity at each contact."""

    def __init__(
        self,
        scene: viser.SceneApi,
        name: str,
        *,
        longest: float,
        force_of_longest: float,
        slip_of_longest: float,
    ) -> None:
        """Prepare arrows; none is seen before `show`.

        Args:
            scene: Where to.
            name: Node that carries all of them.
            longest: The length that no arrow exceeds [m].
            force_of_longest: Force at which it gets there [N].
            slip_of_longest: Slip velocity at which it gets there [m/s].
        """
        super().__init__(scene, name)
        self._forces = _Batch(scene, f"{name}/forces", FORCE, longest, force_of_longest)
        self._slips = _Batch(scene, f"{name}/slips", SLIP, longest, slip_of_longest)

    def show(self, contacts: Sequence[Contact]) -> None:
        """Show the vectors of these contacts and no others."""
        places = np.array([contact.position_in_world for contact in contacts]).reshape(-1, 3)
        forces = np.array([contact.force_in_world for contact in contacts]).reshape(-1, 3)
        slips = np.array([contact.slip_in_world for contact in contacts]).reshape(-1, 3)
        self._forces.show(places, forces)
        self._slips.show(places, slips)


class _Batch:
    """Arrows of one colour."""

    def __init__(
        self, scene: viser.SceneApi, name: str, colour: Rgb, longest: float, at: float
    ) -> None:
        self._longest, self._per_unit = longest, longest / at
        shape = arrow().creased()
        upright = np.tile([1.0, 0.0, 0.0, 0.0], (MOST, 1))
        self._empty = True
        self._node = scene.add_batched_meshes_simple(
            name,
            shape.vertices,
            shape.faces,
            upright,
            np.zeros((MOST, 3)),
            batched_scales=np.full((MOST, 3), HIDDEN),
            batched_colors=to_linear(np.array(colour, dtype=np.float64)),
            lod="off",
            material=MATERIAL,
            cast_shadow=False,
            receive_shadow=False,
            visible=False,
        )

    def show(self, places: NDArray[np.float64], vectors: NDArray[np.float64]) -> None:
        sizes = np.linalg.norm(vectors, axis=1)
        lengths = np.minimum(sizes * self._per_unit, self._longest)
        chosen = np.argsort(-lengths)[:MOST]
        chosen = chosen[lengths[chosen] > 0.02 * self._longest]
        self._node.visible = bool(len(chosen))
        if not len(chosen):
            return
        count = len(chosen)
        points, turns = np.zeros((MOST, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (MOST, 1))
        scales = np.full((MOST, 3), HIDDEN)
        points[:count] = places[chosen]
        turns[:count] = quaternions_from_x(vectors[chosen] / sizes[chosen, None])
        thick = 0.035 * self._longest
        scales[:count] = np.column_stack(
            (lengths[chosen], np.full(count, thick), np.full(count, thick))
        )
        self._node.batched_positions = points.astype(np.float32)
        self._node.batched_wxyzs = turns.astype(np.float32)
        self._node.batched_scales = scales.astype(np.float32)


def quaternions_from_x(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shortest rotations (n, 4), scalar first, that take x to unit vectors (n, 3)."""
    x, y, z = directions.T
    turns = np.column_stack((1.0 + x, np.zeros(len(x)), -z, y))
    turns[x < -1.0 + 1e-9] = (0.0, 0.0, 0.0, 1.0)
    return turns / np.linalg.norm(turns, axis=1, keepdims=True)
