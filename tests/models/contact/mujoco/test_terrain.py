"""The ground in MuJoCo."""

from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np
import pytest

from grouser.description.surface import Surface
from grouser.models.mujoco.terrain import add_terrain

CORNERS = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 0.5)])
BOX = np.array([
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
])  # fmt: skip


def mesh_course(vertices: np.ndarray, triangles: np.ndarray) -> Any:
    """Return a course whose only solid is a mesh."""
    solid = SimpleNamespace(vertices=vertices, triangles=triangles, surface="ground")
    surfaces = {"ground": Surface(friction=0.7)}
    return SimpleNamespace(terrain=SimpleNamespace(solids=(solid,), surfaces=surfaces))


def heights(course: Any, places: list[tuple[float, float]]) -> list[float]:
    """Return where rays from above meet the ground [m]."""
    spec = mujoco.MjSpec()
    assert {surface.friction for surface in add_terrain(spec, course).values()} == {0.7}
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    down, met = np.array([0.0, 0.0, -1.0]), np.zeros(1, np.int32)
    tops = []
    for x, y in places:
        start = np.array([x, y, 5.0])
        away = mujoco.mj_ray(model, data, start, down, None, 1, -1, met)
        tops.append(5.0 - away if away >= 0.0 else -1.0)
    return tops


def test_a_convex_mesh_is_one_geom():
    spec = mujoco.MjSpec()
    assert list(add_terrain(spec, mesh_course(CORNERS, BOX))) == ["terrain0"]
    assert heights(mesh_course(CORNERS, BOX), [(0.5, 0.5), (2.0, 0.5)]) == pytest.approx([0.5, -1])


def test_a_mesh_that_is_not_convex_keeps_its_hollow():
    # Two boxes with a gap between them: their convex hull would close it.
    apart = np.concatenate((CORNERS, CORNERS + (2.0, 0.0, 0.0)))
    course = mesh_course(apart, np.concatenate((BOX, BOX + len(CORNERS))))
    tops = heights(course, [(0.5, 0.4), (1.5, 0.4), (2.5, 0.4)])
    assert tops == pytest.approx([0.5, -1.0, 0.5], abs=1e-6)
