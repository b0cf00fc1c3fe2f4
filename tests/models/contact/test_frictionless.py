"""Tracks without friction, pushed by a virtual force."""

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.errors import InvalidValue
from grouser.models import make_model
from tests.models.contact.rides import GRAVITY, distance, ground, ride, start, wedge
from tests.models.drives import numbers


def test_on_a_slope_it_creeps_at_the_speed_that_balances_the_force():
    robot, slope = wedge(), np.radians(20.0)
    plant = start(robot, ground(0.9, slope=20.0), "frictionless")
    before = ride(plant, robot, 0.0, 0.0, 1.0).pose
    crept = distance(before, ride(plant, robot, 0.0, 0.0, 1.0).pose)
    assert crept == pytest.approx(GRAVITY * np.sin(slope) / 200.0, rel=0.01)


def test_an_integral_holds_it_on_a_slope():
    robot = wedge()
    plant = start(robot, ground(0.9, slope=20.0), "frictionless:integral_gain=2000")
    before = ride(plant, robot, 0.0, 0.0, 1.0).pose
    assert distance(before, ride(plant, robot, 0.0, 0.0, 1.0).pose) < 1e-4


def test_it_slides_down_the_stairs_while_it_stands():
    # P1 Table I: 0.2 m in 10 s.
    plant = start("absolem", "staircase-stand", "frictionless")
    before = plant.motion.pose
    assert distance(before, ride(plant, "absolem", 0.0, 0.0, 10.0).pose) == pytest.approx(
        0.2, abs=0.1
    )


@pytest.mark.parametrize("efficiency", [1.0, 0.5])
def test_it_turns_as_an_ideal_drive_does_times_its_efficiency(efficiency):
    robot = load_robot("absolem")
    plant = start(robot, "flat", f"frictionless:steering_efficiency={efficiency}")
    ride(plant, robot, 0.1, 0.3, 0.5)
    motion = ride(plant, robot, 0.1, 0.3, 1.0)
    assert motion.twist.yaw_rate == pytest.approx(efficiency * 0.2 / robot.gauge, rel=1e-3)
    assert (motion.twist.vx, motion.twist.vy) == pytest.approx((0.2, 0.0), abs=2e-3)


def test_the_ground_may_be_ice():
    robot = wedge()
    ends = [
        numbers(ride(start(robot, ground(mu), "frictionless"), robot, 0.1, 0.3, 1.0))
        for mu in (0.05, 0.9)
    ]
    assert ends[0].tobytes() == ends[1].tobytes()


def test_contacts_are_told_and_have_no_friction():
    plant = start("absolem", "flat", "frictionless:contacts=1")
    motion = ride(plant, "absolem", 0.2, 0.2, 0.5)
    normal, friction = motion.force_on("left")
    assert normal == pytest.approx(load_robot("absolem").mass * GRAVITY / 2, rel=0.01)
    assert friction == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "value"), [("proportional_gain", 2000.0), ("derivative_gain", 1.0)]
)
def test_a_gain_that_would_overshoot_in_every_step_is_refused(name, value):
    with pytest.raises(
        InvalidValue,
        match=f"frictionless:{name} must be (at most 1000 for a timestep of 0.001 s|from 0 to 0.9)",
    ):
        make_model("frictionless", **{name: value})
