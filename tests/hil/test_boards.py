"""Every board: the one in Python, the real firmware, and the one at `--port`."""

import numpy as np
import pytest

from grouser import Scenario
from grouser.errors import InvalidValue
from grouser.hil.conversation import Booted, Connected, LinkLost, Refused, StateArrived
from grouser.hil.links import LockstepLink
from grouser.hil.messages import BoardState, Cmd, Fault, Mode, Reason, ResetCause, State
from grouser.hil.python_board import PythonBoard
from grouser.hil.python_vehicle import LAG_MS
from grouser.hil.run import BoardRun, run_board
from grouser.hil.simulated_board import SimulatedBoard
from tests.hil.bench import Bench


def test_states_come_at_the_agreed_rate_in_the_boards_own_time(any_bench):
    any_bench.wait(0.5)
    states = any_bench.seen(StateArrived)
    assert any_bench.ack.period_us == 10_000
    assert len(states) == pytest.approx(50, abs=3)
    steps = [after.time - before.time for before, after in zip(states, states[1:], strict=False)]
    assert steps == pytest.approx([0.01] * len(steps), abs=1e-3)
    assert any_bench.talk.counts.missing == 0


def test_belts_reach_what_is_asked_for(any_bench):
    any_bench.arm().drive(1.5, 0.1, -0.15)
    assert any_bench.state.state == BoardState.ARMED
    assert any_bench.state.speeds == pytest.approx((0.1, -0.15), abs=0.015)
    assert any_bench.state.setpoints == pytest.approx((0.1, -0.15))


def test_a_board_that_is_not_armed_refuses_to_drive(any_bench):
    any_bench.wait(1.0)  # a board on the bench may still be running out
    before = any_bench.state.encoder_left
    any_bench.drive(0.3)
    assert any_bench.state.state == BoardState.IDLE
    assert (any_bench.state.encoder_left, any_bench.state.duty_left) == (before, 0)
    assert {event.nak.reason for event in any_bench.seen(Refused)} == {Reason.NOT_ARMED}


def test_without_commands_the_motors_stop_and_stay_off(any_bench):
    any_bench.arm().drive(0.5)
    any_bench.wait(0.2)
    assert any_bench.state.state == BoardState.SAFE
    assert any_bench.state.faults & Fault.COMMAND_TIMEOUT
    any_bench.drive(0.2)
    assert any_bench.state.state == BoardState.SAFE


def test_a_stop_holds_until_the_next_arm(any_bench):
    any_bench.arm().drive(0.3)
    any_bench.talk.estop()
    any_bench.drive(0.2)
    assert any_bench.state.state == BoardState.SAFE
    assert any_bench.state.faults & Fault.ESTOP
    any_bench.arm().drive(0.1, 0.0, 0.0)
    assert any_bench.state.state == BoardState.ARMED
    assert not any_bench.state.faults & Fault.ESTOP


def test_a_command_out_of_range_or_said_twice_is_refused(any_bench):
    any_bench.arm().drive(0.1, 0.0, 0.0)
    before = any_bench.talk.counts.naks
    any_bench.talk.command_raw(6000, 0, any_bench.line.now)
    any_bench.talk.send(Cmd(any_bench.talk.link_id, any_bench.state.cmd_seq, 0, 0, 0))
    any_bench.line.flush()
    any_bench.drive(0.05, 0.0, 0.0)
    reasons = [event.nak.reason for event in any_bench.seen(Refused)]
    assert any_bench.talk.counts.naks == before + 2
    assert reasons[-2:] == [Reason.OUT_OF_RANGE, Reason.OLD_SEQ]


def test_its_clock_is_known_after_a_ping(any_bench):
    any_bench.wait(1.2)
    arrived = any_bench.talk.last
    age = any_bench.line.now - any_bench.talk.clock.to_host(arrived.time)
    assert -0.001 <= age <= 0.025


def test_nothing_is_lost_while_nothing_is_wrong(any_bench):
    any_bench.arm().drive(0.5)
    assert not any_bench.seen(LinkLost)
    assert any_bench.talk.frames.bad <= 1  # what was said before the line was opened


def test_counts_are_the_travel_of_the_belt(bench):
    bench.drive(3.0)
    travel = bench.state.encoder_left * 2.0 * 3.141592653589793 * 0.024 / 360.0
    assert travel == pytest.approx(0.1 * (3.0 - LAG_MS * 1e-3), rel=0.01)


def test_without_commands_the_motors_stop_in_time(bench):
    bench.drive(1.0)
    last = bench.link.now()
    bench.wait(0.3)
    off_us, _ = bench.link.board.pins()
    assert off_us * 1e-6 - last <= 0.101
    assert bench.state.state == BoardState.SAFE
    assert bench.state.faults & Fault.COMMAND_TIMEOUT


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("encoder left stuck", Fault.STALL_LEFT),
        ("track right blocked", Fault.STALL_RIGHT),
        ("encoder right swapped", Fault.RUNAWAY_RIGHT),
        ("motor left swapped", Fault.RUNAWAY_LEFT),
        ("battery 4.0", Fault.BATTERY),
    ],
)
def test_a_fault_of_the_hardware_stops_the_motors(bench, words, fault):
    bench.drive(1.0)
    bench.link.board.fault(words)
    bench.drive(1.0)
    assert bench.state.faults & fault
    assert bench.state.state == BoardState.SAFE
    assert bench.link.last.enabled == (False, False)


def test_without_its_inertial_sensor_it_drives_on(bench):
    bench.link.board.fault("imu off")
    bench.drive(0.5)
    assert bench.state.faults & Fault.IMU
    assert bench.state.state == BoardState.ARMED
    bench.link.board.fault("imu on")
    bench.drive(0.1)
    assert not bench.state.faults & Fault.IMU


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ("reset brownout", ResetCause.BROWNOUT),
        ("hang loop", ResetCause.WATCHDOG),
        ("hang all", ResetCause.WATCHDOG),
    ],
)
def test_after_a_reset_it_says_why_and_does_not_move(bench, words, cause):
    bench.drive(0.5)
    bench.link.board.fault(words)
    bench.drive(1.0)
    (boot,) = bench.seen(Booted)
    assert boot.boot.mcusr == cause
    assert boot.was_connected
    assert bench.seen(Connected)
    assert bench.link.last.enabled == (False, False)
    assert bench.link.last.resets == 1


def test_a_mute_board_is_lost(bench):
    bench.drive(0.2)
    bench.link.board.fault("link mute")
    bench.wait(0.1)
    assert len(bench.seen(LinkLost)) == 1
    bench.link.board.fault("link clear")
    bench.drive(0.1)
    assert not bench.talk.is_lost


def test_lost_bytes_are_noticed_and_it_drives_on(bench):
    bench.link.board.fault("link lose 0.005")
    bench.drive(3.0)
    assert bench.talk.frames.crc > 0
    assert bench.state.state == BoardState.ARMED


def test_a_fast_clock_is_followed(bench):
    began = bench.link.now()
    bench.wait(1.0)
    before = bench.talk.clock.offset(began)
    bench.link.board.fault("clock 10000")
    changed = bench.link.now()
    bench.drive(10.0)
    now = bench.link.now()
    ahead = before + 0.01 * (now - changed)
    assert bench.talk.clock.offset(now) == pytest.approx(ahead, abs=1e-3)


@pytest.mark.parametrize("words", ["link sideways", "encoder middle stuck", "battery lots", ""])
def test_words_that_mean_nothing_are_refused_with_those_that_do(words):
    with pytest.raises(InvalidValue, match="track SIDE blocked"):
        PythonBoard().fault(words)


BOARDS = {"python": PythonBoard, "firmware": SimulatedBoard}
STEPS = ((0.1, 0.1), (0.1, -0.15), (-0.2, 0.3), (0.0, 0.05), (0.35, 0.35))
"""Set-points of half a second each [m/s]."""


def course_run(kind: str, course_name: str) -> tuple[BoardRun, float]:
    """Return a run over a course, and the fastest that a belt truly ran [m/s]."""
    fastest = [0.0]
    link = LockstepLink(
        BOARDS[kind](seed=0), lambda step: fastest.append(max(map(abs, step.belt_speeds)))
    )
    return run_board(link, Scenario(course=course_name, speed=0.1)), max(fastest)


@pytest.mark.parametrize("course", ["behaviour-1-sharp", "behaviour-2"])
def test_both_drive_a_course_with_the_same_belts_to_the_same_place(course):
    (ours, our_peak), (chips, chips_peak) = (course_run(kind, course) for kind in BOARDS)
    assert ours.is_done
    assert chips.is_done
    assert our_peak == pytest.approx(chips_peak, abs=0.002)
    rows = min(len(ours.log), len(chips.log))
    x, y = (ours.log[name][:rows] - chips.log[name][:rows] for name in ("x", "y"))
    assert float(np.hypot(x, y).max()) < 0.005
    for side in ("left", "right"):
        mine, theirs = (run.log[f"board_speed.{side}"][:rows] for run in (ours, chips))
        assert abs(float(np.max(np.abs(mine))) - float(np.max(np.abs(theirs)))) < 0.002
        # A turn may begin a period earlier in one loop than in the other: how long each speed is
        # held is compared, not when. The mean distance of their distributions is 0.0006 m/s.
        shares = np.linspace(0.0, 1.0, 1001)
        apart = np.quantile(mine, shares) - np.quantile(theirs, shares)
        assert float(np.mean(np.abs(apart))) < 0.0015


def stepped(kind: str, mode: Mode) -> list[State]:
    """Return the state at the end of each step of a drive."""
    link = LockstepLink(BOARDS[kind](seed=0))
    bench, seen = Bench(link).arm(), []
    unit = 1e4 if mode == Mode.SPEED else 2e3
    for left, right in STEPS:
        end = link.now() + 0.5
        while link.now() < end:
            bench.line.pump(0.001)
            bench.talk.command_raw(round(left * unit), round(right * unit), 0.0, mode)
        seen.append(bench.state)
    link.close()
    return seen


@pytest.mark.parametrize("mode", [Mode.SPEED, Mode.DUTY])
def test_both_answer_steps_with_the_same_speeds_and_duties(mode):
    for ours, chips in zip(stepped("python", mode), stepped("firmware", mode), strict=True):
        assert ours.state == chips.state
        assert ours.setpoints == chips.setpoints
        assert ours.speeds == pytest.approx(chips.speeds, abs=0.003)
        assert (ours.duty_left, ours.duty_right) == pytest.approx(
            (chips.duty_left, chips.duty_right), abs=15
        )
