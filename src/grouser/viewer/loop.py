"""The physics loop: a thread that advances the session and never waits for a browser."""

import math
import threading
from collections.abc import Callable
from queue import SimpleQueue
from time import monotonic

from grouser.errors import GrouserError
from grouser.limits import PAGE_WISHES
from grouser.simulation.pace import Clock, Priority, raise_priority
from grouser.viewer.input import DriverLock
from grouser.viewer.recordings import Player
from grouser.viewer.session import Session, Snapshot

LINGER = 2.0
"""Time for which the loop continues after the last page was closed, to let the robot stop [s]."""

Request = Callable[["Loop"], None]
"""Function that the loop calls between two ticks."""


class Loop:
    """Advances a session or plays a log, and publishes the newest snapshot as `latest`.

    Only its own thread uses the session; other threads use `request` and `latest`.
    """

    def __init__(self, session: Session, lock: DriverLock, notify: Callable[[str], None]) -> None:
        self.session, self.lock = session, lock
        self.player: Player | None = None
        self.clock = Clock(session.tick)
        self.is_paused = False
        self._watched_until = -math.inf
        self.latest: Snapshot = session.snapshot()
        self.after_tick: Callable[[Session], None] = lambda session: None
        """Is called after each tick of the session."""
        self._notify = notify
        self._requests: SimpleQueue[Request] = SimpleQueue()
        self._woken = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="physics", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after its current tick."""
        self._ended.set()
        self._woken.set()
        self._thread.join()

    def request(self, request: Request) -> bool:
        """Have a function called between two ticks; return False if too many are waiting."""
        if self._requests.qsize() >= PAGE_WISHES:
            return False
        self._requests.put(request)
        self._woken.set()
        return True

    def set_watched(self, is_watched: bool) -> None:
        """Set whether a page is open; without one the loop pauses after `LINGER`."""
        self._watched_until = math.inf if is_watched else monotonic() + LINGER
        self._woken.set()

    def step(self) -> None:
        """Advance by a single tick."""
        if self.player is not None:
            self.player.advance(self.session.tick)
            return
        try:
            self.session.advance(self.lock.sticks)
            self.after_tick(self.session)
        except GrouserError as error:
            self.is_paused = True
            self._notify(f"{error}; press Reset to continue")

    def _run(self) -> None:
        raise_priority(Priority.PHYSICS)
        while not self._ended.is_set():
            self._handle_requests()
            if self.is_paused or monotonic() > self._watched_until:
                self.latest = self._snapshot()
                self._woken.wait()
                self._woken.clear()
                self.clock.restart()
                continue
            self.clock.wait()
            self.step()
            self.latest = self._snapshot()

    def _handle_requests(self) -> None:
        while not self._requests.empty():  # no other thread takes from it
            try:
                self._requests.get_nowait()(self)
            except GrouserError as error:
                self._notify(str(error))

    def _snapshot(self) -> Snapshot:
        return self.session.snapshot() if self.player is None else self.player.snapshot()
