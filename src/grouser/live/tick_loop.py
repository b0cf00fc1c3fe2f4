"""The loop of ticks in real time: pacing, standing, and requests between two ticks."""

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from grouser.errors import GrouserError, RunStopped, describe_bug
from grouser.simulation.pace import Clock, Priority, raise_priority

Request = Callable[[Any], None]
"""Function that is called with the loop between two ticks."""
RETRY = 1.0
"""Longest time until a loop that failed looks whether time still stands [s]."""


class TickLoop(ABC):
    """Lets tick follow tick by a clock. One thread runs it; any thread may request, wake and end.

    Only the thread that runs it touches what is simulated, so that nothing needs a lock. Whatever a
    tick raises stops the robot and is told; the loop itself goes on, for the reset that follows.
    """

    clock: Clock
    """The schedule of ticks."""

    def __init__(self, *, idle: float | None = None, most: float = math.inf) -> None:
        """Prepare the loop.

        Args:
            idle: Longest sleep while time stands; until somebody wakes it if None [s].
            most: Most requests that may wait [1].
        """
        self._idle, self._most = idle, most
        self._requests: SimpleQueue[Request] = SimpleQueue()
        self._woken, self._ended = threading.Event(), threading.Event()
        self._told = ""
        self.failure = ""
        """Why time stands though nobody let it: a tick failed, and none has succeeded since."""

    def request(self, request: Request) -> bool:
        """Have a function called between two ticks; return False if too many are waiting."""
        if self._requests.qsize() >= self._most:
            return False
        self._requests.put(request)
        self.wake()
        return True

    def wake(self) -> None:
        """Let the loop find out whether time still stands."""
        self._woken.set()

    def end(self) -> None:
        """End `run` after the current tick."""
        self._ended.set()
        self.wake()

    def run(self) -> None:
        """Tick until `end` is called."""
        raise_priority(Priority.PHYSICS)
        while not self._ended.is_set():
            self._handle_requests()
            try:
                if not self._stands():
                    self.clock.wait()
                    self._tick()
                    self.failure = self._told = ""
                    continue
                self._publish()
                idle = self._idle
            except Exception as error:  # a tick runs models, drivers and observers of anybody
                self.fail(error)
                idle = RETRY
            self._woken.wait(idle)
            self._woken.clear()
            self.clock.restart()

    def fail(self, error: Exception) -> None:
        """Stop the robot because of an error, and tell it once. The loop's own thread calls this.

        An error that repeats while time stands is not told again, unless somebody did something.
        """
        self.failure = describe_bug(error)
        is_new, self._told = self.failure != self._told, self.failure
        with suppress(Exception):  # what tells people may be what fails; time stands anyhow
            self._halt(self.failure, is_new=is_new)

    def _handle_requests(self) -> None:
        while not self._requests.empty():  # no other thread takes from it
            self._told = ""
            try:
                self._requests.get_nowait()(self)
            except Exception as error:  # a request may load files and models of anybody
                if isinstance(error, GrouserError) and not isinstance(error, RunStopped):
                    self._reject(error)
                else:
                    self.fail(error)

    @abstractmethod
    def _stands(self) -> bool:
        """Return whether time stands."""

    @abstractmethod
    def _tick(self) -> None:
        """Advance by one tick, and publish the result."""

    @abstractmethod
    def _publish(self) -> None:
        """Publish the state while time stands."""

    @abstractmethod
    def _halt(self, sentence: str, *, is_new: bool) -> None:
        """Let the robot and time stand until it is reset; say why if that is new."""

    @abstractmethod
    def _reject(self, error: GrouserError) -> None:
        """Report a request that failed."""
