"""What a 3D model refuses, each with its sentence."""

import numpy as np
import pytest

from grouser.description import load_robot, parse_course
from grouser.drivers import Constant, Sides
from grouser.errors import InvalidDescription, InvalidValue
from grouser.geometry import Pose
from grouser.models import Command, command_sides, make_model, start_model
from grouser.simulation import Simulation
from tests.models.contact.rides import ground, start, wedge

WALLS = {
    "ahead": 'kind = "step"\nx_m = 0.3\nheight_m = {height}\ndepth_m = 1.0\nwidth_m = 3.0',
    "beside": 'kind = "box"\ny_m = 0.45\nlength_m = 3.0\nwidth_m = 0.2\nheight_m = {height}',
}


def walled(wall, height):
    return ground(0.9, pieces=f"[[terrain]]\n{WALLS[wall].format(height=height)}")


@pytest.mark.parametrize("wall", WALLS)
def test_a_robot_that_starts_inside_an_obstacle_is_refused(wall):
    sentence = r"start must be clear of obstacles for robot 'wedge', not '\(0 m, 0 m\)'"
    with pytest.raises(InvalidValue, match=sentence):
        start_model(make_model("csm"), wedge(), walled(wall, 1.5))


@pytest.mark.parametrize("wall", WALLS)
def test_a_wall_higher_than_the_robot_is_nothing_to_start_on(wall):
    with pytest.raises(InvalidValue, match="start must be clear of obstacles"):
        start_model(make_model("csm"), wedge(), walled(wall, 0.6))


def test_a_robot_may_start_beside_an_obstacle():
    pose = start(wedge(), walled("ahead", 0.6), pose=Pose(x=-0.3)).motion.pose
    assert (pose.x, pose.z, pose.pitch) == pytest.approx((-0.3, 0.0, 0.0), abs=1e-3)


def test_a_long_low_robot_may_start_on_stairs():
    # Quince is 1.1 m long and 0.15 m high: put level on a tread, its nose is two rises too low.
    pose = start("quince", "staircase-stand").motion.pose
    assert pose.pitch == pytest.approx(-np.arctan2(0.17, 0.29), abs=0.1)


def test_a_course_without_ground_is_refused():
    course = parse_course('name = "void"', "void.toml")
    with pytest.raises(InvalidValue, match="'void' must have ground to drive on"):
        start_model(make_model("csm"), wedge(), course)


@pytest.mark.parametrize(
    ("mass", "sentence"),
    [
        (0.0, r"body.mass_kg: input should be greater than 0, given 0\.0"),
        (-1.0, r"body.mass_kg: input should be greater than 0, given -1\.0"),
        (np.nan, r"body.mass_kg: input should be a finite number, given nan"),
    ],
)
def test_a_body_without_mass_is_refused(mass, sentence):
    with pytest.raises(InvalidDescription, match=sentence):
        wedge(mass=mass)


def test_a_belt_faster_than_its_limit_is_refused():
    with pytest.raises(InvalidValue, match=r"at most 1 m/s, the limit of robot 'wedge', not 9\.0"):
        Constant(wedge(), Sides(left=9.0, right=0.0))


def test_a_belt_that_is_asked_for_more_reaches_its_limit():
    plant = start(wedge(), ground(0.9))
    for _ in range(30):
        plant.advance(Command(belt_speeds=(9.0, 9.0)), 0.01)
    assert plant.motion.belt_speeds == pytest.approx((1.0, 1.0))
    assert plant.motion.belt_speeds_commanded == (9.0, 9.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_commands_that_are_not_finite_are_refused(bad):
    simulation = Simulation(make_model("csm"), load_robot("absolem"), ground(0.9))
    with pytest.raises(InvalidValue, match="must have finite numbers only"):
        simulation.advance(Command(belt_speeds=(0.1, bad), flipper_angles=(0.0,) * 4))
    with pytest.raises(InvalidValue, match="must have finite numbers only"):
        simulation.advance(Command(belt_speeds=(0.1, 0.1), flipper_angles=(0.0, 0.0, 0.0, bad)))
    assert simulation.ticks == 0


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("csm:patches=0", "csm:patches must be a whole number from 2 to 50, not 0"),
        ("csm:patches=2.5", "csm:patches must be a whole number from 2 to 50, not 2.5"),
        ("csm:timestep=0", "csm:timestep must be from"),
        ("csm:timestep=0.5", "csm:timestep must be from"),
        ("csm:timestep=nan", "csm:timestep must be a finite number"),
        ("csm:steering_efficiency=0", "csm:steering_efficiency must be from 0.01"),
        ("csm:engine=ode", "csm:engine must be one of native, mujoco"),
        ("csm:law=mud", "csm:law must be one of coulomb, circles, frictionless"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(reference, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        start(wedge(), ground(0.9), reference)


def test_a_tick_that_is_no_multiple_of_the_engines_step_is_refused():
    plant = start(wedge(), ground(0.9), "csm:timestep=0.003")
    with pytest.raises(InvalidValue, match=r"multiple of the engine's step, 0\.003 s, not 0\.01"):
        plant.advance(Command(belt_speeds=(0.1, 0.1)), 0.01)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_start_that_is_not_finite_is_refused(bad):
    with pytest.raises(InvalidValue, match="start must be finite numbers"):
        start_model(make_model("csm"), wedge(), ground(0.8), Pose(x=bad))


def test_a_number_that_is_not_finite_is_not_hidden_by_the_engine():
    plant = start_model(make_model("csm"), wedge(), ground(0.8), Pose())
    plant.turn(float("nan"))
    plant.advance(command_sides(wedge(), 0.1, 0.1), 0.01)
    assert not np.isfinite(plant.motion.pose.x + plant.motion.pose.yaw)
