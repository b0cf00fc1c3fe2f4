"""A scenario is run to its end, or a log is run again from its commands."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from grouser.errors import InvalidValue
from grouser.log import Log, Spool
from grouser.scenario.parts import Part, PartLike, Stop
from grouser.scenario.scenario import Scenario

if TYPE_CHECKING:
    from grouser.drivers import Plan
    from grouser.models import Command, Motion
    from grouser.scenario.loaded import Loaded
    from grouser.simulation import Observer, Pace, Simulation

PROGRESS_TICKS = 50
"""Ticks between two reports of progress."""
LEAST_SHARE = 1e-3
"""Share of a path that counts as progress [1]."""
LEAST_WAY, LEAST_TURN = 0.01, 0.01
"""Way [m] or turn [rad] that counts as progress of a driver without a path."""


class Patience:
    """Whether something has stopped to grow for too long: the one rule for stuck robots."""

    def __init__(self, wait: float, least: float, value: float = 0.0) -> None:
        """Wait for `wait` [s] at most until a value is by more than `least` above its highest."""
        self._wait, self._least = wait, least
        self.highest, self.since = value, 0.0

    def is_over(self, time: float, value: float) -> bool:
        """Return whether at `time` [s] the value has not grown for too long."""
        if value > self.highest + self._least:
            self.highest, self.since = value, time
        return time - self.since > self._wait


class Supervisor:
    """A driver that reports progress, and ends where a stop of the scenario is reached."""

    def __init__(
        self,
        plan: "Plan",
        limit: float,
        stop: Stop,
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        self._plan, self._limit, self._stop, self._show = plan, limit, stop, on_progress
        self._calls, self._way, self._last = 0, 0.0, (math.nan, math.nan, math.nan)
        least = LEAST_SHARE if plan.progress else LEAST_WAY
        self._patience = Patience(math.inf if stop.stuck_after is None else stop.stuck_after, least)
        self.ending = "limit"
        """What ended the run: `done` (the driver), `stuck`, `tipped`, or else its `limit`."""

    def __call__(self, time: float, motion: "Motion") -> "Command | None":
        """Return the driver's command; None at its end or a stop."""
        if self._show is not None and self._calls % PROGRESS_TICKS == 0:
            along = self._plan.progress() if self._plan.progress else 0.0
            self._show(max(along, time / self._limit))
        self._calls += 1
        command = self._plan.driver(time, motion)
        if command is None:
            self.ending = "done"
        elif self._stop.stuck_after is not None and self._is_stuck(time, motion):
            self.ending, command = "stuck", None
        elif self._stop.tipped is not None and _tilt(motion) > self._stop.tipped:
            self.ending, command = "tipped", None
        return command

    def _is_stuck(self, time: float, motion: "Motion") -> bool:
        if self._plan.progress is not None:
            return self._patience.is_over(time, self._plan.progress())
        # Without a path, being somewhere else or turned otherwise than before is progress.
        x, y, yaw = (float(getattr(motion.pose, name)) for name in ("x", "y", "yaw"))
        old_x, old_y, old_yaw = self._last
        if not (math.hypot(x - old_x, y - old_y) <= LEAST_WAY and abs(yaw - old_yaw) <= LEAST_TURN):
            self._last, self._way = (x, y, yaw), self._way + 2.0 * LEAST_WAY
        return self._patience.is_over(time, self._way)


def _tilt(motion: "Motion") -> float:
    """Return the angle between the body's z axis and the vertical [rad]."""
    cosine = math.cos(float(motion.pose.roll)) * math.cos(float(motion.pose.pitch))
    return math.acos(max(-1.0, min(1.0, cosine)))


@dataclass(frozen=True, kw_only=True)
class Run:
    """What came of a scenario."""

    loaded: "Loaded"
    """The scenario, with everything that its names stand for."""
    status: str
    """How the log says that it ended: `complete` or `interrupted`."""
    ending: str
    """What ended it: `done` (the driver), `limit`, `stuck`, `tipped` or `interrupted`."""
    pace: "Pace | None"
    """How the wall clock was kept; None if it was not."""
    simulation: "Simulation"
    """The robot at the end."""
    spool: Spool | None
    """All rows on disk, of a run that was streamed."""

    @cached_property
    def log(self) -> Log:
        """What happened, all rows of it."""
        log = self.simulation.log(self.status) if self.spool is None else self.spool.log()
        annotate = self.loaded.plan.annotate if self.loaded.plan else None
        return log if annotate is None else annotate(log)

    @property
    def rows(self) -> int:
        """How many rows the log has."""
        return self.simulation.ticks + 1

    @property
    def limit(self) -> float:
        """Simulated time at which the run would have been stopped [s]."""
        return self.loaded.limit

    @property
    def is_done(self) -> bool:
        """Whether the driver got to its end; a driver without end always has."""
        plan = self.loaded.plan
        has_end = plan is not None and plan.progress is not None
        return self.ending == "done" or (not has_end and self.ending in ("limit", "interrupted"))

    @property
    def is_annotated(self) -> bool:
        """Whether the log has columns that the spool has not."""
        return self.loaded.plan is not None and self.loaded.plan.annotate is not None


def run(
    scenario: "Scenario | Loaded",
    *,
    realtime: bool = False,
    on_progress: Callable[[float], None] | None = None,
    observers: Sequence["Observer"] = (),
    stream: str | Path | None = None,
    dump_folder: str | Path | None = None,
) -> Run:
    """Run a scenario until its driver is done or a stop is reached; Ctrl-C keeps what was done.

    Args:
        scenario: What to run; one that was loaded is run once.
        realtime: Whether to keep step with the wall clock.
        on_progress: Is called with the share that is done, now and then.
        observers: More of them, besides the scenario's.
        stream: File that rows are written to as they come, instead of being kept in memory.
        dump_folder: Where a run that is no longer finite is written; nowhere if None.

    Raises:
        NotFinite: A number is no longer finite.
        GrouserError: The scenario has a mistake.
    """
    import numpy as np

    from grouser.simulation import Pace

    loaded = scenario.load() if isinstance(scenario, Scenario) else scenario
    if loaded.plan is None:
        required = "be one that gives commands by itself; a person drives in `grouser drive`"
        raise InvalidValue("driver", loaded.driver_name, required)
    simulation = loaded.start(observers=observers, dump_folder=dump_folder)
    spool = None if stream is None else simulation.stream(stream)
    pace = Pace(period=loaded.tick) if realtime else None
    driver = Supervisor(loaded.plan, loaded.limit, loaded.scenario.stop, on_progress)
    # What numpy would warn of, the guard of the simulation says in a sentence.
    with np.errstate(all="ignore"), _keep_rows(simulation, spool):
        status = simulation.run(driver, loaded.limit, pace)
    simulation.finish(status)
    ending = driver.ending if status == "complete" else status
    return Run(
        loaded=loaded, status=status, ending=ending, pace=pace, simulation=simulation, spool=spool
    )


def replay(log: Log, model: PartLike | None = None) -> Log:
    """Return the log of a new run with the robot, course, start and commands of a log.

    With the log's own model the result has the same bits; another model shows where they diverge.

    Args:
        log: A log that a simulation made.
        model: Another model to use instead of the log's own.

    Raises:
        InvalidLog: The log does not hold its robot or course, or a command.
    """
    origin = log.provenance
    scenario = Scenario.from_log(log)
    changes = {} if model is None else {"model": model}
    driver = Part(name=f"replay of {origin.driver or 'a log'}")
    return run(scenario.vary(driver=driver, stop=Stop(), **changes).load(log)).log


@contextmanager
def _keep_rows(simulation: "Simulation", spool: Spool | None) -> Iterator[None]:
    """Keep the rows when something else than Ctrl-C ends a run, unless it never began."""
    try:
        yield
    except BaseException:
        if spool is not None:
            simulation.finish("interrupted")
            spool.close(remove=simulation.ticks == 0)
        raise
