"""Which piece a ray meets, and how large pieces are."""

import math

import pytest

from grouser.viewer.building import Draft
from grouser.viewer.piece_shapes import Shapes
from grouser.viewer.pointer import Ray, meet_ground

PIECES = [
    {"kind": "plane"},
    {"kind": "box", "x_m": 2.0, "length_m": 0.4, "width_m": 0.8, "height_m": 0.3},
    {"kind": "patch", "surface": "ice", "x_m": 2.0, "y_m": 2.0, "length_m": 1.0, "width_m": 1.0},
    {"kind": "step", "x_m": -1.0, "yaw_deg": 90.0, "height_m": 0.1, "depth_m": 1.0, "width_m": 2.0},
    {"kind": "heightfield", "x_m": 5.0, "spacing_m": 1.0, "heights_m": [[0.1, 0.2], [0.3, 0.2]]},
]
SHAPES = Shapes(Draft.of({"terrain": PIECES}, "test").add(PIECES[2]).remove(5).parse("test.toml"))


def pick(origin, direction) -> int | None:
    size = math.hypot(*direction)
    x, y, z = (part / size for part in direction)
    ray = Ray(origin, (x, y, z))
    place = meet_ground(SHAPES.course.terrain, ray)
    assert place is not None
    return SHAPES.pick(ray, place)


def test_a_ray_from_above_meets_each_piece_and_the_plain_ground():
    down = (0.0, 0.0, -1.0)
    assert pick((2.1, 0.1, 3.0), down) == 1
    assert pick((2.3, 2.3, 3.0), down) == 2
    assert pick((-1.5, 0.5, 3.0), down) == 3
    assert pick((5.2, 0.2, 3.0), down) == 4
    assert pick((0.0, -2.0, 3.0), down) is None


def test_a_ray_meets_the_side_of_a_block():
    assert pick((0.0, 0.0, 0.15), (1.0, 0.0, 0.0)) == 1


def test_bounds_are_those_of_the_piece_in_its_own_frame():
    bounds = SHAPES.bounds(3)
    assert bounds.low == pytest.approx((0.0, -1.0, 0.0), abs=1e-9)
    assert bounds.high == pytest.approx((1.0, 1.0, 0.1), abs=1e-9)


def test_the_mark_of_a_piece_has_the_size_of_the_piece():
    low, high = SHAPES.mark(1).bounds
    assert low == pytest.approx((-0.2, -0.4, 0.0), abs=1e-9)
    assert high == pytest.approx((0.2, 0.4, 0.3), abs=1e-9)
    assert SHAPES.mark(2).bounds[1][:2] == pytest.approx((0.5, 0.5))
