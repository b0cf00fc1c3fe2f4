"""What a calibration says of boards that tell nothing, or something wrong."""

import math

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.errors import GrouserError, InvalidValue
from grouser.hil.calibrate import BoardSession, measure_encoder, measure_gyro, measure_speed_map
from grouser.hil.messages import GYRO_STEP, State
from grouser.hil.virtual_robot import BeltScale

ROBOT = load_robot("tp100")
COUNTS, TOP = 360, 0.35


class Session(BoardSession):
    """A board without a line: says what a test wants."""

    def __init__(self, rates=(), sides=(1.0, 1.0), states=200):
        self._rates, self._sides, self._states = iter(rates), sides, states
        self._count, self._speed = (0.0, 0.0), 0.0

    name, counts_per_revolution = "board", COUNTS

    def arm(self):
        pass

    def watch(self, seconds):
        rate = next(self._rates, 0.0)
        noise = np.random.default_rng(4).normal(0.0, 0.001, self._states)
        return [self._state(rate + part) for part in noise]

    def drive(self, seconds, left, right, **how):
        self._speed = TOP * left if "mode" in how else 0.0
        if "until" in how:
            length = BeltScale.of(ROBOT).count_lengths(COUNTS)[0]
            self._count = tuple(side / length for side in self._sides)
        return [self._state(0.0)] * 5

    def _state(self, rate):
        numbers = dict.fromkeys(State.__dataclass_fields__, 0)
        left, right = (round(count) for count in self._count)
        speeds = [round(1000.0 * self._speed * side) for side in self._sides]
        return State(
            **{**numbers, "encoder_left": left, "encoder_right": right, "speed_left": speeds[0],
               "speed_right": speeds[1], "gyro_z": round(rate / GYRO_STEP)}
        )  # fmt: skip


@pytest.mark.parametrize("rate", [0.0, 0.004, -0.1])
def test_the_offset_of_a_gyroscope_is_within_three_deviations(rate):
    (item,) = measure_gyro(Session([0.0, rate, rate]), ROBOT, 1.0).items
    assert item.deviation[2] > 0.0
    assert abs(math.radians(item.after[2]) - rate) <= 3.0 * math.radians(item.deviation[2])


@pytest.mark.parametrize(
    ("rates", "words"),
    [
        ([0.0, 0.5, 0.5], "below 20 deg/s at rest: did the robot turn"),
        ([0.0, 0.0, 0.05], "the same in both measurements"),
    ],
)
def test_a_robot_that_turns_has_no_offset(rates, words):
    with pytest.raises(InvalidValue, match=words):
        measure_gyro(Session(rates), ROBOT, 1.0)


def test_the_scale_of_an_encoder_is_within_three_deviations():
    found = measure_encoder(Session(), ROBOT, lambda: (1.02, 0.99))
    for item, true in zip(found.items, (1.02, 0.99), strict=True):
        assert 0.0 < item.deviation < 0.01
        assert abs(item.after - true * item.before) <= 3.0 * item.deviation


@pytest.mark.parametrize("right", [0.0, -1.0])
def test_a_dead_or_mirrored_encoder_is_named(right):
    with pytest.raises(InvalidValue, match="encoder right must count forward"):
        measure_encoder(Session(sides=(1.0, right)), ROBOT, lambda: (1.0, 1.0))
    with pytest.raises(InvalidValue, match=r"speed of the right belt at duty 0\.25 must be above"):
        measure_speed_map(Session(sides=(1.0, right)), ROBOT)


def test_a_silent_board_is_an_error():
    with pytest.raises(GrouserError):
        measure_gyro(Session(states=0), ROBOT, 1.0)
    with pytest.raises(GrouserError, match="no state came"):
        measure_encoder(Session(states=0), ROBOT, lambda: (1.0, 1.0))
