"""The gyroscope turns the virtual robot."""

import math
from dataclasses import replace

import pytest

from grouser import Scenario, load_robot
from grouser.errors import InvalidValue
from grouser.hil.heading import FEWEST, STANDING, GyroBias, GyroHeading, StandFirst
from grouser.hil.links import LockstepLink
from grouser.hil.messages import GYRO_STEP, BoardState, Fault, State
from grouser.hil.options import BoardOptions, describe_run, load_for_board, read_run
from grouser.hil.python_board import PythonBoard
from grouser.hil.raw_log import RawLog, ReplayLink, read_raw_log
from grouser.hil.run import run_board
from grouser.hil.simulated_board import SimulatedBoard
from grouser.laws.slip_odometry import slip_twist
from grouser.models import command_sides, effective_width

ROBOT = load_robot("tp100")
WITH_GYRO = BoardOptions(heading="gyro")
REST = State(1, 1, 10_000, 0, int(BoardState.ARMED), 0, *(0,) * 18)
STRAIGHT = Scenario(course="flat", driver="constant:speed=0.1", stop=2.0)


def turning(rate: float, **changes: int) -> State:
    return replace(REST, gyro_z=round(rate / GYRO_STEP), **changes)


def test_the_bias_is_the_mean_of_readings_at_rest():
    bias = GyroBias()
    bias.add(turning(0.5))  # the first one only gives the counts
    for rate in (0.01, 0.03):
        bias.add(turning(rate))
    for moving in ({"speed_left": 5}, {"setpoint_right": 1}, {"encoder_left": 3}):
        bias.add(turning(0.4, **moving))
    bias.add(turning(0.4, faults=int(Fault.IMU)))
    assert bias.count == 2
    assert bias.value == pytest.approx(0.02, abs=GYRO_STEP)


def rested(bias: float) -> GyroHeading:
    heading = GyroHeading(ROBOT)
    for _ in range(FEWEST + 1):
        heading.bias.add(turning(bias))
    return heading


def test_encoders_give_the_distance_and_the_gyroscope_the_turn(standing):
    heading, slip = rested(0.02), ROBOT.slip
    state = turning(0.32, speed_left=1000, speed_right=1000)
    left, right = heading.correct(state, standing, 0.1, 0.1)
    shape = (slip.left, slip.right, 0.0, effective_width(ROBOT))
    vx, _, rate = slip_twist(left, right, *shape)
    assert vx == pytest.approx(slip_twist(0.1, 0.1, *shape)[0])
    assert rate == pytest.approx(0.3, abs=2 * GYRO_STEP)


@pytest.mark.parametrize("faults", [0, int(Fault.IMU)])
def test_without_a_bias_or_an_imu_the_belts_turn_the_robot(standing, faults):
    heading = rested(0.02) if faults else GyroHeading(ROBOT)
    state = turning(0.32, speed_left=1000, faults=faults)
    assert heading.correct(state, standing, 0.1, 0.12) == (0.1, 0.12)


def test_a_turn_that_is_missing_is_made_up_for_but_not_while_it_climbs(standing):
    heading = rested(0.0)
    driving = turning(0.2, speed_left=1000)
    heading.follow(driving, standing, standing, 0.5)
    assert heading.missing == pytest.approx(0.1, abs=1e-4)
    straight = heading.correct(turning(0.0, speed_left=1000), standing, 0.1, 0.1)
    assert straight[1] > straight[0]
    climbing = replace(standing, phase=1.0)
    heading.follow(driving, climbing, climbing, 0.5)
    assert heading.missing == pytest.approx(0.1, abs=1e-4)


def test_a_run_stands_first(standing):
    drive = StandFirst(lambda time, motion: command_sides(ROBOT, time, 0.1), ROBOT)
    assert drive(STANDING - 0.01, standing).belt_speeds == (0.0, 0.0)
    assert drive(STANDING + 0.25, standing).belt_speeds == pytest.approx((0.25, 0.1))


@pytest.mark.parametrize("make", [PythonBoard, SimulatedBoard])
def test_the_virtual_robot_turns_as_the_gyroscope_shows(tmp_path, make):
    board = make(seed=3)

    def turn(snapshot):
        board.turn(0.25 if snapshot.time > STANDING else 0.0)

    loaded = load_for_board(STRAIGHT, WITH_GYRO)
    raw = RawLog(tmp_path / "a.raw", describe_run(loaded, WITH_GYRO))
    run = run_board(LockstepLink(board), loaded, WITH_GYRO, raw=raw, observe=turn)
    assert run.report.is_valid
    turned = 0.25 * (run.log.time[-1] - STANDING)
    assert run.log["yaw"][-1] == pytest.approx(turned, rel=0.03)
    assert math.hypot(run.log["x"][-1], run.log["y"][-1]) == pytest.approx(0.2, rel=0.15)
    header, entries = read_raw_log(tmp_path / "a.raw")
    link, (again, options) = ReplayLink(entries), read_run(header, tmp_path / "a.raw")
    assert options.heading == "gyro"
    run_board(link, again, options, stop=lambda: link.is_stopped)
    assert not link.differs


def test_another_programs_robot_is_not_turned():
    with pytest.raises(InvalidValue, match="go without an exchange"):
        BoardOptions(heading="gyro", exchange="udp")
