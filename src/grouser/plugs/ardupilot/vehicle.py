"""The simulated robot that ArduPilot drives; each of its runs has a log."""

from dataclasses import replace
from pathlib import Path

from grouser.log import Log, name_spool, write_log
from grouser.models import Motion, command_sides
from grouser.scenario.run import Loaded
from grouser.storage import write_new


class LoggedVehicle:
    """A robot whose belts run at shares of their full speed; a reset ends its log and begins one."""

    def __init__(self, loaded: Loaded, path: Path) -> None:
        """Put the robot at its start.

        Args:
            loaded: The scenario.
            path: File to which the log is to be written; rows go to one beside it meanwhile.
        """
        self._loaded, self._path = loaded, path
        self._left = self._right = 0.0
        self.earlier: list[Path] = []
        """Logs of runs that a reset has ended."""
        self._begin()

    def _begin(self) -> None:
        robot = self._loaded.robot
        self._simulation = self._loaded.start(dump_folder=self._path.parent)
        self._spool = self._simulation.stream(name_spool(self._path))
        self._driver = self._loaded.equip(
            lambda time, motion: command_sides(robot, self._left, self._right)
        )

    @property
    def tick(self) -> float:
        """Length of one tick [s]."""
        return self._simulation.dt

    @property
    def time(self) -> float:
        """Simulated time since the last reset [s]."""
        return self._simulation.time

    @property
    def motion(self) -> Motion:
        """Current motion of the robot."""
        return self._simulation.motion

    def advance(self, left: float, right: float) -> None:
        """Advance by one tick with these shares of the full belt speed, from -1 to 1."""
        limit = self._loaded.robot.drive.speed_limit
        self._left, self._right = left * limit, right * limit
        command = self._driver(self.time, self.motion)
        assert command is not None, "ArduPilot never ends a run by itself"
        self._simulation.advance(command)

    def reset(self) -> None:
        """Write the log of the run, and begin another one at the start, at time zero."""
        name = f"{self._path.stem}-run{len(self.earlier) + 1}{self._path.suffix}"
        log = self._simulation.log("complete")
        self.earlier.append(
            write_new(self._path.with_name(name), lambda path: write_log(log, path))
        )
        self.discard()
        self._begin()

    def log(self, status: str, counts: dict[str, int]) -> Log:
        """Return the log of the current run, with the counts of datagrams in its notes."""
        log = self._simulation.log(status)
        notes = {**log.provenance.notes, "ardupilot": counts}
        return replace(log, provenance=replace(log.provenance, notes=notes))

    def discard(self) -> None:
        """Remove the file to which rows were written, when the log is."""
        self._spool.close(remove=True)
