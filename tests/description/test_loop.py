import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.description.loop import Arc, Line, Loop
from grouser.description.loop_shape import loop_along, loop_around
from grouser.errors import InvalidValue

OVAL = [(0.25, 0.1, 0.1), (-0.25, 0.1, 0.1)]
UNEQUAL = [(0.3, 0.1, 0.1), (-0.3, 0.05, 0.05)]
TRIANGLE = [(0.3, 0.1, 0.1), (-0.3, 0.1, 0.1), (0.0, 0.4, 0.05)]
TRAPEZOID = [(0.25, 0.06, 0.06), (-0.25, 0.06, 0.06), (-0.45, 0.2, 0.07), (0.45, 0.2, 0.07)]
SHAPES = {"oval": OVAL, "unequal": UNEQUAL, "triangle": TRIANGLE, "trapezoid": TRAPEZOID}


@pytest.fixture(params=SHAPES)
def loop(request: pytest.FixtureRequest) -> Loop:
    return loop_around(SHAPES[request.param])


def tangent_at(loop: Loop, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    heading = np.asarray(loop.heading_at(s))
    return np.cos(heading), -np.sin(heading)


def test_segments_join_in_place_and_direction(loop: Loop):
    before = np.nextafter(loop.starts, -1.0)
    for at, after in (
        (loop.point_at(before), loop.point_at(loop.starts)),
        (tangent_at(loop, before), tangent_at(loop, loop.starts)),
    ):
        np.testing.assert_allclose(at, after, atol=1e-9)


def test_turns_add_up_to_one_turn_about_y(loop: Loop):
    assert sum(segment.turn for segment in loop.segments) == pytest.approx(2.0 * math.pi)


def test_belt_runs_rearward_below_and_forward_above_when_driving_forward(loop: Loop):
    s = np.linspace(0.0, loop.length, 500)
    _, z = loop.point_at(s)
    along_x, along_z = tangent_at(loop, s)
    assert along_x[np.argmin(z)] == pytest.approx(-1.0)
    assert along_x[np.argmax(z)] > 0.9
    x, _ = loop.point_at(s)
    assert along_z[np.argmin(x)] > 0.9
    assert along_z[np.argmax(x)] < -0.9


def test_tangent_is_the_derivative_of_the_point(loop: Loop):
    s = np.linspace(0.01, loop.length, 37)
    step = 1e-6
    forward, backward = loop.point_at(s + step), loop.point_at(s - step)
    derivative = np.subtract(forward, backward) / (2.0 * step)
    np.testing.assert_allclose(tangent_at(loop, s), derivative, atol=1e-4)


def test_normal_points_away_from_the_middle(loop: Loop):
    s = np.linspace(0.0, loop.length, 100)
    points, normals = np.array(loop.point_at(s)), np.array(loop.normal_at(s))
    middle = points.mean(axis=1, keepdims=True)
    assert np.all(np.sum((points - middle) * normals, axis=0) > 0.0)


def test_every_pulley_is_touched_from_inside(loop: Loop, request: pytest.FixtureRequest):
    points = loop.outline(points_per_arc=200)
    for x, z, radius in SHAPES[request.node.callspec.params["loop"]]:
        distances = np.hypot(points[:, 0] - x, points[:, 1] - z)
        assert distances.min() == pytest.approx(radius, abs=1e-9)


def test_places_repeat_with_the_length_of_the_belt(loop: Loop):
    s = np.linspace(0.0, 0.9, 10) * loop.length
    np.testing.assert_allclose(loop.point_at(s + loop.length), loop.point_at(s), atol=1e-9)
    np.testing.assert_allclose(loop.point_at(s - loop.length), loop.point_at(s), atol=1e-9)


def test_one_place_equals_the_same_place_among_many(loop: Loop):
    s = np.linspace(0.0, loop.length, 11)
    many = np.array(loop.point_at(s)).T
    assert [loop.point_at(float(one)) for one in s] == [tuple(row) for row in many]


def test_bounds_hold_every_point_and_are_reached(loop: Loop):
    x, z = loop.point_at(np.linspace(0.0, loop.length, 20001))
    rear, front, low, high = loop.bounds
    reached = (x.min(), x.max(), z.min(), z.max())
    assert (rear, front, low, high) == pytest.approx(reached, abs=1e-6)


def test_loop_starts_with_its_contact_run_which_lies_on_the_ground(loop: Loop):
    run = loop.contact_run
    assert run is loop.segments[0]
    assert run.z == pytest.approx(0.0, abs=1e-12)
    assert run.heading == pytest.approx(math.pi)


def test_oval_has_the_length_of_two_runs_and_one_circle():
    assert loop_around(OVAL).length == pytest.approx(2.0 * 0.5 + 2.0 * math.pi * 0.1)


def test_unequal_pulleys_have_the_length_of_the_crossed_triangle_formula():
    # Outer tangents of length sqrt(d^2 - dr^2); the larger pulley is wrapped by pi + 2 asin(dr/d).
    distance, dr = math.hypot(0.6, 0.05), 0.05
    wrap = math.pi + 2.0 * math.asin(dr / distance)
    expected = 2.0 * math.sqrt(distance**2 - dr**2) + 0.1 * wrap + 0.05 * (2.0 * math.pi - wrap)
    assert loop_around(UNEQUAL).length == pytest.approx(expected)


def test_ends_of_the_contact_run_are_the_pulleys_that_carry_it():
    front, rear = loop_around(TRAPEZOID).end_arcs
    assert front.centre == pytest.approx((0.25, 0.06))
    assert rear.centre == pytest.approx((-0.25, 0.06))


@pytest.mark.parametrize("name", SHAPES)
def test_pulleys_may_be_listed_from_any_and_either_way_round(name: str):
    pulleys = SHAPES[name]
    expected = loop_around(pulleys).outline()
    for listed in (pulleys[1:] + pulleys[:1], pulleys[::-1]):
        np.testing.assert_allclose(loop_around(listed).outline(), expected, atol=1e-12)


def test_pulley_that_only_touches_the_run_changes_nothing():
    road_wheel = (0.05, 0.1, 0.1)
    with_wheel = loop_around([OVAL[0], road_wheel, OVAL[1]])
    assert len(with_wheel.segments) == 4
    np.testing.assert_allclose(with_wheel.outline(), loop_around(OVAL).outline(), atol=1e-12)


def test_pulley_inside_the_belt_is_refused():
    with pytest.raises(InvalidValue, match="order around the belt, each touched"):
        loop_around([(0.3, 0.1, 0.1), (0.0, 0.12, 0.02), (-0.3, 0.1, 0.1), (0.0, 0.4, 0.05)])


def test_pulley_inside_another_is_refused():
    with pytest.raises(InvalidValue, match="not lie inside one another"):
        loop_around([(0.0, 0.0, 0.1), (0.01, 0.0, 0.2)])


def test_segments_end_to_end_make_the_same_oval_as_pulleys():
    half_turn = (0.1 * math.pi, math.pi)
    along = loop_along((0.25, 0.0), math.pi, [(0.5, 0.0), half_turn, (0.5, 0.0), half_turn])
    np.testing.assert_allclose(along.outline(), loop_around(OVAL).outline(), atol=1e-12)


def test_loop_may_bend_inward():
    # A dent in the middle of the upper run: down into it and up again, level in between.
    quarter = 0.02 * 0.5 * math.pi
    dent = [
        (quarter, 0.5 * math.pi),
        (quarter, -math.pi / 2),
        (quarter, -math.pi / 2),
        (quarter, 0.5 * math.pi),
    ]
    half_turn = (0.1 * math.pi, math.pi)
    upper = [(0.21, 0.0), *dent, (0.21, 0.0)]
    loop = loop_along((0.25, 0.0), math.pi, [(0.5, 0.0), half_turn, *upper, half_turn])
    x, z = loop.point_at(0.5 + 0.1 * math.pi + 0.25 + 2.0 * quarter - 0.04)
    assert (x, z) == pytest.approx((0.0, 0.16))
    assert loop.bounds == pytest.approx((-0.35, 0.35, 0.0, 0.2))


def test_gap_is_told_with_the_length_that_closes_it():
    half_turn = (0.1 * math.pi, math.pi)
    with pytest.raises(InvalidValue) as caught:
        loop_along((0.25, 0.0), math.pi, [(0.5, 0.0), half_turn, (0.49, 0.0), half_turn])
    assert "segments[0].line_m = 0.49 would close it" in str(caught.value)
    assert caught.value.given == pytest.approx(10.0)


def test_gap_that_no_single_line_closes_is_told_with_all_lengths():
    quarter = (0.1 * math.pi / 2, math.pi / 2)
    pieces = [(0.6, 0.0), quarter, (0.2, 0.0), quarter, (0.5, 0.0), quarter, (0.3, 0.0), quarter]
    with pytest.raises(InvalidValue) as caught:
        loop_along((0.3, 0.0), math.pi, pieces)
    for wanted in ("segments[0].line_m = 0.55", "segments[2].line_m = 0.25"):
        assert wanted in str(caught.value)


@pytest.mark.parametrize(("gap", "closes"), [(0.00009, True), (0.00011, False)])
def test_a_tenth_of_a_millimetre_is_closed(gap: float, closes: bool):
    half_turn = (0.1 * math.pi, math.pi)
    pieces = [(0.5, 0.0), half_turn, (0.5 - gap, 0.0), half_turn]
    if closes:
        loop_along((0.25, 0.0), math.pi, pieces)
    else:
        with pytest.raises(InvalidValue, match=r"gap in mm .* at most 0.1"):
            loop_along((0.25, 0.0), math.pi, pieces)


@pytest.mark.parametrize("turn", [math.radians(170.0), -math.pi])
def test_loop_that_does_not_turn_once_about_y_is_refused(turn: float):
    arc = (0.1 * abs(turn), turn)
    with pytest.raises(InvalidValue, match=r"sum of turn_deg must be 360"):
        loop_along((0.25, 0.0), math.pi, [(0.5, 0.0), arc, (0.5, 0.0), arc])


def test_round_loop_has_no_contact_run():
    wheel = Loop((Arc(x=0.0, z=0.0, heading=math.pi, radius=0.1, turn=2.0 * math.pi),))
    assert wheel.contact_run is None
    assert wheel.end_arcs[0].centre == pytest.approx((0.0, 0.1))
    assert wheel.bounds == pytest.approx((-0.1, 0.1, 0.0, 0.2))


@given(
    radii=st.tuples(st.floats(0.01, 0.2), st.floats(0.01, 0.2)),
    centres=st.tuples(st.floats(0.25, 1.0), st.floats(-0.2, 0.2)),
)
def test_any_two_pulleys_have_a_smooth_closed_belt(
    radii: tuple[float, float], centres: tuple[float, float]
):
    loop = loop_around([(0.0, 0.0, radii[0]), (*centres, radii[1])])
    points = np.array(loop.point_at(np.linspace(0.0, loop.length, 400))).T
    assert sum(segment.turn for segment in loop.segments) == pytest.approx(2.0 * math.pi)
    assert math.dist(points[0], points[-1]) < 1e-9
    longest = max(math.dist(a, b) for a, b in pairwise(points))
    assert longest <= loop.length / 399 * (1.0 + 1e-9)


def test_middle_of_a_line_is_half_way():
    line = Line(x=0.2, z=0.1, heading=math.pi / 2, length=0.1)
    assert line.middle == pytest.approx((0.2, 0.05))
