"""The angle until a robot tips over: on level ground, on slopes, on bumps, with flippers."""

import math

import numpy as np
import pytest

from grouser.datasheet.slopes import tipping_angle
from grouser.description import load_course, load_robot, robot_names
from grouser.drivers import Constant, Sides
from grouser.geometry import Pose
from grouser.models import make_model
from grouser.models.tip_over import TipOverMeter, tip_over_angle
from grouser.simulation import Simulation

SQUARE = np.array([(1.0, -0.5, 0.0), (1.0, 0.5, 0.0), (-1.0, 0.5, 0.0), (-1.0, -0.5, 0.0)])


def lean(roll: float, pitch: float) -> np.ndarray:
    """Return the direction against gravity in the frame of a body that leans."""
    up = (-math.sin(pitch), math.sin(roll) * math.cos(pitch), math.cos(roll) * math.cos(pitch))
    return np.array(up)


def test_on_level_ground_it_is_the_arm_over_the_height():
    centre = np.array((0.2, 0.1, 0.5))
    assert tip_over_angle(SQUARE, centre, lean(0.0, 0.0)) == pytest.approx(math.atan2(0.4, 0.5))


@pytest.mark.parametrize("angle", np.linspace(-0.6, 0.6, 7))
def test_each_radian_of_slope_takes_a_radian_off_the_lower_edge(angle):
    centre = np.array((0.0, 0.0, 0.5))
    forward, sideways = math.atan2(1.0, 0.5), math.atan2(0.5, 0.5)
    assert tip_over_angle(SQUARE, centre, lean(angle, 0.0)) == pytest.approx(sideways - abs(angle))
    long = SQUARE[:, [1, 0, 2]][::-1]  # turned by a quarter: the long side lies across
    assert tip_over_angle(long, centre, lean(0.0, angle)) == pytest.approx(sideways - abs(angle))
    assert tip_over_angle(long, centre, lean(angle, 0.0)) == pytest.approx(
        min(sideways, forward - abs(angle))
    )


def test_it_is_negative_beyond_an_edge_and_upside_down():
    assert tip_over_angle(SQUARE, np.array((0.0, 0.7, 0.5)), lean(0.0, 0.0)) < 0.0
    assert tip_over_angle(SQUARE, np.array((0.0, 0.0, 0.5)), lean(1.0, 0.0)) < 0.0
    assert tip_over_angle(SQUARE, np.array((0.0, 0.0, 0.5)), lean(math.pi, 0.0)) < -1.0


@pytest.mark.parametrize("name", robot_names())
def test_a_robot_on_its_tracks_tips_where_its_data_sheet_says(name):
    robot = load_robot(name)
    rest = [flipper.rest_angle for flipper in robot.flippers]
    angle = TipOverMeter(robot).angle(Pose(x=3.0), np.array(robot.centre_of_mass) + (3, 0, 0), rest)
    edges = ("forward", "back", "side")
    assert angle == pytest.approx(min(tipping_angle(robot, edge) for edge in edges), abs=2e-3)


def test_flippers_that_are_pressed_down_carry_the_robot():
    robot = load_robot("absolem")
    meter, centre = TipOverMeter(robot), np.array(robot.centre_of_mass)
    rest = meter.support(centre, [flipper.rest_angle for flipper in robot.flippers])
    down = [-0.6 * flipper.raising_sign for flipper in robot.flippers]
    pressed = meter.support(centre, down)
    assert np.ptp(rest[:, 0]) == pytest.approx(0.5, abs=0.02)
    assert np.ptp(pressed[:, 0]) > np.ptp(rest[:, 0]) + 0.2
    assert pressed[:, 2].max() < -0.1


def test_on_bumps_on_which_nothing_tips_it_stays_near_that_of_level_ground():
    """From the contacts of the moment it was -23 cm at a pitch of 1.3 degrees."""
    robot = load_robot("absolem")
    simulation = Simulation(make_model("csm:contacts=1"), robot, load_course("rough"))
    driver, angles = Constant(robot, Sides(left=0.2, right=0.2)), []
    level = min(tipping_angle(robot, edge) for edge in ("forward", "back", "side"))
    for _ in range(300):
        simulation.advance(driver(simulation.time, simulation.motion))
        motion = simulation.motion
        leans = math.hypot(float(motion.pose.roll), float(motion.pose.pitch))
        angles.append((motion.tip_over_angle, leans))
    assert all(angle == pytest.approx(level, abs=leans + 0.02) for angle, leans in angles)
    assert min(angle for angle, _ in angles) > math.radians(30.0)


@pytest.mark.parametrize("slope", [10.0, 25.0])
def test_on_a_slope_it_is_less_by_the_slope(slope):
    robot = load_robot("tankbot")
    course = load_course("slope", angle_deg=slope)
    simulation = Simulation(make_model("csm:contacts=1"), robot, course)
    simulation.run(Constant(robot, Sides(left=0.0, right=0.0)), duration=1.0)
    back = tipping_angle(robot, "back") - math.radians(slope)
    assert simulation.motion.tip_over_angle == pytest.approx(
        min(back, tipping_angle(robot, "side")), abs=math.radians(1.0)
    )
