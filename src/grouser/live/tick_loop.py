"""The loop of ticks in real time: pacing, standing, and requests between two ticks."""

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from grouser.errors import GrouserError
from grouser.simulation.pace import Clock, Priority, raise_priority

Request = Callable[[Any], None]
"""Function that is called with the loop between two ticks."""


class TickLoop(ABC):
    """Lets tick follow tick by a clock. One thread runs it; any thread may request, wake and end.

    Only the thread that runs it touches what is simulated, so that nothing needs a lock.
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
            if self._stands():
                self._publish()
                self._woken.wait(self._idle)
                self._woken.clear()
                self.clock.restart()
            else:
                self.clock.wait()
                self._tick()

    def _handle_requests(self) -> None:
        while not self._requests.empty():  # no other thread takes from it
            try:
                self._requests.get_nowait()(self)
            except GrouserError as error:
                self._reject(error)

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
    def _reject(self, error: GrouserError) -> None:
        """Report a request that failed."""
