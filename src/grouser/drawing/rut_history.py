"""Ruts of a log at any of its times: its scenario is run again, with the same bits."""

import threading
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course
from grouser.errors import GrouserError
from grouser.log import Log
from grouser.models.ground.ruts import RutGrid, ruts_of
from grouser.notices import LOGGER
from grouser.scenario import load_again
from grouser.simulation import Driver, Simulation

PERIOD = 0.1
"""Simulated time between two states of the ruts [s]."""
ASTRAY = 0.01
"""Distance between the log and its new run from which they count as different [m]."""


class Change(NamedTuple):
    """Cells that have become deeper."""

    time: float
    """Time of the log [s]."""
    cells: NDArray[np.intp]
    """Their numbers, row by row."""
    depth: NDArray[np.float64]
    """Their depth from then on [m]."""


class RutHistory:
    """Ruts of a log. One thread may call `compute`, and another one `at`."""

    def __init__(self, log: Log, origin: str = "log") -> None:
        """Prepare to run the scenario of a log again; messages name its `origin`."""
        self._log, self._origin = log, origin
        self._simulation: Simulation | None = None
        self._driver: Driver | None = None
        self._begin: RutGrid | None = None
        self._last: NDArray[np.float64] | None = None
        self._changes: list[Change] = []
        self._computing = threading.Lock()
        self._shown: RutGrid | None = None
        self._applied = 0
        self.reached = -np.inf
        """Time of the log up to which ruts are known; infinite at the end [s]."""

    @classmethod
    def of(cls, log: Log, course: Course, origin: str = "log") -> Self | None:
        """Return the ruts of a log; None if a course leaves none, or is another than the log's."""
        if course.ruts is None or course.content_hash != log.provenance.course_hash:
            return None
        return cls(log, origin)

    def compute(self, until: float = np.inf) -> None:
        """Run up to a time of the log [s], which may take as long as its run did.

        Where that is impossible, or the new run leaves the way of the log, there are no ruts from
        there on, and a message says why.
        """
        with self._computing:
            if self.reached >= until:
                return
            try:
                self._start()
                while self.reached < until:
                    self._continue()
            except GrouserError as error:
                self.reached = np.inf
                LOGGER.warning("%s: its ruts are not drawn to the end: %s", self._origin, error)

    def at(self, time: float) -> RutGrid | None:
        """Return the ruts at a time of the log [s], as far as they are computed.

        The grid is the same at every call: copy what you keep.
        """
        begin = self._begin
        if begin is None:
            return None
        if self._shown is None or (
            self._applied and self._changes[self._applied - 1].time > time + 1e-9
        ):
            self._shown, self._applied = begin.copy(), 0
        flat = self._shown.depth.reshape(-1)
        while self._applied < len(self._changes):
            change = self._changes[self._applied]
            if change.time > time + 1e-9:
                break
            flat[change.cells] = change.depth
            self._applied += 1
        return self._shown

    def _start(self) -> None:
        if self._simulation is not None:
            return
        loaded = load_again(self._log)
        assert loaded.plan is not None  # the log's commands
        self._simulation, self._driver = loaded.start(), loaded.plan.driver
        ruts = ruts_of(self._simulation.plant)
        if ruts is None:
            self.reached = np.inf
            return
        self._last = ruts.depth.copy()
        self._begin = ruts.copy()
        self.reached = float(self._log.time[0])

    def _continue(self) -> None:
        """Run on for a period."""
        simulation, driver = self._simulation, self._driver
        assert simulation is not None
        assert driver is not None
        command = None
        for _ in range(max(round(PERIOD / simulation.dt), 1)):
            command = driver(simulation.time, simulation.motion)
            if command is None:
                break
            simulation.advance(command)
        time = float(self._log.time[0]) + simulation.time
        self._compare(time)
        self._note(time)
        self.reached = np.inf if command is None else time

    def _note(self, time: float) -> None:
        assert self._simulation is not None
        assert self._last is not None
        ruts = ruts_of(self._simulation.plant)
        assert ruts is not None
        (cells,) = np.nonzero((ruts.depth != self._last).reshape(-1))
        if len(cells):
            depth = ruts.depth.reshape(-1)[cells]
            self._last.reshape(-1)[cells] = depth
            self._changes.append(Change(time, cells, depth))

    def _compare(self, time: float) -> None:
        """Raise an error if the new run is elsewhere than the log."""
        assert self._simulation is not None
        pose, log = self._simulation.motion.pose, self._log
        gap = np.hypot(*(np.interp(time, log.time, log[n]) - getattr(pose, n) for n in ("x", "y")))
        if gap > ASTRAY:
            raise GrouserError(
                f"run again, the robot is {gap:.2g} m beside the log at {time:.1f} s; another "
                "version of grouser made it"
            )
