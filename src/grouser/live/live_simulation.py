"""A simulation that goes on while commands and requests come from outside."""

import math
from dataclasses import dataclass
from pathlib import Path

from grouser.drivers import DriverPlan
from grouser.errors import GrouserError, InvalidValue
from grouser.limits import FACTOR
from grouser.live.command_input import TIMEOUT, CommandInput
from grouser.log import Log
from grouser.models import Command, Motion
from grouser.scenario import Scenario
from grouser.scenario.events import Change, happen
from grouser.scenario.run import Loaded, equip
from grouser.simulation import Driver, Simulation
from grouser.simulation.pace import Clock
from grouser.simulation.sensors import Sample

RESET = "reset the simulation to continue"
"""What helps after a problem."""
FASTEST = 1000.0
"""Largest ratio of simulated time to wall time; above, use infinity: as fast as possible [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A live simulation after a tick, or while it is paused. It can be sent to other processes."""

    run: int
    """Number of the run; a new one whenever time restarts."""
    tick: int
    """Number of the tick."""
    time: float
    """Simulated time since the start of the run [s]."""
    motion: Motion
    """Motion of the robot."""
    command: Command
    """Command that led there."""
    fresh: tuple[Sample, ...] = ()
    """Samples of sensors that became known in this tick."""
    is_paused: bool = False
    """Whether time stands."""
    problem: str = ""
    """Why the simulation was stopped and has to be reset; empty if it can go on."""


class OutsideDriver:
    """A driver from outside of a run, with the gains and the flipper angles of its scenario."""

    def __init__(self, loaded: Loaded, driver: Driver) -> None:
        self._scheduled = loaded.equip(driver)
        self._unscheduled = equip(driver, loaded.robot, loaded.scenario.vary(flippers=()))
        self.moves_flippers = False
        """Whether flippers are moved from outside, no longer by the schedule of the scenario."""

    def __call__(self, time: float, motion: Motion) -> Command:
        """Return the command at a time."""
        command = (self._unscheduled if self.moves_flippers else self._scheduled)(time, motion)
        assert command is not None  # a driver from outside has no end
        return command


class LiveSimulation:
    """A loaded scenario, driven by a `CommandInput`, with a clock. One thread uses it.

    Where the scenario has a driver of its own, that one drives until the first command comes.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        timeout: float = TIMEOUT,
        armed: bool = True,
        factor: float = 1.0,
        record: bool = True,
        dump_folder: str | Path | None = None,
    ) -> None:
        """Load a scenario and put its robot at the start.

        Args:
            scenario: What is simulated.
            timeout: Belts stop when no command came for so long, in simulated time [s].
            armed: Whether commands move the robot from the beginning.
            factor: Simulated time per wall time; infinity for as fast as possible [1].
            record: Whether rows are kept for `log`; a server that runs for days keeps none.
            dump_folder: Folder for the log of a run that diverges.
        """
        self._timeout, self._armed, self._record = timeout, armed, record
        self._dump_folder = dump_folder
        self.run = 0
        """Number of the run."""
        self.is_paused = False
        """Whether time stands."""
        self._was_paused = False
        self.problem = ""
        """Why the simulation was stopped and has to be reset; empty if it can go on."""
        self.factor = _check_factor(factor)
        """Simulated time per wall time; infinity for as fast as possible [1]."""
        self.load(scenario)

    def load(self, scenario: Scenario) -> None:
        """Start a run of another scenario; what was simulated stays if it cannot be loaded."""
        loaded = scenario.load()
        simulation = self._start(loaded)
        self.scenario, self._loaded, self.simulation = scenario, loaded, simulation
        self.input = CommandInput(loaded.robot, timeout=self._timeout, armed=self._armed)
        """The commands from outside."""
        self.clock = Clock(loaded.tick, factor=self.factor)
        """The schedule of ticks."""
        self._begin()

    def reset(self) -> None:
        """Start the scenario anew: time is 0, the robot at its start, no command known."""
        # A driver serves one run.
        self._loaded = self.scenario.load()
        self.simulation = self._start(self._loaded)
        self.input.clear()
        self._begin()

    def pause(self) -> None:
        """Let time stand."""
        self.is_paused = True

    def halt(self, problem: str) -> None:
        """Let the robot and time stand until a reset, because of a problem."""
        if not self.problem:
            self._was_paused = self.is_paused
        self.problem = problem
        self.input.stop()
        self.pause()

    def resume(self) -> None:
        """Let time pass again.

        Raises:
            GrouserError: The simulation was stopped by a problem, and was not reset.
        """
        if self.problem:
            raise GrouserError(f"{self.problem}; {RESET}")
        self.is_paused = False
        self.clock.restart()

    def set_factor(self, factor: float) -> None:
        """Let simulated time pass `factor` times as fast as the wall clock."""
        self.factor = _check_factor(factor)
        self.clock.set_factor(factor)

    def set_friction(self, factor: float) -> None:
        """Multiply all friction of the scenario by a factor from now on; the robot goes on.

        Raises:
            InvalidValue: The factor is out of range.
            Unsupported: The model has no friction.
        """
        if not (isinstance(factor, int | float) and 1.0 / FACTOR <= factor <= FACTOR):
            raise InvalidValue("friction", factor, f"be from {1.0 / FACTOR:g} to {FACTOR:g}")
        scenario, simulation = self._loaded.scenario, self.simulation
        friction = factor * scenario.variation.friction
        change = Change(time=simulation.time, key="variation.friction", value=friction)
        happen(change, simulation, scenario)

    def wait(self) -> None:
        """Sleep until the next tick is due."""
        self.clock.wait()

    def advance(self) -> Frame:
        """Advance by one tick with the current command.

        Raises:
            NotFinite: The motion diverged.
        """
        simulation = self.simulation
        command = self._take(simulation.time, self._motion)
        self._motion = simulation.advance(command)
        return self.frame(command, simulation.reading.fresh)

    def frame(self, command: Command | None = None, fresh: tuple[Sample, ...] = ()) -> Frame:
        """Return the current state."""
        simulation = self.simulation
        return Frame(
            run=self.run,
            tick=simulation.ticks,
            time=simulation.time,
            motion=self._motion.stopped if self.problem else self._motion,
            command=self.input.command(simulation.time) if command is None else command,
            fresh=fresh,
            is_paused=self.is_paused,
            problem=self.problem,
        )

    def log(self, status: str = "complete") -> Log:
        """Return all rows of this run as a log; its scenario has what changed meanwhile."""
        return self.simulation.log(status)

    @property
    def loaded(self) -> Loaded:
        """The scenario that is simulated, with its parts."""
        return self._loaded

    def _start(self, loaded: Loaded) -> Simulation:
        return loaded.start(dump_folder=self._dump_folder, record=self._record)

    def _begin(self) -> None:
        self.run += 1
        loaded, self._motion = self._loaded, self.simulation.motion
        if self.problem:
            self.problem, self.is_paused = "", self._was_paused
        self._plan: DriverPlan | None = loaded.plan
        self._driver = OutsideDriver(loaded, lambda time, motion: self.input.command(time))
        self.clock.restart()

    def _take(self, time: float, motion: Motion) -> Command:
        """Return the command from outside, or the scenario's driver's while none has come."""
        if self._plan is not None and not self.input.was_used:
            command = self._plan.driver(time, motion)
            if command is not None:
                return command
            self._plan = None
        self._driver.moves_flippers = self.input.flippers_were_moved
        return self._driver(time, motion)


def _check_factor(factor: float) -> float:
    if not (0.0 < factor <= FASTEST or factor == math.inf):
        required = f"be above 0 and at most {FASTEST:g}, or inf for as fast as possible"
        raise InvalidValue("factor", factor, required)
    return factor
