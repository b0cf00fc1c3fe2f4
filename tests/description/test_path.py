import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.description.path import (
    CHORD_ERROR,
    ArcElement,
    Corner,
    Leg,
    LineElement,
    Path,
    Route,
    TurnElement,
)
from grouser.errors import InvalidValue

U_SHAPE = Path(
    legs=(
        Leg(length=1.3),
        Leg(length=0.4 * math.pi, curvature=-1.0 / 0.4),
        Leg(length=1.3),
    )
)
ZIGZAG = Path(
    x=1.0,
    y=-2.0,
    heading=0.5,
    legs=(
        Leg(length=0.4),
        Leg(turn=1.2, length=0.5, curvature=2.0),
        Leg(turn=-2.0, length=0.3),
        Leg(turn=0.3),
    ),
)


def test_a_u_shape_comes_back_beside_its_start():
    x, y, heading = U_SHAPE.at(U_SHAPE.length)
    assert U_SHAPE.length == pytest.approx(2.6 + 0.4 * math.pi)
    assert (x, y, heading) == pytest.approx((0.0, -0.8, -math.pi), abs=1e-12)
    assert U_SHAPE.at(1.3 + 0.2 * math.pi) == pytest.approx((1.7, -0.4, -math.pi / 2))


def test_a_left_arc_bends_to_the_left():
    x, y, heading = Path(legs=(Leg(length=0.3 * math.pi / 2, curvature=1.0 / 0.3),)).at(10.0)
    assert (x, y, heading) == pytest.approx((0.3, 0.3, math.pi / 2))


def test_path_lengths_are_clipped_to_the_path():
    assert ZIGZAG.at(-1.0)[:2] == pytest.approx((1.0, -2.0))
    assert ZIGZAG.at(99.0) == ZIGZAG.at(ZIGZAG.length)


def test_corners_tell_where_and_how_far_it_turns_in_place():
    assert ZIGZAG.corners == (
        Corner(at=0.4, angle=1.2),
        Corner(at=pytest.approx(0.9), angle=-2.0),
        Corner(at=pytest.approx(1.2), angle=0.3),
    )
    assert U_SHAPE.corners == ()


def test_heading_at_a_corner_is_the_one_after_it():
    before, at, end = ZIGZAG.at(np.array([0.4 - 1e-9, 0.4, ZIGZAG.length]))[2]
    assert before == pytest.approx(0.5)
    assert at == pytest.approx(1.7)
    assert end == pytest.approx(0.5 + 1.2 + 1.0 - 2.0 + 0.3)


def test_speed_along_the_path_is_one_and_points_along_the_heading():
    s = np.linspace(0.001, ZIGZAG.length - 0.001, 200)
    s = s[np.abs(s[:, np.newaxis] - [c.at for c in ZIGZAG.corners]).min(axis=1) > 1e-5]
    (x1, y1, _), (x0, y0, _), heading = ZIGZAG.at(s + 1e-6), ZIGZAG.at(s - 1e-6), ZIGZAG.at(s)[2]
    assert (x1 - x0) / 2e-6 == pytest.approx(np.cos(heading), abs=1e-7)
    assert (y1 - y0) / 2e-6 == pytest.approx(np.sin(heading), abs=1e-7)


def test_curvature_is_the_change_of_heading():
    assert U_SHAPE.curvature(np.array([0.5, 1.5, 3.0])).tolist() == [0.0, -2.5, 0.0]
    assert U_SHAPE.curvature(1.5) == pytest.approx((U_SHAPE.at(1.6)[2] - U_SHAPE.at(1.5)[2]) / 0.1)


@given(x=st.floats(-0.5, 2.2), y=st.floats(-1.3, 0.5))
def test_nearest_is_as_near_as_any_point(x: float, y: float):
    all_x, all_y, _ = U_SHAPE.at(np.linspace(0.0, U_SHAPE.length, 4001))
    near_x, near_y, _ = U_SHAPE.at(U_SHAPE.nearest(x, y))
    distance = math.hypot(near_x - x, near_y - y)
    assert distance <= np.hypot(all_x - x, all_y - y).min() + CHORD_ERROR
    assert U_SHAPE.distance(x, y) == pytest.approx(distance, abs=CHORD_ERROR)


@given(s=st.floats(0.0, 1.2), offset=st.floats(-0.1, 0.1))
def test_nearest_of_a_point_beside_the_path_is_where_it_was_moved_from(s: float, offset: float):
    if min(abs(s - corner.at) for corner in ZIGZAG.corners) < 0.15:
        return
    x, y, heading = ZIGZAG.at(s)
    x, y = x - offset * math.sin(heading), y + offset * math.cos(heading)
    assert ZIGZAG.nearest(x, y, near=s + 0.05, window=0.1) == pytest.approx(s, abs=1e-9)


def test_near_tells_one_pass_from_another():
    there_and_back = Path(legs=(Leg(length=1.0), Leg(turn=math.pi, length=1.0)))
    assert there_and_back.nearest(0.3, 0.01, near=0.25) == pytest.approx(0.3)
    assert there_and_back.nearest(0.3, 0.01, near=1.75) == pytest.approx(1.7)
    assert there_and_back.nearest(0.3, 0.0, near=1.2, window=0.3) == pytest.approx(1.5)


def test_nearest_on_laps_of_a_circle_stays_in_its_lap():
    laps = Path(legs=(Leg(length=6.0 * math.pi, curvature=1.0),))
    assert laps.nearest(0.0, 2.1, near=3.0 * math.pi - 0.2) == pytest.approx(3.0 * math.pi)
    assert laps.nearest(0.0, 2.1, near=5.0 * math.pi + 0.2) == pytest.approx(5.0 * math.pi)


def test_many_points_at_once_equal_one_by_one():
    x, y = np.random.default_rng(3).uniform(-1.0, 2.0, (2, 3, 20))
    near = np.random.default_rng(4).uniform(0.0, U_SHAPE.length, (3, 20))
    found, nearby = U_SHAPE.nearest(x, y), U_SHAPE.nearest(x, y, near=near)
    beside = U_SHAPE.nearest(x, y, near=1.0)
    for i in np.ndindex(3, 20):
        assert found[i] == U_SHAPE.nearest(float(x[i]), float(y[i]))
        assert nearby[i] == U_SHAPE.nearest(float(x[i]), float(y[i]), near=float(near[i]))
        assert beside[i] == U_SHAPE.nearest(float(x[i]), float(y[i]), near=1.0)
    assert U_SHAPE.at(near)[0][1, 2] == U_SHAPE.at(float(near[1, 2]))[0]


def test_the_polyline_stays_within_its_chord_error():
    line, s = U_SHAPE.line, np.linspace(0.0, U_SHAPE.length, 5000)
    assert U_SHAPE.distance(*U_SHAPE.at(s)[:2]).max() < CHORD_ERROR
    assert line.length == pytest.approx(U_SHAPE.length, abs=1e-4)


def test_points_are_no_farther_apart_than_asked_and_keep_corners():
    points = ZIGZAG.points(0.07)
    assert np.linalg.norm(np.diff(points, axis=0), axis=1).max() <= 0.07 + 1e-12
    for corner in ZIGZAG.corners:
        gaps = np.linalg.norm(points - np.array(ZIGZAG.at(corner.at)[:2]), axis=1)
        assert gaps.min() < 1e-12


def test_a_path_must_move():
    with pytest.raises(
        InvalidValue, match="path must have lines or arcs of 1e-06 to 100000 m together"
    ):
        Path(legs=(Leg(turn=1.0),))


def test_elements_are_laid_one_after_the_other():
    route = Route(
        elements=(
            LineElement(length=0.4),
            ArcElement(radius=0.3, turn=-90.0),
            LineElement(length=0.3),
            TurnElement(turn=90.0),
            LineElement(length=0.3),
        )
    )
    path = route.lay(0.0, 0.0, 0.0)
    assert path.length == pytest.approx(1.0 + 0.15 * math.pi)
    assert path.at(path.length) == pytest.approx((1.0, -0.6, 0.0), abs=1e-12)
    assert [corner.angle for corner in path.corners] == pytest.approx([math.pi / 2])


def test_waypoints_are_joined_by_lines_and_turns_in_place():
    route = Route(waypoints=((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.0, 1.0), (0.0, 1.0)))
    path = route.lay(0.0, 0.0, math.radians(-30.0))
    assert path.length == pytest.approx(3.0)
    assert [(c.at, c.angle) for c in path.corners] == [
        (0.0, pytest.approx(math.radians(30.0))),
        (1.0, pytest.approx(math.pi / 2)),
        (2.0, pytest.approx(math.pi / 2)),
    ]
    assert path.at(3.0) == pytest.approx((0.0, 1.0, math.pi))
