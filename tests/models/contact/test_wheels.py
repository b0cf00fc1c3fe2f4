"""Rows of wheels in place of belts."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models import command_sides, make_model
from tests.models.contact.rides import (
    distance,
    ground,
    pivot_rate,
    ride,
    start,
    wedge,
)
from tests.models.contact.turning_theory import end_turn_rate


def discs(plant, body):
    """Return x, z and radius of the wheels of a track or flipper, as engines are given them."""
    wheels = [belt.loop.segments for belt in plant.scene.belts if belt.name == body]
    return np.array([(*arc.centre, arc.radius) for (arc,) in wheels])


@pytest.mark.parametrize("count", [4, 8, 13])
def test_wheels_are_as_high_as_the_track_and_stand_evenly_over_its_length(count):
    track = load_robot("absolem").tracks[0]
    rear, front, low, high = track.loop.bounds
    found = discs(start("absolem", "flat", f"wheels:count={count}"), "left")
    assert len(found) == count
    assert found[:, 2] == pytest.approx((high - low) / 2)
    span = front - rear - (high - low)
    assert found[:, 0] == pytest.approx(np.linspace(-span / 2, span / 2, count))


def test_the_far_side_of_what_wheels_stand_on_does_not_throw_them():
    # From this start the engine finds a wheel 1.02 m deep in the landing, which is as high.
    course = load_course("staircase-down").with_friction(2.0, 0.5)
    x, y, yaw = np.random.default_rng(1).normal(scale=(1e-3, 1e-3, np.radians(0.1)))
    plant = start("absolem", course, "wheels:count=8", pose=Pose(x=x, y=y, yaw=yaw))
    end = ride(plant, "absolem", 0.3, 0.3, 0.15)
    assert end.pose.roll == pytest.approx(0.0, abs=1e-3)
    assert end.pose.z == pytest.approx(1.02, abs=1e-3)


def test_wheels_of_a_flipper_taper_with_it():
    flipper = load_robot("absolem").flippers[0]
    found = discs(start("absolem", "flat", "wheels:count=3"), flipper.name)
    found = found[np.argsort(found[:, 0])]
    assert found[:, 2] == pytest.approx([0.089, 0.059, 0.029])
    assert found[:, 0] == pytest.approx([0.0, 0.165, 0.33])


@pytest.mark.parametrize("model", ["wheels:count=4", "wheels:count=8", "frictionless"])
def test_the_straight_drive_of_p1_is_three_metres(model):
    end = ride(start("absolem", "flat", model), "absolem", 0.3, 0.3, 10.0).pose
    assert (end.x, end.y, end.yaw) == pytest.approx((3.0, 0.0, 0.0), abs=0.02)


def test_two_wheels_a_side_turn_as_if_carried_by_the_track_ends():
    robot = wedge()
    rate, airborne = pivot_rate(robot, ground(0.9), "wheels:count=2", 0.4)
    assert rate == pytest.approx(end_turn_rate(robot, 0.4), rel=0.03)
    assert airborne == 0.0


@pytest.mark.parametrize("count", [4, 8])
def test_wheels_that_stand_still_do_not_slide_down_the_stairs(count):
    # P1 Table I has 0.1 m and 0.2 m: there, motors hold a speed; here they hold the wheels.
    plant = start("absolem", "staircase-stand", f"wheels:count={count}")
    before = plant.motion.pose
    assert distance(before, ride(plant, "absolem", 0.0, 0.0, 3.0).pose) < 1e-3


def test_eight_wheels_stick_on_the_pallet_where_csm_and_four_still_cross():
    # P1's stick at times: "may stop on the pallet edge". Ours do for want of friction only.
    # In P1's posture: with its rear flippers on the ground Absolem crosses on eight wheels, too.
    robot, course = load_robot("absolem", {"posture": "raised"}), load_course("pallet")
    ends = {}
    for model in ("wheels:count=4", "wheels:count=8", "csm"):
        factors = np.array([0.7, 1.0])  # on friction 2 along the belt
        starts = Pose(x=np.zeros(2), yaw=np.zeros(2))
        plant = make_model(model, friction_factor=factors).start(robot, course, starts)
        for _ in range(300):
            plant.advance(command_sides(robot, 0.1, 0.1), 0.1)
        ends[model] = plant.motion.pose.x
    assert ends["wheels:count=8"][0] < 1.0
    assert min(ends["wheels:count=8"][1], *ends["wheels:count=4"], *ends["csm"]) > 2.6


@pytest.mark.parametrize("count", [1, 2.5, 101])
def test_a_count_that_is_no_row_is_refused(count):
    with pytest.raises(InvalidValue, match="wheels:count must be a whole number from 2 to 100"):
        make_model("wheels", count=count)
