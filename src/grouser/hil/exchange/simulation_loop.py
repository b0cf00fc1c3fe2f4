"""In Unreal's place: belt speeds come in, a model moves the virtual robot, its pose goes out."""

from dataclasses import replace

from grouser.hil.exchange.mailbox import Sight
from grouser.hil.exchange.sights import Sights
from grouser.hil.exchange.simulation_side import SimulationSide
from grouser.log import Log
from grouser.models import command_sides
from grouser.simulation import Simulation


class SimulationLoop:
    """Advances a simulation by the speeds that another program measures.

    Time begins with the first line of the controller; until then the pose is written for it to
    find. Speeds that are stale are taken as zero.
    """

    def __init__(self, simulation: Simulation, side: SimulationSide) -> None:
        self._simulation, self._side = simulation, side
        self._sights = Sights()
        self._sights.add(Sight(None, 0.0))  # the first row of the log is before any look
        self.silence = 0.0
        """Age of what the other side said last; infinite before it said anything [s]."""

    @property
    def period(self) -> float:
        """Time between two ticks [s]."""
        return self._simulation.dt

    @property
    def time(self) -> float:
        """Time since the first line of the other side [s]."""
        return self._simulation.time

    @property
    def stale_ticks(self) -> int:
        """How many ticks had to stand because nothing fresh had come."""
        return self._sights.stale_ticks

    def tick(self) -> bool:
        """Do one tick; return False when there is nothing more to do, which is never here."""
        sight = self._side.look()
        self.silence = sight.age
        if sight.line is not None:
            left, right = (0.0, 0.0) if sight.is_stale else (sight.line.left, sight.line.right)
            self._simulation.advance(command_sides(self._simulation.robot, left, right))
            self._sights.add(sight)
        self._side.send(self._simulation.motion.pose)
        return True

    def stop(self) -> None:
        """Nothing to stop: a virtual robot stands when it is not advanced."""

    def log(self, status: str) -> Log:
        """Return what happened, with what was seen of the other side."""
        log = self._simulation.log(status, driver="exchange")
        seen = {**self._side.counts, "stale_ticks": self.stale_ticks}
        notes = {**log.provenance.notes, "exchange": seen}
        log = log.with_columns(self._sights.columns())
        return replace(log, provenance=replace(log.provenance, notes=notes))
