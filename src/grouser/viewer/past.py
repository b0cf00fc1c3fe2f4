"""The last seconds of a run, to be shown again while time stands."""

from bisect import bisect_right
from collections import deque
from dataclasses import replace

from grouser.live.rewind import SPAN
from grouser.viewer.session import Snapshot

SPACING = 0.05
"""Simulated time between two snapshots that are kept [s]."""


class Past:
    """Snapshots of the last `SPAN` seconds of the current run. Only the physics loop uses it."""

    def __init__(self) -> None:
        self._kept: deque[Snapshot] = deque(maxlen=round(SPAN / SPACING) + 1)
        self._of: tuple[int, int] | None = None
        self.shown: Snapshot | None = None
        """What is shown instead of now; time stands then."""

    def add(self, now: Snapshot) -> None:
        """Keep the first snapshot in each `SPACING`; a new run clears all."""
        if (now.run, now.scene) != self._of:
            self._of, self.shown = (now.run, now.scene), None
            self._kept.clear()
        if not self._kept or _count(now) > _count(self._kept[-1]):
            self._kept.append(_lighter(now))

    def show(self, time: float) -> None:
        """Show the last snapshot that is not after a time [s], or the first."""
        times = [kept.time for kept in self._kept]
        self.shown = self._kept[max(bisect_right(times, time + 1e-9) - 1, 0)]

    def show_now(self) -> None:
        """Show no past."""
        self.shown = None


def _lighter(now: Snapshot) -> Snapshot:
    """Return a snapshot without contacts, pictures and scans, which take most of the memory."""
    return replace(
        now,
        frames=tuple(replace(frame, contacts=()) for frame in now.frames),
        motion=replace(now.motion, contacts=()),
        motions=(),
        reading=None,
        pull=None,
        is_past=True,
    )


def _count(snapshot: Snapshot) -> int:
    return int(snapshot.time / SPACING + 1e-6)
