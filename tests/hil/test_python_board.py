"""The board in Python: what it does is what the protocol says."""

import pytest

from grouser.errors import InvalidValue
from grouser.hil.conversation import Booted, Connected, LinkLost
from grouser.hil.messages import BoardState, Fault, ResetCause
from grouser.hil.python_board import PythonBoard
from grouser.hil.python_vehicle import LAG_MS


def test_counts_are_the_travel_of_the_belt(bench):
    bench.drive(3.0)
    travel = bench.state.encoder_left * 2.0 * 3.141592653589793 * 0.024 / 360.0
    assert travel == pytest.approx(0.1 * (3.0 - LAG_MS * 1e-3), rel=0.01)


def test_without_a_command_the_lease_runs_out(bench):
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
