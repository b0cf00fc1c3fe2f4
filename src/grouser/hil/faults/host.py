"""Faults 18 to 22, 24 and 25: reaction of the host to a failing link, gaps and wrong clocks."""

import math
import os
import pty
import random
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np

from grouser.errors import LinkBroken
from grouser.hil.conversation import Conversation, LinkLost, StateArrived
from grouser.hil.faults.bench import BYTE_US, LINK_ID, Finding, after, fault_row
from grouser.hil.frames import FrameDecoder, encode_message
from grouser.hil.links import LockstepLink
from grouser.hil.loop import POLL_TIMEOUT
from grouser.hil.messages import Ping, Pong, State
from grouser.hil.run import BoardRun, Limits, run_board
from grouser.hil.serial_port import SerialPort
from grouser.hil.simulated_board import BUILD, SimulatedBoard
from grouser.hil.virtual_robot import VirtualRobot
from grouser.log import Log
from grouser.scenario import Scenario

PERIOD = 0.01
"""Period of the states [s]."""
SLOW_EVERY, SLOW_US = 10, 30_000
"""Every which command a slow host sends late, and by how much [1, us]."""


def _drive(link: LockstepLink, duration: float, limits: Limits | None = None) -> BoardRun:
    """Return a straight run at 0.1 m/s."""
    driver = "constant:left=0.1,right=0.1"
    scenario = Scenario(course="flat", model="ideal", driver=driver, stop=duration)
    return run_board(link, scenario, limits=limits)


def _connect(
    duration: float, image: Path | None = None, rate: int = 100
) -> tuple[LockstepLink, Conversation]:
    """Return a board that has been connected for this time [s]."""
    link, conversation = LockstepLink(SimulatedBoard(image)), Conversation(LINK_ID, rate=rate)
    conversation.open(link.now())
    _exchange_until(link, conversation, duration)
    return link, conversation


def _exchange_until(link: LockstepLink, conversation: Conversation, end: float) -> None:
    while link.now() < end:
        link.send(conversation.take_outgoing())
        data = link.receive(0.002)
        conversation.tick(link.now())
        conversation.receive(data, link.now())


class VanishingLink(LockstepLink):
    """A board that is disconnected at `gone_at` [s]; or a reader that does not raise then."""

    def __init__(self, gone_at: float, *, hides: bool) -> None:
        super().__init__(SimulatedBoard())
        self._gone_at, self._hides = gone_at, hides
        self.raised_at = float("inf")

    def receive(self, timeout: float) -> bytes:
        """Raise once the board is disconnected, as a serial port does."""
        data = super().receive(timeout)
        if self.now() < self._gone_at:
            return data
        if self._hides:
            return b""
        self.raised_at = min(self.raised_at, self.now())
        raise LinkBroken(self.name, "the board is disconnected")


@fault_row(
    18, "device vanishes", "link raises, run invalid, virtual robot stands", "≤ 50 ms", "detection"
)
def vanish(without: str) -> Finding:
    """Disconnect a board: when does its port raise, and is the run invalid?"""
    reads = _count_reads_of_a_closed_port()
    gone_at = 0.8037
    link = VanishingLink(gone_at, hides=without == "detection")
    run = _drive(link, 3.0)
    late_ms = 1e3 * (link.raised_at - gone_at) + 1e3 * POLL_TIMEOUT * (reads - 1)
    held = run.log.duration <= gone_at + PERIOD
    kept = late_ms <= 50.0 and not run.report.is_valid and held
    words = f"raised {after(late_ms)}, run {'valid' if run.report.is_valid else 'invalid'}, "
    words += f"virtual robot {'stands' if held else 'moves'}"
    return Finding(kept, words, {"raised_ms": late_ms, "valid": run.report.is_valid})


def _count_reads_of_a_closed_port() -> int:
    """Return which read of a serial port raises after its other end was closed."""
    master, slave = pty.openpty()
    with closing(SerialPort(os.ttyname(slave), boot_wait=0.0)) as port:
        os.close(slave)
        port.receive(POLL_TIMEOUT)
        os.close(master)
        for read in range(1, 100):
            try:
                port.receive(POLL_TIMEOUT)
            except LinkBroken:
                return read
        return 100


@fault_row(19, "device mute", "LINK_LOST", "3 periods + 1 ms", "silence-watch")
def mute_board(without: str) -> Finding:
    """Lose all bytes of the board."""
    link, conversation = _connect(1.2)
    received = lost = float("inf")
    with closing(link):
        while received > link.now():  # mute the board after its first state
            data = link.receive(0.001)
            if any(
                isinstance(event, StateArrived) for event in conversation.receive(data, link.now())
            ):
                received = link.now()
                link.fault("link mute")
        while link.now() - received < 0.5 and lost > 0.5:
            link.receive(0.001)
            events = [] if without == "silence-watch" else conversation.tick(link.now())
            if any(isinstance(event, LinkLost) for event in events):
                lost = link.now() - received
    kept = lost <= 3 * PERIOD + 0.0011
    words = f"lost {after(1e3 * lost, 0)}"
    return Finding(kept, words, {"lost_ms": 1e3 * lost})


@fault_row(20, "stale queue after a stall", "newest only", "age ≤ 2 periods", "draining")
def drain_queue(without: str) -> Finding:
    """Do not read for 300 ms, then read once."""
    link, conversation = _connect(1.2)
    with closing(link):
        offset = conversation.clock.offset(link.now())
        queued = link.step(300_000).sent
        if without == "draining":
            messages = FrameDecoder().feed(b"\x00" + queued)
            oldest = next(message for message in messages if isinstance(message, State))
            taken, skipped = oldest.t_us * 1e-6, 0
        else:
            (arrived,) = (
                event
                for event in conversation.receive(queued, link.now())
                if isinstance(event, StateArrived)
            )
            taken, skipped = arrived.time, arrived.skipped
        age = link.now() + offset - taken
    words = f"state of {1e3 * age:.1f} ms ago taken, {skipped} older skipped"
    return Finding(age <= 2 * PERIOD, words, {"age_ms": 1e3 * age, "skipped": skipped})


@fault_row(25, "two programs open the port", "second fails", "always", "exclusive-open")
def open_twice(without: str) -> Finding:
    """Open a port that is open already, twenty times."""
    master, slave = pty.openpty()
    name = os.ttyname(slave)
    with closing(SerialPort(name, boot_wait=0.0)):
        exclusive = without != "exclusive-open"
        refused = sum(_fails_to_open(name, exclusive=exclusive) for _ in range(20))
    os.close(slave)
    os.close(master)
    return Finding(refused == 20, f"{refused} of 20 failed", {"refused": refused})


def _fails_to_open(name: str, *, exclusive: bool) -> bool:
    try:
        if exclusive:
            SerialPort(name, boot_wait=0.0).close()
        else:
            with Path(name).open("rb", buffering=0):
                pass
    except (LinkBroken, OSError):
        return True
    return False


@fault_row(
    21,
    "STATE gaps",
    "dt from `t_us`",
    "within one period's motion of the lossless run",
    "device-time",
)
def drop_states(without: str) -> Finding:
    """Drop three states of ten, and ten in a row; compare the paths of the virtual robot."""
    arrived = _record_states()
    chance = random.Random(1)
    kept = [
        state
        for index, state in enumerate(arrived)
        if index in (0, len(arrived) - 1) or (chance.random() > 0.3 and not 200 <= index < 210)
    ]
    if without == "device-time":
        kept = [replace(state, time=index * PERIOD) for index, state in enumerate(kept)]
    gap = _largest_gap(_follow(arrived), _follow(kept))
    allowed = PERIOD * max(abs(speed) for state in arrived for speed in state.state.speeds)
    words = f"{1e3 * gap:.2f} mm apart, one period's motion is {1e3 * allowed:.2f} mm"
    words += f" ({len(arrived) - len(kept)} of {len(arrived)} states dropped)"
    return Finding(gap <= allowed, words, {"gap_mm": 1e3 * gap, "allowed_mm": 1e3 * allowed})


def _record_states() -> list[StateArrived]:
    arrived: list[StateArrived] = []
    driver = "sine:left=0.1,right=0.1,turning=0.05,period=2"
    run_board(
        LockstepLink(SimulatedBoard()),
        Scenario(course="flat", driver=driver, stop=4.0),
        observe=lambda snapshot: arrived.append(snapshot.arrived),
    )
    return arrived


def _follow(arrived: list[StateArrived]) -> Log:
    simulation = Scenario(course="flat", tick=PERIOD).start()
    robot = VirtualRobot(simulation, 360)
    for state in arrived:
        robot.follow(state)
    return simulation.log()


def _largest_gap(one: Log, other: Log) -> float:
    """Return the largest distance of two paths, tick by tick and at their ends [m]."""
    common = min(len(one), len(other))
    gaps = [(one[n][:common] - other[n][:common], one[n][-1] - other[n][-1]) for n in ("x", "y")]
    along = np.hypot(gaps[0][0], gaps[1][0])
    return float(max(along.max(), math.hypot(gaps[0][1], gaps[1][1])))


@fault_row(
    22,
    "clock drift 1 %, 71.6 min wrap",
    "tracked",
    "offset error ≤ 1 ms after 10 s",
    "clock-tracking",
)
def drift_clock(without: str) -> Finding:
    """Let the board's clock run 1 % fast, and 1 % slow while its counter wraps."""
    figures = {
        "fast_ms": 1e3 * _clock_error(None, 10_000, without),
        "wrap_ms": 1e3 * _clock_error(BUILD / "mutants" / "clock-near-wrap.elf", -10_000, without),
    }
    kept = max(figures.values()) <= 1.0
    words = f"offset off by {figures['fast_ms']:.3f} ms at +1 %"
    words += f", {figures['wrap_ms']:.3f} ms at −1 % over the wrap"
    return Finding(kept, words, figures)


def _clock_error(image: Path | None, ppm: int, without: str) -> float:
    """Return the largest error of the offset from 10 to 12 s after a change of rate [s]."""
    link, conversation = _connect(2.0, image, rate=10)
    with closing(link):
        first = conversation.clock.offset(link.now())
        link.fault(f"clock {ppm}")
        worst = 0.0
        for second in (12.0, 13.0, 14.0):
            _exchange_until(link, conversation, second)
            now, true = _true_offset(link)
            estimated = first if without == "clock-tracking" else conversation.clock.offset(now)
            worst = max(worst, abs(estimated - true))
        return worst


def _true_offset(link: LockstepLink) -> tuple[float, float]:
    """Return a time of the host and the board's offset then, by a ping of known delay [s]."""
    frame = encode_message(Ping(60_000, 0))
    received = link.now() + len(frame) * BYTE_US * 1e-6
    link.send(frame)
    decoder, pongs = FrameDecoder(), []
    decoder.feed(b"\x00")
    while not pongs:
        pongs = [
            message
            for message in decoder.feed(link.step(1000).sent)
            if isinstance(message, Pong) and message.seq == 60_000
        ]
    t_us = pongs[0].t_rx_us
    wraps = 1 if t_us < 1 << 31 and "wrap" in link.name else 0
    return received, (t_us + (wraps << 32)) * 1e-6 - received


class SlowLink(LockstepLink):
    """A host that sends each `every`-th command three periods late; none if 0."""

    def __init__(self, *, every: int) -> None:
        super().__init__(SimulatedBoard())
        self._every, self._answers, self._waiting = every, 0, b""
        self.slow = 0
        """How often it was late."""

    def send(self, data: bytes) -> None:
        """Send, late if it is due."""
        self._answers += 1
        if self._every and self._answers % self._every == 0:
            self.slow += 1
            self._waiting += self.step(SLOW_US).sent
        super().send(data)

    def receive(self, timeout: float) -> bytes:
        """Return what came while it was late, or else wait."""
        data, self._waiting = self._waiting, b""
        return data or super().receive(timeout)


@fault_row(
    24,
    "slow host (1 in 10 periods takes 30 ms)",
    "counted, flagged above 1 %",
    "exact",
    "late-limit",
)
def respond_slowly(without: str) -> Finding:
    """Send one command in ten 30 ms late."""
    limits = Limits(late_share=1.0, losses=10**6) if without == "late-limit" else None
    quick = _drive(SlowLink(every=0), 2.0, limits).report
    link = SlowLink(every=SLOW_EVERY)
    report = _drive(link, 2.0, limits).report
    expected = 3 * link.slow
    flagged = any("late" in problem for problem in report.problems)
    kept = report.late == expected and flagged and quick.late == 0 and quick.is_valid
    words = f"{report.late} late counted, {expected} made; run "
    words += f"{'valid' if report.is_valid else 'invalid'}, without slowness {quick.late}"
    return Finding(kept, words, {"late": report.late, "made_late": expected, "flagged": flagged})
