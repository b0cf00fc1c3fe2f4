"""The thread that lets time pass. It never waits for a browser."""

import math
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic

from grouser.errors import GrouserError
from grouser.limits import PAGE_WISHES
from grouser.simulation import DEFAULT_DT
from grouser.simulation.pace import Clock, Priority, raise_priority
from grouser.viewer.input import Seat
from grouser.viewer.recordings import Player
from grouser.viewer.session import Session, Snapshot

LINGER = 2.0
"""How long time goes on when the last page was closed, so that the robot comes to rest [s]."""

Request = Callable[["Loop"], None]
"""What a page wants done between two ticks."""


class Loop:
    """Advances a session, or plays a log, and leaves its newest moment for all to see.

    Only its own thread touches the session; everybody else asks, and looks at `latest`.
    """

    def __init__(self, session: Session, seat: Seat, tell: Callable[[str], None]) -> None:
        """Prepare the loop; `start` starts it.

        Args:
            session: What is driven.
            seat: Who drives.
            tell: Shows one sentence to those at the page.
        """
        self.session, self.seat = session, seat
        self.player: Player | None = None
        self.clock = Clock(DEFAULT_DT)
        self.is_paused = False
        self._watched_until = -math.inf
        self.latest: Snapshot = session.snapshot()
        self.after_tick: Callable[[Session], None] = lambda session: None
        """Is called after each tick that was driven."""
        self._tell = tell
        self._requests: SimpleQueue[Request] = SimpleQueue()
        self._woken = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="physics", daemon=True)

    def start(self) -> None:
        """Let time pass."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread after its tick."""
        self._ended.set()
        self._woken.set()
        self._thread.join()

    def ask(self, request: Request) -> bool:
        """Have something done between two ticks; what is refused is told.

        Returns whether it will be done: not if more is waiting than people can have pressed.
        """
        if self._requests.qsize() >= PAGE_WISHES:
            return False
        self._requests.put(request)
        self._woken.set()
        return True

    def watch(self, is_watched: bool) -> None:
        """Say whether anybody looks: time soon stands still for an empty room."""
        self._watched_until = math.inf if is_watched else monotonic() + LINGER
        self._woken.set()

    def step(self) -> None:
        """Let a single tick pass."""
        if self.player is not None:
            self.player.advance(self.session.simulation.dt)
            return
        try:
            self.session.advance(self.seat.sticks)
            self.after_tick(self.session)
        except GrouserError as error:
            self.is_paused = True
            self._tell(f"{error}; reset to go on")

    def _run(self) -> None:
        raise_priority(Priority.PHYSICS)
        while not self._ended.is_set():
            self._obey()
            if self.is_paused or monotonic() > self._watched_until:
                self.latest = self._look()
                self._woken.wait()
                self._woken.clear()
                self.clock.restart()
                continue
            self.clock.wait()
            self.step()
            self.latest = self._look()

    def _obey(self) -> None:
        while True:
            try:
                request = self._requests.get_nowait()
            except Empty:
                return
            try:
                request(self)
            except GrouserError as error:
                self._tell(str(error))

    def _look(self) -> Snapshot:
        return self.session.snapshot() if self.player is None else self.player.snapshot()
