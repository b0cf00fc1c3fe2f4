import math

import numpy as np
import pytest

from tests.description.sample_robot import SMOOTH, oval, robot_with

ROBOT = robot_with()


# What follows from the numbers


def test_gauge_is_the_distance_of_the_centre_lines():
    assert ROBOT.gauge == pytest.approx(0.32)


def test_mass_counts_every_part_once():
    assert ROBOT.mass == pytest.approx(12.0 + 1.0 + 2.0 + 0.5)


def test_centre_of_mass_weighs_every_part_with_flippers_at_rest():
    # The flipper's middle is 0.1 m ahead of its hinge and raised by 30 deg.
    ahead, up = 0.2 + 0.1 * math.cos(math.pi / 6), 0.05 + 0.1 * math.sin(math.pi / 6)
    places = [(0.02, 0.03, 0.08), (0.0, 0.15, 0.05), (0.0, -0.17, 0.05), (ahead, 0.2, up)]
    expected = np.average(places, axis=0, weights=[12.0, 1.0, 2.0, 0.5])
    assert ROBOT.centre_of_mass == pytest.approx(tuple(expected))


def test_inertia_without_numbers_is_that_of_a_uniform_box():
    assert ROBOT.body.inertia == pytest.approx((0.04 + 0.01, 0.36 + 0.01, 0.36 + 0.04))


def test_extents_are_those_of_hull_and_drives():
    assert (ROBOT.front, ROBOT.rear) == pytest.approx((0.4, -0.25))


def test_side_view_is_the_oval_of_the_main_track():
    assert (ROBOT.wheel_radius, ROBOT.wheel_distance) == pytest.approx((0.05, 0.4))
    assert ROBOT.contact_length == pytest.approx(0.4)


def test_sprocket_is_the_end_pulley_unless_it_is_stated():
    assert ROBOT.sprocket_radius == pytest.approx(0.05)
    assert robot_with(drive__sprocket_radius_m=0.03).sprocket_radius == 0.03


def test_pitch_is_the_belt_shared_by_its_grousers_and_the_first_is_half_a_pitch_in():
    track = ROBOT.tracks[0]
    length = 0.8 + 0.1 * math.pi
    assert track.pitch == pytest.approx(length / 20)
    assert track.grouser_places[[0, -1]] == pytest.approx([length / 40, length - length / 40])
    assert ROBOT.tracks[1].pitch is None
    assert len(ROBOT.tracks[1].grouser_places) == 0


@pytest.mark.parametrize(
    ("shape", "top", "corners"),
    [("cuboid", None, 4), ("trapezoid", 0.004, 4), ("triangle", None, 3)],
)
def test_profile_of_a_grouser_has_the_shape(shape: str, top: float | None, corners: int):
    grousers = {"count": 20, "shape": shape, "length_m": 0.01, "height_m": 0.008}
    if top is not None:
        grousers["top_length_m"] = top
    profile = np.array(robot_with(tracks__0__grousers=grousers).tracks[0].grousers.profile)
    assert len(profile) == corners
    assert np.ptp(profile[profile[:, 1] == 0.0, 0]) == pytest.approx(0.01)
    widest = {"cuboid": 0.01, "trapezoid": 0.004, "triangle": 0.0}[shape]
    assert np.ptp(profile[profile[:, 1] == 0.008, 0]) == pytest.approx(widest)


def test_units_of_the_file_become_si():
    flipper = ROBOT.flippers[0]
    assert flipper.limits == pytest.approx((-math.pi / 2, math.pi / 4))
    assert flipper.rest_angle == pytest.approx(-math.pi / 6)
    assert flipper.speed_limit == pytest.approx(math.pi / 2)
    assert ROBOT.slip.slip_angle == pytest.approx(math.radians(3.0))
    # 0.005 per degree is 0.2865 per radian.
    assert ROBOT.slip.slope_coefficient == pytest.approx(0.286479, abs=1e-6)


def test_turning_ratio_without_a_number_is_that_of_driving_straight():
    assert (ROBOT.slip.turning_left, ROBOT.slip.turning_right) == (0.3, 0.2)


def test_robot_without_slip_does_not_slip():
    slip = robot_with(slip=None).slip
    assert (slip.left, slip.right, slip.slip_angle, slip.turning_slip_angle) == (0, 0, 0, 0)
    assert (slip.slope_coefficient, slip.wheelbase, slip.icr) == (0.0, None, None)


def test_motor_uses_the_map_of_its_side_and_sign_where_there_is_one():
    motor = ROBOT.drive.motor
    assert motor.torque_map("left", forward=True).gain == 3.0
    assert motor.torque_map("left", forward=False).gain == 4.0
    assert motor.torque_map("right", forward=True).gain == 4.0


def test_loop_by_segments_equals_the_loop_by_pulleys():
    arc = {"arc_radius_m": 0.05, "turn_deg": 180}
    segments = {"start_m": [0.2, 0.0], "segments": [{"line_m": 0.4}, arc, {"line_m": 0.4}, arc]}
    track = robot_with(tracks__1__loop=segments).tracks[1]
    np.testing.assert_allclose(track.loop.outline(), ROBOT.tracks[1].loop.outline(), atol=1e-12)


# The robot in a mirror


def test_mirror_exchanges_sides():
    mirrored = ROBOT.mirrored()
    assert [(t.name, t.side, t.y, t.mass) for t in mirrored.tracks] == [
        ("right", "right", -0.15, 1.0),
        ("left", "left", 0.17, 2.0),
    ]
    flipper = mirrored.flippers[0]
    assert (flipper.name, flipper.side) == ("front right", "right")
    assert flipper.hinge == (0.2, -0.2, 0.05)
    assert flipper.rest_angle == ROBOT.flippers[0].rest_angle
    assert mirrored.body.centre == (0.1, -0.01, 0.1)
    assert mirrored.body.centre_of_mass == (0.02, -0.03, 0.08)
    assert mirrored.gauge == pytest.approx(ROBOT.gauge)
    x, y, z = ROBOT.centre_of_mass
    assert mirrored.centre_of_mass == pytest.approx((x, -y, z))


def test_mirror_exchanges_slip_and_keeps_the_equivalent_wheelbase():
    slip, mirrored = ROBOT.slip, ROBOT.mirrored().slip
    assert (mirrored.left, mirrored.right) == (0.2, 0.1)
    assert (mirrored.turning_left, mirrored.turning_right) == (0.2, 0.3)
    assert mirrored.slip_angle == -slip.slip_angle
    assert mirrored.turning_slip_angle == -slip.turning_slip_angle
    assert (mirrored.icr.left_y, mirrored.icr.right_y, mirrored.icr.x) == (0.4, -0.5, 0.05)
    assert mirrored.wheelbase == slip.wheelbase


def test_mirror_keeps_drift_and_turns_the_difference_of_the_sides_in_smooth_terms():
    robot = robot_with(slip__icr__drift_s=0.02, slip__smooth=SMOOTH)
    mirrored = robot.mirrored().slip
    assert mirrored.icr.drift == 0.02
    assert mirrored.smooth.forward == (0.9, -0.01, 0.02, 0.0, 0.0, -0.03)
    assert mirrored.smooth.yaw == (0.6, -0.02, 0.1, 0.0, 0.0, 0.04)
    assert mirrored.smooth.leftward == robot.slip.smooth.leftward
    assert robot.mirrored().mirrored() == robot


def test_drift_and_smooth_terms_are_part_of_the_hash():
    hashes = [
        robot_with(**changes).content_hash
        for changes in ({}, {"slip__icr__drift_s": 0.02}, {"slip__smooth": SMOOTH})
    ]
    assert len(set(hashes)) == 3
    assert robot_with(slip__icr__drift_s=0.0).content_hash == hashes[0]


def test_mirror_exchanges_the_motors():
    motor = ROBOT.mirrored().drive.motor
    assert motor.torque_map("right", forward=True).gain == 3.0
    assert motor.torque_map("left", forward=True).gain == 4.0


def test_two_mirrors_show_the_robot_itself():
    assert ROBOT.mirrored() != ROBOT
    assert ROBOT.mirrored().mirrored() == ROBOT
    assert ROBOT.mirrored().mirrored().content_hash == ROBOT.content_hash


# Identity and sources


def test_hash_changes_with_a_number_and_with_nothing_else():
    assert robot_with(body__mass_kg=12.000001).content_hash != ROBOT.content_hash
    assert robot_with(tracks__0__loop=oval(x=0.200001)).content_hash != ROBOT.content_hash
    same = robot_with(title="other words", body__mass_kg=12.0, sources={}, text="# a file")
    assert same.content_hash == ROBOT.content_hash


def test_hash_is_the_same_in_every_version():
    """A log names its robot by this; a change of the schema that changes it must be wanted."""
    assert ROBOT.content_hash.startswith("56aec2c6ed444513")


@pytest.mark.parametrize(
    ("key", "source"),
    [
        ("body.mass_kg", "a scale [T]"),
        ("body.size_m[2]", "by hand [A]"),
        ("tracks[0].width_m", "a ruler [T]"),
        ("tracks[1].width_m", "another ruler [T]"),
        ("tracks[1].loop.pulleys[0].x_m", "both [A]"),
        ("drive.speed_limit_m_s", None),
        ("bodywork", None),
    ],
)
def test_source_that_names_most_of_a_key_speaks_for_it(key: str, source: str | None):
    assert ROBOT.source_of(key) == source
