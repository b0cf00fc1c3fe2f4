"""A twist as belt speeds, and back through models that have no more than a width."""

import numpy as np
import pytest

import grouser
from grouser import Simulation, load_course, load_robot, make_model
from grouser.description import robot_names
from grouser.errors import InvalidValue
from grouser.models import command_twist, effective_width, track_icrs

FLAT = load_course("flat")


def driven(robot, model, command) -> tuple[float, float]:
    """Return forward speed and yaw rate once the belts have reached their speed."""
    plant = make_model(model).start(robot, FLAT)
    for _ in range(20):
        plant.advance(command, 0.5)
    return plant.motion.twist.vx, plant.motion.twist.yaw_rate


@pytest.mark.parametrize("name", robot_names())
@pytest.mark.parametrize(("share", "turn"), [(0.4, 0.2), (-0.3, 0.3), (0.0, -0.5), (0.5, 0.0)])
def test_models_turn_the_belts_back_into_the_twist(name, share, turn):
    robot = load_robot(name)
    limit, icrs = robot.drive.speed_limit, track_icrs(robot)
    for model, width in (("ideal", robot.gauge), ("icr", icrs.left_y - icrs.right_y)):
        forward, rate = share * limit, turn * limit / width
        found = driven(robot, model, command_twist(robot, forward, rate, width))
        assert found == pytest.approx((forward, rate), abs=1e-9)


@pytest.mark.parametrize("name", robot_names())
def test_the_default_width_is_that_between_the_centres_of_rotation(name):
    robot = load_robot(name)
    forward, rate = 0.2 * robot.drive.speed_limit, 0.1 * robot.drive.speed_limit / robot.gauge
    found = driven(robot, "icr", command_twist(robot, forward, rate))
    assert found == pytest.approx((forward, rate), abs=1e-9)


def test_a_robot_without_such_centres_has_the_width_of_its_slip_model():
    robot = load_robot("tp100")
    assert command_twist(robot, 0.1, 0.2) == command_twist(robot, 0.1, 0.2, effective_width(robot))
    without_slip = robot.slip.model_copy(update={"turning_left": 0.0, "turning_right": 0.0})
    robot = robot.model_copy(update={"slip": without_slip})
    found = driven(robot, "slip", command_twist(robot, 0.1, 0.2))
    assert found == pytest.approx((0.1, 0.2), abs=1e-9)


@pytest.mark.parametrize(("forward", "rate"), [(10.0, 1.0), (-3.0, 20.0), (0.0, -1e6)])
def test_too_fast_a_twist_keeps_its_curvature(forward, rate):
    robot = load_robot("absolem")
    left, right = command_twist(robot, forward, rate, 0.5).belt_speeds
    assert max(abs(left), abs(right)) == pytest.approx(robot.drive.speed_limit)
    assert (right - left) / 0.5 * forward == pytest.approx(0.5 * (right + left) * rate, rel=1e-9)


def test_standing_still_is_exactly_zero():
    assert command_twist(load_robot("tp100"), 0.0, 0.0).belt_speeds == (0.0, 0.0)


def test_turning_left_slows_the_left_side_and_flippers_rest():
    robot = load_robot("absolem")
    command = command_twist(robot, 0.2, 0.1)
    assert command.belt_speeds[0] < command.belt_speeds[1]
    assert command.flipper_angles == tuple(f.rest_angle for f in robot.flippers)


def test_many_robots_have_twists_of_their_own():
    robot = load_robot("tp100")
    many = command_twist(robot, np.array([0.1, 5.0]), np.array([0.0, 1.0]))
    for number, (forward, rate) in enumerate([(0.1, 0.0), (5.0, 1.0)]):
        alone = command_twist(robot, forward, rate).belt_speeds
        assert [speed[number] for speed in many.belt_speeds] == list(alone)


@pytest.mark.parametrize(
    ("numbers", "name"),
    [
        ((np.nan, 0.0), "forward must be finite"),
        ((0.0, np.inf), "yaw_rate must be finite"),
        ((0.1, 0.0, np.nan), "width must be finite"),
        ((0.1, 0.0, 0.0), "width must be above 0"),
    ],
)
def test_a_number_that_is_none_is_a_mistake(numbers, name):
    with pytest.raises(InvalidValue, match=name):
        command_twist(load_robot("tp100"), *numbers)


def test_a_simulation_takes_it():
    simulation = Simulation(make_model("ideal"), load_robot("tp100"), FLAT)
    simulation.advance(grouser.command_twist(simulation.robot, 0.1, 0.0))
    assert simulation.motion.pose.x > 0.0
