"""Rows 18, 19, 20 and 25: what the host makes of a line that goes, falls silent or is shared."""

import os
import pty
from pathlib import Path

from grouser.description import load_course, load_robot
from grouser.drivers import Constant, Sides
from grouser.errors import LinkBroken
from grouser.hil.conversation import Conversation, LinkLost, StateArrived
from grouser.hil.faults.bench import LINK_ID, FaultRow, Finding, after
from grouser.hil.frames import FrameDecoder
from grouser.hil.links import LockstepLink
from grouser.hil.loop import PATIENCE
from grouser.hil.messages import State
from grouser.hil.run import BoardTask, drive_board
from grouser.hil.serial_port import SerialPort
from grouser.hil.simulated_board import SimulatedBoard
from grouser.models import make_model

PERIOD = 0.01
"""Time between two states [s]."""


class VanishingLink(LockstepLink):
    """A board that is torn off at a certain time; or a reader that hides it."""

    def __init__(self, gone_at: float, *, hides: bool) -> None:
        super().__init__(SimulatedBoard())
        self._gone_at, self._hides = gone_at, hides
        self.raised_at = float("inf")

    def receive(self, patience: float) -> bytes:
        """Raise once the board is gone, as a serial port does."""
        data = super().receive(patience)
        if self.now() < self._gone_at:
            return data
        if self._hides:
            return b""
        self.raised_at = min(self.raised_at, self.now())
        raise LinkBroken(self.name, "the board is gone")


def vanish(without: str) -> Finding:
    """Tear a board off: does its port say so at the next look, and what does the run say?"""
    looks = _count_looks_at_a_dead_port()
    gone_at = 0.8037
    link = VanishingLink(gone_at, hides=without == "detection")
    run = drive_board(link, _task(limit=3.0))
    late_ms = 1e3 * (link.raised_at - gone_at) + 1e3 * PATIENCE * (looks - 1)
    held = run.log.duration <= gone_at + PERIOD
    kept = late_ms <= 50.0 and not run.report.is_valid and held
    words = f"raised {after(late_ms)}, run "
    words += (
        f"{'counts' if run.report.is_valid else 'invalid'}, world {'held' if held else 'moves'}"
    )
    return Finding(kept, words, {"raised_ms": late_ms, "valid": run.report.is_valid})


def _count_looks_at_a_dead_port() -> int:
    """Return at which look a serial port raises after its other end was closed."""
    master, slave = pty.openpty()
    port = SerialPort(os.ttyname(slave), boot_wait=0.0)
    os.close(slave)
    try:
        port.receive(PATIENCE)
        os.close(master)
        for look in range(1, 100):
            try:
                port.receive(PATIENCE)
            except LinkBroken:
                return look
        return 100
    finally:
        port.close()


def fall_silent(without: str) -> Finding:
    """Let the board speak and nobody hear it."""
    link, talk = _connect()
    heard = lost = float("inf")
    try:
        while heard > link.now():  # until a state comes, and none after it
            data = link.receive(0.001)
            if any(isinstance(event, StateArrived) for event in talk.receive(data, link.now())):
                heard = link.now()
                link.fault("link mute")
        while link.now() - heard < 0.5 and lost > 0.5:
            link.receive(0.001)
            events = [] if without == "silence-watch" else talk.tick(link.now())
            if any(isinstance(event, LinkLost) for event in events):
                lost = link.now() - heard
    finally:
        link.close()
    kept = lost <= 3 * PERIOD + 0.0011
    words = f"lost {after(1e3 * lost, 0)}"
    return Finding(kept, words, {"lost_ms": 1e3 * lost})


def drain_queue(without: str) -> Finding:
    """Do not look for 300 ms, then look once."""
    link, talk = _connect()
    try:
        offset = talk.clock.offset(link.now())
        waiting = link.step(300_000).sent
        if without == "draining":
            messages = FrameDecoder().feed(b"\x00" + waiting)
            oldest = next(message for message in messages if isinstance(message, State))
            taken, skipped = oldest.t_us * 1e-6, 0
        else:
            (arrived,) = (
                event
                for event in talk.receive(waiting, link.now())
                if isinstance(event, StateArrived)
            )
            taken, skipped = arrived.time, arrived.skipped
        age = link.now() + offset - taken
    finally:
        link.close()
    words = f"state of {1e3 * age:.1f} ms ago taken, {skipped} older passed over"
    return Finding(age <= 2 * PERIOD, words, {"age_ms": 1e3 * age, "skipped": skipped})


def open_twice(without: str) -> Finding:
    """Open a port that is open, twenty times."""
    master, slave = pty.openpty()
    name = os.ttyname(slave)
    first = SerialPort(name, boot_wait=0.0)
    refused = 0
    try:
        for _ in range(20):
            refused += _is_refused(name, asks=without != "exclusive-open")
    finally:
        first.close()
        os.close(slave)
        os.close(master)
    return Finding(refused == 20, f"{refused} of 20 refused", {"refused": refused})


def _is_refused(name: str, *, asks: bool) -> bool:
    """Return whether a port refuses to be opened, by a program that asks for it alone or not."""
    try:
        if asks:
            SerialPort(name, boot_wait=0.0).close()
        else:
            with Path(name).open("rb", buffering=0):
                pass
    except (LinkBroken, OSError):
        return True
    return False


def _task(*, limit: float) -> BoardTask:
    robot = load_robot("tp100")
    return BoardTask(
        robot=robot,
        course=load_course("flat"),
        model=make_model("ideal"),
        driver=Constant(robot, Sides(left=0.1, right=0.1)),
        limit=limit,
    )


def _connect() -> tuple[LockstepLink, Conversation]:
    """Return a board that has been talked to for a second."""
    link, talk = LockstepLink(SimulatedBoard()), Conversation(LINK_ID)
    talk.open(link.now())
    while link.now() < 1.2:
        link.send(talk.take())
        data = link.receive(0.002)
        talk.tick(link.now())
        talk.receive(data, link.now())
    return link, talk


ROWS = (
    FaultRow(
        number=18,
        fault="device vanishes",
        behaviour="link raises, run invalid, world held",
        promise="≤ 50 ms",
        check=vanish,
        twins=("detection",),
    ),
    FaultRow(
        number=19,
        fault="device mute",
        behaviour="LINK_LOST",
        promise="3 periods + 1 ms",
        check=fall_silent,
        twins=("silence-watch",),
    ),
    FaultRow(
        number=20,
        fault="stale queue after a stall",
        behaviour="newest only",
        promise="age ≤ 2 periods",
        check=drain_queue,
        twins=("draining",),
    ),
    FaultRow(
        number=25,
        fault="two programs open the port",
        behaviour="second refused",
        promise="always",
        check=open_twice,
        twins=("exclusive-open",),
    ),
)
"""What is promised of a host whose line fails."""
