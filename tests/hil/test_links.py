"""Lines in real time: a terminal to the simulated chip, and the board in Python, paced."""

import os
import pty
import time

import pytest

from grouser import Scenario
from grouser.errors import InvalidValue, LinkBroken
from grouser.hil.connection import Link
from grouser.hil.links import PacedLink, PtyLink, SocketLink, open_link
from grouser.hil.options import BoardOptions
from grouser.hil.python_board import PythonBoard
from grouser.hil.run import BoardRun, Limits, run_board
from grouser.hil.serial_port import SerialPort
from grouser.simulation.pace import Priority, realtime_priority

LOOSE = Limits(late_share=1.0, missing_share=1.0, rtt_p99=1.0, losses=1000)
"""A loaded machine says nothing about the program."""


def drive(link: Link, seconds: float) -> BoardRun:
    # The longest command timeout: a busy machine must not end the run.
    scenario = Scenario(course="flat", driver="constant:left=0.1,right=0.1", stop=seconds)
    return run_board(link, scenario, BoardOptions(command_timeout=0.5), limits=LOOSE)


@pytest.mark.parametrize("make", [PtyLink, SocketLink])
def test_the_real_firmware_drives_over_a_terminal_or_a_socket_in_real_time(make):
    began = time.monotonic()
    with realtime_priority(Priority.PHYSICS):
        run = drive(make(seed=1), 4.0)
    assert run.report.states > 10
    assert run.report.damaged == 0
    if run.is_done:
        assert time.monotonic() - began > 4.0
        assert run.report.stopped_by == ""
        assert run.log["x"][-1] == pytest.approx(0.1 * 4.0 * 0.89, rel=0.15)
    else:  # a host that was kept waiting for half a second: then the board must have stopped
        assert run.report.stopped_by == "the board stopped: command timeout"


def test_the_board_in_python_keeps_step_with_the_wall_clock():
    with realtime_priority(Priority.PHYSICS):
        run = drive(PacedLink(PythonBoard()), 1.0)
    assert run.is_done
    assert run.log["x"][-1] > 0.03


def test_a_paced_board_catches_up_after_the_host_slept():
    now = 0.0

    def sleep(duration: float) -> None:
        nonlocal now
        now += duration

    link = PacedLink(PythonBoard(), now=lambda: now, sleep=sleep)
    assert link.receive(0.05)  # BOOT
    now += 1.0
    link.receive(0.0)
    assert link._passed_us == pytest.approx(now * 1e6, abs=1000)


def test_a_second_program_cannot_open_the_port():
    link = PtyLink()
    try:
        with pytest.raises(LinkBroken, match="another program has it open"):
            SerialPort(link.path)
    finally:
        link.close()


def test_a_board_that_vanishes_is_noticed_at_once():
    master, slave = pty.openpty()
    port = SerialPort(os.ttyname(slave), boot_wait=0.0)
    os.close(slave)
    os.close(master)
    with pytest.raises(LinkBroken, match="disconnected"):
        port.receive(0.01)
    with pytest.raises(LinkBroken, match="disconnected"):
        port.send(b"\x00")
    port.close()


def test_a_port_that_does_not_exist_is_refused_in_a_sentence():
    with pytest.raises(LinkBroken, match="does not exist"):
        SerialPort("/dev/ttyNothing")


@pytest.mark.parametrize("name", ["/dev/null", "/tmp", __file__])
def test_what_is_no_serial_port_is_refused_in_a_sentence(name):
    with pytest.raises(LinkBroken, match="is not a serial port; a board is at one such as"):
        SerialPort(name)


def test_a_real_board_takes_no_faults():
    master, slave = pty.openpty()
    port = SerialPort(os.ttyname(slave))
    with pytest.raises(InvalidValue, match="simulated board"):
        port.fault("imu off")
    port.close()
    os.close(master)
    os.close(slave)


def read_all(link: Link) -> None:
    """Read until something is raised: what was sent before the end comes first."""
    for _ in range(100):
        link.receive(0.1)


def test_a_board_behind_a_socket_has_faults_and_its_end_is_noticed():
    link = SocketLink()
    assert link.receive(1.0)  # BOOT
    link.fault("imu off")
    with pytest.raises(InvalidValue, match="imu takes on or off"):
        link.fault("imu maybe")
    link._process.close()
    with pytest.raises(LinkBroken, match="the board is disconnected"):
        read_all(link)
    link.close()
    with pytest.raises(LinkBroken, match="the board is disconnected"):
        link.send(b"\x00")


@pytest.mark.parametrize(
    ("board", "kind"), [("sim", SocketLink), ("pty", PtyLink), ("python", PacedLink)]
)
def test_boards_in_real_time_have_names(board, kind):
    link = open_link(None, board, lockstep=False, seed=0)
    assert isinstance(link, kind)
    link.close()
