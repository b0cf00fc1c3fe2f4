"""A network between the stand-in and the lock step, with a clock of its own.

Datagrams take 0.1 ms, and are lost, doubled or held back by chance. ArduPilot's waits of a second
pass at once, so that minutes of lock step take seconds.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from grouser.plugs.ardupilot import LockStep
from tests.plugs.ardupilot.stand_in import RESEND_AFTER, SquareDriver, StandIn

FLIGHT = 1e-4
"""Time of a datagram on its way [s]."""
WORK = 2e-4
"""Time of a step of the simulation [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather:
    """What happens to datagrams, both ways."""

    loss: float = 0.0
    """Share that is lost [1]."""
    frame_copies: float = 0.0
    """Share of frames that come twice [1]."""
    reply_copies: float = 0.0
    """Share of replies that come twice [1]."""
    held: float = 0.0
    """Share that is held back [1]."""
    longest_frame_hold: float = 1.2
    """Longest time for which a frame is held back, or its copy [s]."""
    longest_reply_hold: float = 0.01
    """Longest time for which a reply is held back, or its copy [s]."""


@dataclass
class Network:
    """Carries datagrams between a stand-in, which may start anew, and the lock step."""

    lock_step: LockStep
    make_stand_in: Callable[[], StandIn]
    weather: Weather
    generator: np.random.Generator
    make_driver: Callable[[], SquareDriver] = lambda: SquareDriver(side=1.0)
    now: float = 0.0
    """Time of the world around both [s]."""
    lost: int = 0
    """Datagrams that were lost, both ways."""
    copied: int = 0
    """Datagrams that came twice."""
    reordered: int = 0
    """Datagrams that came after a later one."""
    resent: int = 0
    """Frames that the stand-in sent again."""
    _events: list = field(default_factory=list)
    _order: count = field(default_factory=count)

    def __post_init__(self) -> None:
        self.port = 40000
        self._busy_until = 0.0
        self._newest = {True: -1, False: -1}
        self._begin()

    def _begin(self) -> None:
        self.stand_in, self.driver = self.make_stand_in(), self.make_driver()
        self._deadline = self.now + RESEND_AFTER
        self._put(self.stand_in.output_servos(), is_frame=True)

    def restart(self, pause: float = 4.0) -> None:
        """Let ArduPilot end, and start anew from another port after a pause [s]."""
        self.port += 1
        until, self._deadline = self.now + pause, float("inf")
        while self._events and self._events[0][0] < until:
            self.advance()
        self.now = until
        self._begin()

    def _put(self, data: bytes, *, is_frame: bool, port: int | None = None) -> None:
        draws, weather = self.generator.random(4), self.weather
        if draws[0] < weather.loss:
            self.lost += 1
            return
        longest = weather.longest_frame_hold if is_frame else weather.longest_reply_hold
        chance = weather.frame_copies if is_frame else weather.reply_copies
        held = longest * draws[2] if draws[1] < weather.held else 0.0
        copies = 2 if draws[3] < chance else 1
        self.copied += copies - 1
        number = next(self._order)
        for copy in range(copies):
            at = self.now + FLIGHT + held + copy * longest * self.generator.random()
            event = at, next(self._order), is_frame, port or self.port, data, number
            heapq.heappush(self._events, event)

    def advance(self) -> None:
        """Deliver the next datagram, or let the stand-in's wait end."""
        if not self._events or self._events[0][0] > self._deadline:
            self.now = max(self.now, self._deadline)
            self._deadline = self.now + RESEND_AFTER
            self.resent += 1
            self._put(self.stand_in.output_servos(), is_frame=True)
            return
        at, _, is_frame, port, data, number = heapq.heappop(self._events)
        self.now = max(self.now, at)
        self.reordered += number < self._newest[is_frame]
        self._newest[is_frame] = max(number, self._newest[is_frame])
        if is_frame:
            self.lock_step.take(data, ("127.0.0.1", port), self.now)
            self._step()
        elif port == self.port:
            self.stand_in.receive(data)
            self.driver.drive(self.stand_in)
            self._deadline = self.now + RESEND_AFTER
            self._put(self.stand_in.output_servos(), is_frame=True)

    def _step(self) -> None:
        """Let the simulation work, take the frames that came meanwhile, and send its reply."""
        self.lock_step.step()
        self.now += WORK
        while self._events and self._events[0][0] <= self.now and self._events[0][2]:
            _, _, _, port, data, number = heapq.heappop(self._events)
            self.reordered += number < self._newest[True]
            self._newest[True] = max(number, self._newest[True])
            self.lock_step.take(data, ("127.0.0.1", port), self.now)
        found = self.lock_step.reply(self.now)
        if found is not None:
            self._put(found[0], is_frame=False, port=found[1][1])
