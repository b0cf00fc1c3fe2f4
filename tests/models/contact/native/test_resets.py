"""A reset or a turn of some robots among many: as if they were alone, and without the others."""

import numpy as np
import pytest

from grouser.description import load_course, load_robot
from grouser.geometry import Pose
from grouser.models import Command, command_sides, make_model, start_model
from grouser.models.contact.plant import ContactPlant

COUNT, TICK = 19, 0.05
"""Robots in three blocks, the last of which has lanes without a robot."""
ROBOT, COURSE = load_robot("quince"), load_course("step:height_m=0.05")
SPEEDS = np.linspace(0.1, 0.3, COUNT)
POSES = Pose(x=np.linspace(0.1, 0.4, COUNT), y=np.zeros(COUNT), yaw=np.linspace(-0.3, 0.3, COUNT))
MASKS = {
    "one of a block": np.arange(COUNT) == 3,
    "one of each block": np.isin(np.arange(COUNT), (1, 12, COUNT - 1)),
    "all but one": np.arange(COUNT) != 9,
    "none": np.zeros(COUNT, bool),
}


def start(pose: Pose, model: str) -> ContactPlant:
    plant = start_model(make_model(model), ROBOT, COURSE, pose)
    assert isinstance(plant, ContactPlant)
    return plant


def command(speeds: float | np.ndarray) -> Command:
    return command_sides(ROBOT, speeds, 0.8 * speeds)


def drive(plant: ContactPlant, speeds: float | np.ndarray, ticks: int) -> None:
    for _ in range(ticks):
        plant.advance(command(speeds), TICK)


def states(plant: ContactPlant) -> np.ndarray:
    return np.concatenate([plant.state.engine, plant.world.readings], axis=1)


@pytest.mark.parametrize("model", ["csm", "frictionless"])
@pytest.mark.parametrize("which", MASKS.values(), ids=MASKS)
def test_a_reset_is_as_alone_and_leaves_the_others_bit_for_bit(which: np.ndarray, model: str):
    many = start(POSES, model)
    drive(many, SPEEDS, 12)
    before = states(many)
    many.reset_some(which, POSES)
    assert np.array_equal(states(many)[~which], before[~which])
    started = many.world.readings.copy()
    drive(many, SPEEDS, 6)
    for number in (0, 3, 9, COUNT - 1):
        one = start(POSES[number], model)
        if which[number]:
            assert np.array_equal(started[number], one.world.readings[0])
        else:
            drive(one, float(SPEEDS[number]), 12)
        drive(one, float(SPEEDS[number]), 6)
        assert np.array_equal(many.world.readings[number], one.world.readings[0])


def test_a_turn_by_nothing_changes_nothing():
    many = start(POSES, "csm")
    drive(many, SPEEDS, 4)
    before = states(many)
    yaw = np.where(np.arange(COUNT) == 5, 0.1, 0.0)
    many.turn(yaw)
    turned = (states(many) != before).any(axis=1)
    assert turned.tolist() == (yaw != 0.0).tolist()
    assert many.world.readings[5, 5] == pytest.approx(before[5, -7] + 0.1)
