"""Slip-compensated odometry against P0 (Low et al.), eqs 1-5 and Table 3."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouser.errors import InvalidValue
from grouser.geometry import arc_displacement
from grouser.laws.slip_odometry import (
    SlipRatios,
    average_slip,
    estimate_slip,
    estimate_slip_from_poses,
    is_straight,
    slip_twist,
    wheel_speeds_for,
)

DATA = Path(__file__).parents[1] / "data" / "tp100"
CHECKS = json.loads((DATA / "kinematics_checks.json").read_text())
WIDTH = 0.2742
SPEED = st.floats(0.02, 2.0) | st.floats(-2.0, -0.02)
SLIP = st.floats(-0.5, 0.9)


def table_3(manoeuvre: str) -> dict[str, float]:
    with (DATA / "table3_slip_parameters.csv").open() as file:
        return {row["symbol"]: float(row[manoeuvre]) for row in csv.DictReader(file)}


@pytest.mark.parametrize("example", CHECKS["eq1_to_5_examples_L_0p2742_m"])
def test_published_slips_give_the_checked_velocities(example):
    twist = slip_twist(
        example["v_l"],
        example["v_r"],
        example["alpha_l"],
        example["alpha_r"],
        example["beta_rad"],
        WIDTH,
    )
    expected = (example["V_x"], example["V_y"], example["theta_dot"])
    assert twist == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_equal_belt_speeds_turn_clockwise_with_the_slips_of_table_3():
    slips = table_3("straight")
    vx, vy, yaw_rate = slip_twist(
        0.1, 0.1, slips["alpha_l"], slips["alpha_r"], np.deg2rad(slips["beta"]), WIDTH
    )
    assert vx == pytest.approx(0.08906)
    assert vy == pytest.approx(0.000627984, abs=5e-10)
    assert yaw_rate == pytest.approx(-0.006856309, abs=5e-10)


@given(left=SPEED, right=SPEED, slip_left=SLIP, slip_right=SLIP)
def test_belt_speeds_for_a_velocity_give_that_velocity(left, right, slip_left, slip_right):
    vx, _, yaw_rate = slip_twist(left, right, slip_left, slip_right, 0.1, WIDTH)
    again = wheel_speeds_for(vx, yaw_rate, slip_left, slip_right, WIDTH)
    assert again == pytest.approx((left, right), abs=1e-12)


def test_slip_asks_for_faster_belts():
    left, right = wheel_speeds_for(0.1, 0.5, 0.1, 0.2, 0.3)
    assert left == pytest.approx(0.025 / 0.9)
    assert right == pytest.approx(0.175 / 0.8)


@given(left=SPEED, right=SPEED, slip_left=SLIP, slip_right=SLIP, angle=st.floats(-1.0, 1.0))
def test_estimated_slip_is_the_slip_that_moved_the_robot(left, right, slip_left, slip_right, angle):
    vx, vy, yaw_rate = slip_twist(left, right, slip_left, slip_right, angle, WIDTH)
    slip = estimate_slip(left, right, vx=vx, vy=vy, yaw_rate=yaw_rate, width=WIDTH)
    assert slip.left == pytest.approx(slip_left, abs=1e-10)
    assert slip.right == pytest.approx(slip_right, abs=1e-10)
    if abs(vx) > 0.011:
        assert slip.angle == pytest.approx(angle, abs=1e-10)


def test_slip_of_a_standing_belt_and_angle_of_a_standing_body_are_undefined():
    belts = np.array([0.0, 0.009, -0.011])
    slip = estimate_slip(belts, 0.1, vx=0.0, vy=0.009, yaw_rate=0.5, width=WIDTH)
    assert np.isnan(slip.left).tolist() == [True, True, False]
    assert slip.right == pytest.approx(1.0 - 0.06855 / 0.1)
    assert np.isnan(slip.angle)


@pytest.mark.parametrize(
    ("left", "right", "straight"),
    [
        (0.1, 0.1, True),
        (0.1, 0.1049, True),
        (-0.1, -0.1049, True),
        (0.1, 0.106, False),
        (0.106, 0.1, False),
        (-0.1, 0.1, False),
    ],
)
def test_driving_is_straight_within_five_percent(left, right, straight):
    assert is_straight(left, right) == straight


def test_straightness_of_many_robots_at_once():
    assert is_straight(np.array([0.1, -0.1]), 0.1).tolist() == [True, False]


def tracked_drive(left: float, right: float, slip: SlipRatios, samples: int = 201) -> dict:
    """Poses of an exact arc, with a rest before and wrapped headings, as a camera sees them."""
    times = np.linspace(0.0, 6.0, samples)
    moving = np.clip(times - 2.0, 0.0, None)
    vx, vy, yaw_rate = slip_twist(left, right, slip.left, slip.right, slip.angle, WIDTH)
    chords = [arc_displacement(vx, vy, yaw_rate, 3.0, float(t)) for t in moving]
    yaw = 3.0 + yaw_rate * moving
    on = times > 2.0
    return {
        "times": times,
        "x": np.array([chord[0] for chord in chords]) + 0.4,
        "y": np.array([chord[1] for chord in chords]) - 0.2,
        "yaw": np.arctan2(np.sin(yaw), np.cos(yaw)),
        "belt_left": left * on,
        "belt_right": right * on,
    }


@pytest.mark.parametrize(
    ("left", "right", "angle"), [(0.1, 0.1, 0.00705), (0.12, 0.06, -0.02), (-0.1, -0.08, 0.03)]
)
def test_tracked_poses_return_the_slip_they_were_made_with(left, right, angle):
    truth = SlipRatios(left=0.1, right=0.1188, angle=angle)
    found = estimate_slip_from_poses(
        **tracked_drive(left, right, truth), width=WIDTH, steady=(2.2, 5.9)
    )
    assert (found.left, found.right, found.angle) == pytest.approx(
        (truth.left, truth.right, truth.angle), abs=2e-5
    )


def test_turning_on_the_spot_has_no_slip_angle():
    drive = tracked_drive(-0.1, 0.1, SlipRatios(left=0.1, right=0.1188, angle=0.0))
    found = estimate_slip_from_poses(**drive, width=WIDTH, steady=(2.2, 5.9))
    assert (found.left, found.right, found.angle) == pytest.approx((0.1, 0.1188, 0.0), abs=1e-4)


def test_samples_at_rest_do_not_count():
    drive = tracked_drive(0.1, 0.1, SlipRatios(left=0.1, right=0.1188, angle=0.01))
    steady = estimate_slip_from_poses(**drive, width=WIDTH, steady=(2.2, 6.0))
    with_rest = estimate_slip_from_poses(**drive, width=WIDTH)
    assert with_rest.left == pytest.approx(steady.left, abs=0.01)


def test_repeats_are_averaged():
    repeats = [SlipRatios(left=a, right=a + 0.1, angle=-a) for a in (0.1, 0.2, 0.6)]
    mean = average_slip(repeats)
    assert (mean.left, mean.right, mean.angle) == pytest.approx((0.3, 0.4, -0.3))


def test_a_track_that_never_moves_is_refused():
    drive = tracked_drive(0.0, 0.1, SlipRatios(left=0.1, right=0.1, angle=0.0))
    with pytest.raises(InvalidValue, match=r"belt_left must reach 0.01 m/s"):
        estimate_slip_from_poses(**drive, width=WIDTH)


def test_a_lost_pose_is_refused():
    drive = tracked_drive(0.1, 0.1, SlipRatios(left=0.1, right=0.1, angle=0.0))
    drive["yaw"][7] = np.nan
    with pytest.raises(InvalidValue, match="yaw must be finite everywhere"):
        estimate_slip_from_poses(**drive, width=WIDTH)


def test_too_few_samples_and_no_repeats_are_refused():
    drive = {
        key: value[:2]
        for key, value in tracked_drive(
            0.1, 0.1, SlipRatios(left=0.1, right=0.1, angle=0.0)
        ).items()
    }
    with pytest.raises(InvalidValue, match="times must hold at least 3 samples, not 2"):
        estimate_slip_from_poses(**drive, width=WIDTH)
    with pytest.raises(InvalidValue, match="repeats must hold at least one drive"):
        average_slip([])
