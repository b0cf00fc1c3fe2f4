"""Rows 21, 22 and 24: time on the board, time on the host, and a host that has none."""

import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np

from grouser.description import load_course, load_robot
from grouser.drivers import Constant, Sides, Wave
from grouser.hil.conversation import Conversation, StateArrived
from grouser.hil.faults.bench import BYTE_US, LINK_ID, FaultRow, Finding
from grouser.hil.frames import FrameDecoder, encode_message
from grouser.hil.links import LockstepLink
from grouser.hil.messages import Ping, Pong
from grouser.hil.run import BoardTask, Limits, drive_board
from grouser.hil.simulated_board import BUILD, SimulatedBoard
from grouser.hil.virtual_robot import VirtualWorld
from grouser.log import Log
from grouser.models import make_model
from grouser.simulation import Simulation

PERIOD = 0.01
"""Time between two states [s]."""
SLOW_EVERY, SLOW_US = 10, 30_000
"""How often a slow host is slow, and for how long [1, us]."""


def drop_states(without: str) -> Finding:
    """Leave out three states of ten, and ten in a row; compare the virtual robot's way."""
    arrived = _record_states()
    whole = _follow(arrived)
    chance = random.Random(1)
    kept_states = [
        state
        for index, state in enumerate(arrived)
        if index in (0, len(arrived) - 1) or (chance.random() > 0.3 and not 200 <= index < 210)
    ]
    if without == "device-time":
        kept_states = [
            replace(state, time=index * PERIOD) for index, state in enumerate(kept_states)
        ]
    holey = _follow(kept_states)
    gap = _largest_gap(whole, holey)
    allowed = PERIOD * max(abs(speed) for state in arrived for speed in state.state.speeds)
    words = f"{1e3 * gap:.2f} mm apart, one period's motion is {1e3 * allowed:.2f} mm"
    words += f" ({len(arrived) - len(kept_states)} of {len(arrived)} states left out)"
    return Finding(gap <= allowed, words, {"gap_mm": 1e3 * gap, "allowed_mm": 1e3 * allowed})


def _record_states() -> list[StateArrived]:
    """Return the states of a drive with bends, none missing."""
    arrived: list[StateArrived] = []
    robot = load_robot("tp100")
    drive_board(
        LockstepLink(SimulatedBoard()),
        BoardTask(
            robot=robot,
            course=load_course("flat"),
            model=make_model("slip"),
            driver=Wave(robot, Sides(left=0.1, right=0.1), Sides(left=-0.05, right=0.05), 2.0),
            limit=4.0,
        ),
        observe=lambda moment: arrived.append(moment.arrived),
    )
    return arrived


def _follow(arrived: list[StateArrived]) -> Log:
    simulation = Simulation(make_model("slip"), load_robot("tp100"), load_course("flat"), dt=PERIOD)
    world = VirtualWorld(simulation, 360)
    for state in arrived:
        world.follow(state)
    return simulation.log()


def _largest_gap(one: Log, other: Log) -> float:
    """Return how far two ways are apart at most, tick by tick and at their ends [m]."""
    common = min(len(one), len(other))
    gaps = [(one[n][:common] - other[n][:common], one[n][-1] - other[n][-1]) for n in ("x", "y")]
    along = np.hypot(gaps[0][0], gaps[1][0])
    return float(max(along.max(), math.hypot(gaps[0][1], gaps[1][1])))


def drift_clock(without: str) -> Finding:
    """Let the board's clock run 1 % fast, and 1 % slow while it wraps."""
    figures = {
        "fast_ms": 1e3 * _clock_error(None, 10_000, without),
        "wrap_ms": 1e3 * _clock_error(BUILD / "mutants" / "clock-near-wrap.elf", -10_000, without),
    }
    kept = max(figures.values()) <= 1.0
    words = f"offset off by {figures['fast_ms']:.3f} ms at +1 %"
    words += f", {figures['wrap_ms']:.3f} ms at −1 % over the wrap"
    return Finding(kept, words, figures)


def _clock_error(image: Path | None, ppm: int, without: str) -> float:
    """Return the largest error of the offset from 10 to 12 s after a clock began to drift [s]."""
    link, talk = LockstepLink(SimulatedBoard(image)), Conversation(LINK_ID, rate_hz=10)
    try:
        talk.open(link.now())
        _talk_until(link, talk, 2.0)
        first = talk.clock.offset(link.now())
        link.fault(f"clock {ppm}")
        worst = 0.0
        for second in (12.0, 13.0, 14.0):
            _talk_until(link, talk, second)
            now, true = _true_offset(link)
            believed = first if without == "clock-tracking" else talk.clock.offset(now)
            worst = max(worst, abs(believed - true))
        return worst
    finally:
        link.close()


def _talk_until(link: LockstepLink, talk: Conversation, end: float) -> None:
    while link.now() < end:
        link.send(talk.take())
        data = link.receive(0.002)
        talk.tick(link.now())
        talk.receive(data, link.now())


def _true_offset(link: LockstepLink) -> tuple[float, float]:
    """Return a host time and the board's clock less it, by a ping whose way is known [s]."""
    frame = encode_message(Ping(60_000, 0))
    came = link.now() + len(frame) * BYTE_US * 1e-6
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
    return came, (t_us + (wraps << 32)) * 1e-6 - came


class SlowLink(LockstepLink):
    """A host that thinks for three periods before it says what it has to say, now and then."""

    def __init__(self, *, every: int) -> None:
        super().__init__(SimulatedBoard())
        self._every, self._answers, self._waiting = every, 0, bytearray()
        self.slow = 0
        """How often it was slow."""

    def send(self, data: bytes) -> None:
        """Send, perhaps late."""
        self._answers += 1
        if self._every and self._answers % self._every == 0:
            self.slow += 1
            self._waiting += self.step(SLOW_US).sent
        super().send(data)

    def receive(self, patience: float) -> bytes:
        """Return what has come meanwhile, or else wait."""
        if self._waiting:
            data = bytes(self._waiting)
            self._waiting.clear()
            return data
        return super().receive(patience)


def think_slowly(without: str) -> Finding:
    """Take 30 ms for one answer in ten."""
    limits = Limits(late_share=1.0, losses=10**6) if without == "late-limit" else None
    robot = load_robot("tp100")
    task = BoardTask(
        robot=robot,
        course=load_course("flat"),
        model=make_model("ideal"),
        driver=Constant(robot, Sides(left=0.1, right=0.1)),
        limit=2.0,
    )
    quick = drive_board(SlowLink(every=0), task, limits=limits).report
    link = SlowLink(every=SLOW_EVERY)
    report = drive_board(link, task, limits=limits).report
    expected = 3 * link.slow
    told = any("late" in problem for problem in report.problems)
    kept = report.late == expected and told and quick.late == 0 and quick.is_valid
    words = f"{report.late} late counted, {expected} made; run "
    words += f"{'valid' if report.is_valid else 'invalid'}, without slowness {quick.late}"
    return Finding(kept, words, {"late": report.late, "made_late": expected, "flagged": told})


ROWS = (
    FaultRow(
        number=21,
        fault="STATE gaps",
        behaviour="dt from `t_us`",
        promise="within one period's motion of the lossless run",
        check=drop_states,
        twins=("device-time",),
    ),
    FaultRow(
        number=22,
        fault="clock drift 1 %, 71.6 min wrap",
        behaviour="tracked",
        promise="offset error ≤ 1 ms after 10 s",
        check=drift_clock,
        twins=("clock-tracking",),
    ),
    FaultRow(
        number=24,
        fault="slow host (1 in 10 periods takes 30 ms)",
        behaviour="counted, flagged above 1 %",
        promise="exact",
        check=think_slowly,
        twins=("late-limit",),
    ),
)
"""What is promised of clocks."""
