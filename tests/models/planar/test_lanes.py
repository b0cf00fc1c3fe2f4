"""Robots in lanes have the bits of a robot alone."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.geometry import Pose
from grouser.models import Command, make_model
from grouser.models.planar.advance import advance_robots
from grouser.models.planar.constants import pack_constants, robot_constants
from grouser.models.planar.lanes import LANES, advance_lanes

ROBOT = load_robot("tankbot")
CONSTANTS = robot_constants(ROBOT, resting_shift=True)


def draw(count: int, by_voltage: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return states, demands and weights of robots that differ, some of them at rest."""
    generator = np.random.default_rng(3)
    states = generator.uniform(-1.0, 1.0, (count, 8)) * (1, 1, 9, 0.5, 0.3, 2, 12, 12)
    states[::5, 3:] = 0.0
    commanded = generator.uniform(-9.0, 9.0, (count, 2))
    grades = generator.uniform(-40.0, 40.0, (count, 3)) + (0.0, 0.0, 400.0)
    return states, commanded if by_voltage else 1.5 * commanded, grades


@pytest.mark.parametrize("count", [1, LANES - 1, LANES, 3 * LANES + 1])
@pytest.mark.parametrize("by_voltage", [True, False])
@pytest.mark.parametrize("width", [0.0, 0.05])
def test_lanes_have_the_bits_of_robots_one_after_the_other(count, by_voltage, width):
    masses = np.linspace(20.0, 60.0, count)
    packed = pack_constants(CONSTANTS._replace(mass=masses, shift_width=width), count)
    lanes, commanded, grades = draw(count, by_voltage)
    alone = lanes.copy()
    for _ in range(5):
        for states, work in ((lanes, advance_lanes), (alone, advance_robots)):
            reached = work(0, count, states, by_voltage, commanded, grades, *packed, 0.01, 0.00125)
            assert reached == count
        assert np.array_equal(lanes, alone)


def test_lanes_advance_only_the_robots_of_their_share():
    states, commanded, grades = draw(20, by_voltage=True)
    before, packed = states.copy(), pack_constants(CONSTANTS, 20)
    assert advance_lanes(5, 12, states, True, commanded, grades, *packed, 0.01, 0.00125) == 12
    changed = (states != before).any(axis=1)
    assert np.array_equal(np.flatnonzero(changed), np.arange(5, 12))


def test_the_first_robot_that_is_too_stiff_is_found():
    states, commanded, grades = draw(40, by_voltage=False)
    packed = pack_constants(CONSTANTS, 40)
    packed.records["servo_time"][[21, 14, 37]] = 1e-12
    found = advance_lanes(0, 40, states, False, commanded, grades, *packed, 0.01, 0.00125)
    assert found == -1 - 14


def test_a_robot_whose_numbers_are_not_finite_leaves_the_others_as_they_are():
    states, commanded, grades = draw(LANES, by_voltage=True)
    packed, ill = pack_constants(CONSTANTS, LANES), states.copy()
    ill[3] = np.nan
    for numbers in (states, ill):
        advance_lanes(0, LANES, numbers, True, commanded, grades, *packed, 0.01, 0.00125)
    others = np.arange(LANES) != 3
    assert np.array_equal(states[others], ill[others])
    assert np.isnan(ill[3]).any()


def test_a_batch_whose_lateral_force_is_spread_equals_single_robots():
    model, flat, count = make_model("tankbot", points=5), load_course("flat"), 20
    yaw, speeds = np.linspace(0.0, 2.0, count), np.linspace(-0.3, 0.4, count)
    together = model.start(ROBOT, flat, Pose(yaw=yaw))
    for _ in range(10):
        together.advance(Command(belt_speeds=(speeds, 0.5 * speeds)), 0.01)
    for i in range(0, count, 6):
        alone = model.start(ROBOT, flat, Pose(yaw=float(yaw[i])))
        for _ in range(10):
            alone.advance(Command(belt_speeds=(float(speeds[i]), 0.5 * float(speeds[i]))), 0.01)
        assert np.array_equal(alone.state.numbers[0], together.state.numbers[i])
