"""The simulated robot that ArduPilot drives; each of its runs has a log."""

import math
from dataclasses import replace
from pathlib import Path

from grouser.live import LiveSimulation
from grouser.log import Log, name_spool, write_log
from grouser.models import Motion
from grouser.scenario import Scenario
from grouser.storage import write_new


class LoggedVehicle:
    """A live robot whose belts run at shares of their full speed; a reset begins another log.

    Commands never become too old: without frames of ArduPilot no time passes.
    """

    def __init__(self, scenario: Scenario, path: Path) -> None:
        """Put the robot at its start.

        Args:
            scenario: What is simulated.
            path: File to which the log is to be written; rows go to one beside it meanwhile.
        """
        self._path = path
        self._live = LiveSimulation(
            scenario, timeout=math.inf, factor=math.inf, dump_folder=path.parent
        )
        self._limit = self._live.loaded.robot.drive.speed_limit
        self._spool = self._live.simulation.stream(name_spool(path))
        self.earlier: list[Path] = []
        """Logs of runs that a reset has ended."""

    @property
    def tick(self) -> float:
        """Length of one tick [s]."""
        return self._live.simulation.dt

    @property
    def time(self) -> float:
        """Simulated time since the last reset [s]."""
        return self._live.simulation.time

    @property
    def motion(self) -> Motion:
        """Current motion of the robot."""
        return self._live.simulation.motion

    def advance(self, left: float, right: float) -> None:
        """Advance by one tick with these shares of the full belt speed, from -1 to 1."""
        self._live.input.offer_belts(left * self._limit, right * self._limit, self.time)
        self._live.advance()

    def reset(self) -> None:
        """Write the log of the run, and begin another one at the start, at time zero."""
        name = f"{self._path.stem}-run{len(self.earlier) + 1}{self._path.suffix}"
        log = self._live.log()
        self.earlier.append(
            write_new(self._path.with_name(name), lambda path: write_log(log, path))
        )
        self.discard()
        self._live.reset()
        self._spool = self._live.simulation.stream(name_spool(self._path))

    def log(self, status: str, counts: dict[str, int]) -> Log:
        """Return the log of the current run, with the counts of datagrams in its notes."""
        log = self._live.log(status)
        notes = {**log.provenance.notes, "ardupilot": counts}
        return replace(log, provenance=replace(log.provenance, notes=notes))

    def discard(self) -> None:
        """Remove the file to which rows were written, when the log is."""
        self._spool.close(remove=True)
