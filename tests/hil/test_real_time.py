"""Lines in real time: a terminal to the simulated chip, and the board in Python, paced."""

import os
import pty
import time

import pytest

from grouser import load_course, load_robot, make_model
from grouser.drivers import Constant, Sides
from grouser.errors import InvalidValue, LinkBroken
from grouser.hil.links import PacedLink, PtyLink
from grouser.hil.python_board import PythonBoard
from grouser.hil.run import BoardTask, Limits, drive_board
from grouser.hil.serial_port import SerialPort
from grouser.simulation.pace import Priority, realtime_priority

ROBOT = load_robot("tp100")
LOOSE = Limits(late_share=1.0, missing_share=1.0, rtt_p99=1.0, losses=1000)
"""A loaded machine says nothing about the program."""


def task(limit: float) -> BoardTask:
    # The longest lease: a machine that is busy elsewhere must not end the run.
    return BoardTask(
        robot=ROBOT,
        course=load_course("flat"),
        model=make_model("slip"),
        driver=Constant(ROBOT, Sides(left=0.1, right=0.1)),
        limit=limit,
        lease_ms=500,
    )


def test_the_real_firmware_drives_over_a_terminal_in_real_time():
    began = time.monotonic()
    with realtime_priority(Priority.PHYSICS):
        run = drive_board(PtyLink(seed=1), task(4.0), limits=LOOSE)
    assert run.report.states > 10
    assert run.report.damaged == 0
    if run.is_done:
        assert time.monotonic() - began > 4.0
        assert run.report.stopped_by == ""
        assert run.log["x"][-1] == pytest.approx(0.1 * 4.0 * 0.89, rel=0.15)
    else:  # a host that was kept waiting for half a second: then the board must have stopped
        assert run.report.stopped_by == "the board stopped: lease"


def test_the_board_in_python_keeps_step_with_the_wall_clock():
    with realtime_priority(Priority.PHYSICS):
        run = drive_board(PacedLink(PythonBoard()), task(1.0), limits=LOOSE)
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
    with pytest.raises(LinkBroken, match="gone"):
        port.receive(0.01)
    with pytest.raises(LinkBroken, match="gone"):
        port.send(b"\x00")
    port.close()


def test_a_port_that_does_not_exist_is_refused_in_a_sentence():
    with pytest.raises(LinkBroken, match="does not exist"):
        SerialPort("/dev/ttyNothing")


def test_a_real_board_takes_no_faults():
    master, slave = pty.openpty()
    port = SerialPort(os.ttyname(slave))
    with pytest.raises(InvalidValue, match="simulated board"):
        port.fault("imu off")
    port.close()
    os.close(master)
    os.close(slave)
