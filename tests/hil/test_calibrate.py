"""What a calibration finds on boards whose truth is known, and what it rejects."""

import math

import numpy as np
import pytest

from grouser.description import load_robot, parse_robot
from grouser.description.edit import edit_robot
from grouser.errors import GrouserError, InvalidValue, LinkBroken
from grouser.hil.board_session import BoardSession, Tape
from grouser.hil.calibrate import (
    measure_encoder,
    measure_gyro,
    measure_speed_map,
)
from grouser.hil.links import LockstepLink
from grouser.hil.messages import GYRO_STEP, State
from grouser.hil.python_board import PythonBoard
from grouser.hil.run import run_board
from grouser.hil.simulated_board import SimulatedBoard
from grouser.hil.virtual_robot import BeltScale
from grouser.scenario import Part, Scenario

BOARDS = {"sim": SimulatedBoard, "python": PythonBoard}
WORN = load_robot("tp100").text.replace("wheel_radius_m = 0.024", "wheel_radius_m = 0.025  # new")


@pytest.fixture(params=BOARDS)
def board(request):
    return BOARDS[request.param](seed=3)


def worn_robot():
    return parse_robot(WORN, "worn")


def run(robot, left=0.1, right=0.1, seconds=3.0):
    """Return the log of a run on a level floor, and how far the real belts ran in it."""
    tape = Tape()
    driver = f"constant:left={left},right={right}"
    part = Part(name=robot.name, text=robot.text)
    scenario = Scenario(robot=part, course="flat", model="ideal", driver=driver, stop=seconds)
    return run_board(LockstepLink(PythonBoard(seed=3), tape.observe), scenario).log, tape.travels


def test_the_gyroscope_loses_its_offset(board):
    with BoardSession(LockstepLink(board)) as session:
        found = measure_gyro(session, load_robot("tp100"), 2.0)
    (item,) = found.items
    assert np.all(np.abs(item.after) <= 0.52)
    # 0.05 deg/s of noise over 200 readings leave 0.0035 deg/s, twice; four times that is rare.
    assert found.error_after < 0.02
    assert found.error_before == pytest.approx(abs(item.after[2]), abs=0.02)


def test_encoders_are_scaled_to_the_tape(board):
    tape = Tape()
    with BoardSession(LockstepLink(board, tape.observe)) as session:
        found = measure_encoder(session, worn_robot(), lambda: tape.travels, distance=0.3)
    # The boards' wheels have 24 mm; a count is 0.42 mm of 300.
    assert [item.after for item in found.items] == pytest.approx([0.96, 0.96], abs=0.003)
    assert found.error_before > 0.01
    assert found.error_after < 1e-4


def test_the_map_has_the_dead_band_and_the_top_speed_of_the_motors(board):
    with BoardSession(LockstepLink(board)) as session:
        found = measure_speed_map(session, load_robot("tp100"), (0.3, 1.0), hold=0.2)
    changes = found.changes
    assert changes["drive.speed_map.duty"] == [0.3, 1.0]
    for name in ("left", "right", "left_backward", "right_backward"):
        speeds = changes[f"drive.speed_map.{name}_m_s"]
        # 0.35 m/s at full duty, nothing up to a duty of 0.15, a line between.
        assert speeds == pytest.approx([0.35 * 0.15 / 0.85, 0.35], abs=0.003)
    assert found.error_after < 0.003 < found.error_before


def test_a_scaled_robot_drives_virtually_as_far_as_its_belts_ran():
    log, travels = run(worn_robot())
    before = abs(log["x"][-1] - travels[0]) / travels[0]
    assert before == pytest.approx(1.0 / 24.0, abs=0.005)
    text = edit_robot(
        WORN, {"sensors.encoder.scale_left": 0.96, "sensors.encoder.scale_right": 0.96}, "tape [M]"
    )
    log, travels = run(parse_robot(text, "scaled"))
    # What remains is a count, 0.4 mm, and what the belts run in the last period, 1 mm.
    assert abs(log["x"][-1] - travels[0]) < 0.0015
    # Asked for 0.1 m/s, the belts run at that: 2.6 s of it beside starting and stopping.
    assert travels[0] == pytest.approx(0.3, abs=0.02)


def test_a_measured_offset_is_taken_off_the_yaw_rate():
    robot = load_robot("tp100")
    with BoardSession(LockstepLink(PythonBoard(seed=3))) as session:
        found = measure_gyro(session, robot, 2.0)
    better = parse_robot(edit_robot(robot.text, found.changes, "at rest [M]"), "better")
    drift = [
        abs(math.degrees(float(np.nanmean(run(each, seconds=2.0)[0]["board_yaw_rate"]))))
        for each in (robot, better)
    ]
    assert drift[0] > 0.2
    assert drift[1] < 0.03


def test_a_belt_that_cannot_follow_slows_both_and_the_bend_stays():
    speeds = [0.1, 0.3]
    changes = {
        f"drive.speed_map.{name}_m_s": speeds
        for name in ("left", "right", "left_backward", "right_backward")
    }
    text = edit_robot(
        load_robot("tp100").text, {"drive.speed_map.duty": [0.5, 1.0], **changes}, "stand [M]"
    )
    scale = BeltScale.of(parse_robot(text, "mapped"))
    assert scale.setpoints(0.4, 0.2) == pytest.approx((0.3, 0.15))
    assert scale.setpoints(-0.4, 0.2) == pytest.approx((-0.3, 0.15))
    assert scale.setpoints(0.2, 0.1) == pytest.approx((0.2, 0.1))
    assert BeltScale.of(load_robot("tp100")).setpoints(0.4, 0.2) == pytest.approx((0.4, 0.2))


def test_a_robot_that_is_moved_or_has_no_sensor_is_refused():
    robot = load_robot("tp100")
    with BoardSession(LockstepLink(PythonBoard())) as session:
        session.arm()
        session.drive(0.2, 0.1, 0.1)
        with pytest.raises(InvalidValue, match="robot must stand still"):
            measure_gyro(session, robot, 1.0)
    board = PythonBoard()
    board.fault("imu off")
    with (
        BoardSession(LockstepLink(board)) as session,
        pytest.raises(LinkBroken, match="gyroscope does not answer; check its wiring"),
    ):
        measure_gyro(session, robot, 1.0)
    with (
        BoardSession(LockstepLink(PythonBoard())) as session,
        pytest.raises(InvalidValue, match=r"have \[sensors.imu\]"),
    ):
        measure_gyro(session, load_robot("absolem"), 1.0)


def test_a_distance_that_cannot_be_is_refused():
    with (
        BoardSession(LockstepLink(PythonBoard())) as session,
        pytest.raises(InvalidValue, match="measured distance left must be near"),
    ):
        measure_encoder(session, load_robot("tp100"), lambda: (30.0, 30.0), distance=0.1)


def test_a_fault_during_a_calibration_ends_it_with_a_sentence():
    board = PythonBoard()
    board.fault("track left blocked")
    with (
        BoardSession(LockstepLink(board)) as session,
        pytest.raises(LinkBroken, match="the board stopped: stall left"),
    ):
        measure_speed_map(session, load_robot("tp100"), (0.5, 1.0))


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
