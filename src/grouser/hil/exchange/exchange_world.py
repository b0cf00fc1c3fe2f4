"""A virtual world that another program holds: the board's belts go there, its poses come back."""

from dataclasses import replace

import numpy as np

from grouser.geometry import Pose
from grouser.hil.events import StateArrived
from grouser.hil.exchange.controller_side import ControllerSide
from grouser.hil.exchange.mailbox import Sight
from grouser.hil.exchange.orientation_line import OrientationLine
from grouser.hil.exchange.sights import Sights
from grouser.hil.virtual_world import VirtualWorld
from grouser.log import Column, Log
from grouser.models import Command, Motion, command_sides
from grouser.simulation import Driver, Simulation

_POSE = (("x", "m"), ("y", "m"), ("z", "m"), ("roll", "rad"), ("pitch", "rad"), ("yaw", "rad"))


class ExchangeWorld(VirtualWorld):
    """Sends measured belt speeds to the other program and believes its poses.

    Our own model runs beside it, obeys the same belts and fills the log; the poses that came are
    columns `exchange_x` and so on.
    """

    def __init__(
        self, simulation: Simulation, counts_per_revolution: int, side: ControllerSide
    ) -> None:
        super().__init__(simulation, counts_per_revolution)
        self._side = side
        self._sight: Sight[OrientationLine] = Sight(None, float("inf"))
        self._sights, self._poses = Sights(), list[tuple[float, ...]]()
        self._note()

    @property
    def motion(self) -> Motion:
        """How the virtual robot moves, where the other program says it is."""
        line = self._sight.line
        own = super().motion
        return own if line is None else replace(own, pose=line.pose)

    def follow(self, arrived: StateArrived) -> int:
        """Tell the other program what the belts did, and see where that has led."""
        ticks = super().follow(arrived)
        self._side.send(*self.scale.speeds(arrived.state))
        self._sight = self._side.look()
        for _ in range(ticks):
            self._note()
        return ticks

    def guard(self, driver: Driver) -> Driver:
        """Return a driver that stands while the other program's pose is stale."""
        stand = command_sides(self.simulation.robot, 0.0, 0.0)

        def drive(time: float, motion: Motion) -> Command | None:
            return stand if self._sight.is_stale else driver(time, motion)

        return drive

    def annotate(self, log: Log) -> Log:
        """Return a log with what board and other program said beside it."""
        log = super().annotate(log)
        poses = np.array(self._poses).reshape(-1, len(_POSE)).T
        columns = {
            f"exchange_{name}": Column(values, unit)
            for (name, unit), values in zip(_POSE, poses, strict=True)
        }
        counts = {**self._side.counts, "stale_ticks": self._sights.stale_ticks}
        notes = {**log.provenance.notes, "exchange": counts}
        log = replace(log, provenance=replace(log.provenance, notes=notes))
        return log.with_columns({**columns, **self._sights.columns()})

    def _note(self) -> None:
        line = self._sight.line
        self._sights.add(self._sight)
        self._poses.append((float("nan"),) * len(_POSE) if line is None else _numbers(line.pose))


def _numbers(pose: Pose) -> tuple[float, ...]:
    return tuple(float(getattr(pose, name)) for name, _ in _POSE)
