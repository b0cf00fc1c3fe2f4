"""Pieces that are placed on height fields."""

import numpy as np
import pytest

from grouser.description import Course, load_course
from grouser.geometry import rotate
from grouser.viewer.sinking import carry, sink

ROUGH = load_course("rough")
BOX = {"kind": "box", "length_m": 0.4, "width_m": 0.8, "height_m": 0.1}


def ground_below(course: Course, table: dict) -> np.ndarray:
    """Return the heights of the bumps below a box."""
    u, v = np.meshgrid(np.linspace(-0.2, 0.2, 41), np.linspace(-0.4, 0.4, 41))
    x, y = rotate(u.ravel(), v.ravel(), np.radians(table.get("yaw_deg", 0.0)))
    return np.asarray(course.terrain.height(x + table["x_m"], y + table["y_m"]))


@pytest.mark.parametrize("yaw", [0.0, 30.0])
@pytest.mark.parametrize(("x", "y"), [(2.2, 0.3), (2.75, -0.5), (1.5, 0.0)])
def test_a_box_on_bumps_does_not_hang_in_the_air(x, y, yaw):
    height = float(ROUGH.terrain.height(x, y))
    placed = {**BOX, "x_m": x, "y_m": y, "yaw_deg": yaw, "base_m": height}
    sunk = sink(placed, ROUGH)
    lowest = ground_below(ROUGH, placed).min()
    assert lowest < height - 0.005
    assert sunk["base_m"] == pytest.approx(lowest, abs=0.003)
    assert sunk == {**placed, "base_m": sunk["base_m"]}
    # Moved, it follows the ground, also off the bumps.
    moved = carry(sunk, {**sunk, "x_m": x + 0.2}, ROUGH)
    assert moved["base_m"] == pytest.approx(ground_below(ROUGH, moved).min(), abs=0.003)
    assert carry(sunk, {**sunk, "x_m": 5.0}, ROUGH)["base_m"] == 0.0


def test_what_stands_on_a_box_or_on_a_plane_stays_as_high_as_it_is():
    for x, base in ((2.2, 0.15), (5.0, 0.0)):
        placed = {**BOX, "x_m": x, "y_m": 0.3, "base_m": base}
        assert sink(placed, ROUGH) == placed
        assert carry(placed, {**placed, "y_m": 0.4}, ROUGH)["base_m"] == base
    flat = load_course("flat")
    assert sink({**BOX, "x_m": 0.0, "y_m": 0.0}, flat) == {**BOX, "x_m": 0.0, "y_m": 0.0}
    sheet = {"kind": "patch", "surface": "ice", "x_m": 2.2, "y_m": 0.3, "length_m": 1.0}
    assert sink(sheet, ROUGH) == sheet
