"""The physics loop: a thread that advances the session and never waits for a browser."""

import math
import threading
from collections.abc import Callable
from dataclasses import replace
from time import monotonic

from grouser.errors import GrouserError
from grouser.limits import PAGE_WISHES
from grouser.live import TickLoop
from grouser.notices import tell_terminal
from grouser.simulation.pace import Clock
from grouser.viewer.input import DriverLock
from grouser.viewer.past import Past
from grouser.viewer.recordings import Player
from grouser.viewer.session import Session, Snapshot

RESET = "press Reset to continue"
"""What a person does after a tick that failed."""
LINGER = 2.0
"""Time for which the loop continues after the last page was closed, to let the robot stop [s]."""


class Loop(TickLoop):
    """Advances a session or plays a log, and publishes the newest snapshot as `latest`.

    Only its own thread uses the session; other threads use `request` and `latest`.
    """

    def __init__(self, session: Session, lock: DriverLock, notify: Callable[[str], None]) -> None:
        super().__init__(most=PAGE_WISHES)
        self.session, self.lock = session, lock
        self.player: Player | None = None
        self.clock = Clock(session.tick)
        self.is_paused = False
        self.past = Past()
        """The last seconds of the run, to be shown again."""
        self._watched_until = -math.inf
        self.latest: Snapshot = session.snapshot()
        self.past.add(self.latest)
        self.after_tick: Callable[[Session], None] = lambda session: None
        """Is called after each tick of the session."""
        self._notify = notify
        self._thread = threading.Thread(target=self.run, name="physics", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after its current tick."""
        self.end()
        self._thread.join()

    def set_watched(self, is_watched: bool) -> None:
        """Set whether a page is open; without one the loop pauses after `LINGER`."""
        self._watched_until = math.inf if is_watched else monotonic() + LINGER
        self.wake()

    def step(self) -> None:
        """Advance by a single tick."""
        if self.player is not None:
            self.player.advance(self.session.tick)
            return
        self.past.show_now()
        self.session.advance(self.lock.sticks)
        self.after_tick(self.session)

    def _stands(self) -> bool:
        is_past = self.player is None and self.past.shown is not None
        return self.is_paused or is_past or monotonic() > self._watched_until

    def _tick(self) -> None:
        self.step()
        self._publish()

    def _publish(self) -> None:
        if self.player is not None:
            self.latest = self.player.snapshot()
            return
        now = self.session.snapshot()
        if self.failure:
            now = replace(now, motion=now.motion.stopped)
        self.past.add(now)
        self.latest = now if self.past.shown is None else self.past.shown

    def _halt(self, sentence: str, *, is_new: bool) -> None:
        self.is_paused = self.is_paused or not self.session.is_elsewhere
        self.session.release()
        if is_new:
            remedy = "the page tries again" if self.session.is_elsewhere else RESET
            sentence = f"{sentence}; {remedy}"
            tell_terminal(sentence)
            self._notify(sentence)

    def _reject(self, error: GrouserError) -> None:
        self._notify(str(error))
