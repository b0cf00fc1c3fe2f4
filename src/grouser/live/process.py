"""Physics in a process of its own, so that nobody who looks at it can slow it down.

The child process advances a `LiveSimulation` in real time and sends a frame after each tick.
Commands travel the other way: of those that come faster than ticks only the newest is sent.
"""

import contextlib
import math
import multiprocessing
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from grouser.errors import GrouserError
from grouser.live.live_simulation import Frame
from grouser.live.physics_server import (
    QUEUE,
    Answer,
    Options,
    PhysicsCounts,
    Started,
    serve,
)
from grouser.scenario import Scenario

STARTING = 300.0
"""Longest time to load and compile a scenario [s]."""
ANSWERING = 60.0
"""Longest time for the answer to a request [s]."""


class PhysicsProcess:
    """A live simulation in a child process. Any thread may receive, command and request."""

    def __init__(self, scenario: Scenario, options: Options | None = None) -> None:
        """Start the process, and wait until the scenario is loaded.

        Raises:
            GrouserError: The scenario cannot be loaded.
        """
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        options = options or Options()
        self._process = context.Process(
            target=serve, args=(other, scenario.content(), options), name="physics", daemon=True
        )
        self._process.start()
        other.close()
        self._sending, self._numbers = threading.Lock(), count()
        self._pending: dict[str, tuple[Any, ...]] = {}
        self._sent_at = -math.inf
        self._changed = threading.Condition()
        self._frames: deque[Frame] = deque(maxlen=QUEUE)
        self._warnings: deque[str] = deque(maxlen=QUEUE)
        self._answers: dict[int, str | None] = {}
        self._problem = ""
        self.counts = PhysicsCounts()
        """Work of the process, about once a second."""
        self.started = Started(scenario={}, tick=0.01, declarations={}, columns={})
        """What is simulated now."""
        threading.Thread(target=self._read, name="frames", daemon=True).start()
        try:
            self._wait(lambda: bool(self.started.scenario), STARTING, "start")
        except GrouserError:
            self._process.join()
            raise

    def receive(self, timeout: float = 1.0) -> Frame | None:
        """Return the next frame; None if none came in time.

        Raises:
            GrouserError: The process has ended.
        """
        self._flush()
        with self._changed:
            self._changed.wait_for(lambda: self._frames or self._problem, timeout)
            if self._frames:
                return self._frames.popleft()
            if self._problem:
                raise GrouserError(self._problem)
        return None

    def warnings(self) -> list[str]:
        """Return the sentences about invalid commands since the last call."""
        with self._changed:
            found = list(self._warnings)
            self._warnings.clear()
        return found

    def offer_twist(self, forward: float, yaw_rate: float) -> None:
        """Drive at a forward speed [m/s] and a yaw rate [rad/s]."""
        self._offer("belts", ("offer_twist", float(forward), float(yaw_rate)))

    def offer_belts(self, left: float, right: float) -> None:
        """Run the belts of each side at a speed [m/s]."""
        self._offer("belts", ("offer_belts", float(left), float(right)))

    def offer_flippers(self, angles: Mapping[str, float]) -> None:
        """Move flippers to angles, by name [rad]."""
        self._offer("flippers", ("offer_flippers", dict(angles)))

    def stop(self) -> None:
        """Stop the belts until the next command."""
        self._offer("belts", ("stop",))

    def pause(self) -> None:
        """Let time stand."""
        self._request("pause")

    def resume(self) -> None:
        """Let time pass again."""
        self._request("resume")

    def step(self, ticks: int = 1) -> None:
        """Let some ticks pass while time stands; returns when they have."""
        self._request("step", ticks)

    def reset(self) -> None:
        """Start the scenario anew."""
        self._request("reset")

    def set_factor(self, factor: float) -> None:
        """Let simulated time pass `factor` times as fast as the wall clock [1]."""
        self._request("set_factor", factor)

    def set_friction(self, factor: float) -> None:
        """Multiply all friction of the scenario by a factor from now on [1]."""
        self._request("set_friction", factor)

    def arm(self, armed: bool = True) -> None:
        """Let commands move the robot, or not."""
        self._request("arm" if armed else "disarm")

    def load(self, scenario: Scenario) -> None:
        """Simulate another scenario; the old one goes on if that cannot be loaded."""
        self._request("load", scenario.content())

    def close(self) -> None:
        """End the process; it writes its log before."""
        with contextlib.suppress(OSError):
            self._send(("close",))
        self._process.join(timeout=ANSWERING)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._pipe.close()

    def __enter__(self) -> "PhysicsProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _offer(self, kind: str, words: tuple[Any, ...]) -> None:
        """Send a command, or keep the newest one where they come faster than ticks."""
        with self._sending:
            self._pending[kind] = words
        if time.monotonic() - self._sent_at >= self.started.tick:
            self._flush()

    def _flush(self) -> None:
        with self._sending:
            if not self._pending:
                return
            pending, self._pending = self._pending, {}
            self._sent_at = time.monotonic()
            for words in pending.values():
                self._pipe.send(words)

    def _send(self, words: tuple[Any, ...]) -> None:
        with self._sending:
            self._pipe.send(words)

    def _request(self, name: str, *values: Any) -> None:
        """Have something done between two ticks, and wait until it is done."""
        number = next(self._numbers)
        self._flush()
        self._send(("request", number, name, *values))
        self._wait(lambda: number in self._answers, ANSWERING, f"answer to {name!r}")
        if (problem := self._answers.pop(number)) is not None:
            raise GrouserError(problem)

    def _wait(self, is_done: Callable[[], bool], timeout: float, what: str) -> None:
        with self._changed:
            self._changed.wait_for(lambda: is_done() or self._problem, timeout)
            if is_done():
                return
        raise GrouserError(self._problem or f"the physics did not {what} in {timeout:g} s")

    def _read(self) -> None:
        """Take in what the process sends, until it ends."""
        try:
            while True:
                message = self._pipe.recv()
                with self._changed:
                    self._take(message)
                    self._changed.notify_all()
        except (EOFError, OSError):
            with self._changed:
                self._problem = self._problem or "the physics process has ended"
                self._changed.notify_all()

    def _take(self, message: object) -> None:
        match message:
            case Frame():
                self._frames.append(message)
            case Started():
                self.started = message
                self._frames.clear()
            case PhysicsCounts():
                self.counts = message
            case Answer(number, problem):
                self._answers[number] = problem
            case ("warning", str(sentence)):
                self._warnings.append(sentence)
            case ("failed", str(sentence)):
                self._problem = sentence
