"""Robots of a session, and all that can be done to them from outside."""

from contextlib import suppress
from dataclasses import replace

import numpy as np

from grouser.description import Robot
from grouser.errors import GrouserError
from grouser.geometry import Pose
from grouser.laws.slope import GRAVITY
from grouser.models import Command, Motion
from grouser.scenario.events import Change, ScenarioEvent, check_count, happen
from grouser.scenario.run import Loaded
from grouser.simulation import Simulation
from grouser.simulation.events import Kick, Place, Pull, Push, Vector

PULL_RATE, PULL_DAMPING, PULL_LIMIT = 8.0, 0.7, 2.0
"""Natural frequency of a robot at the spring of a pull [rad/s], its damping ratio [1], and the
largest force over the robot's weight [1]."""


class SimulatedRobot:
    """One simulated robot, the driven one or a ghost, and its last finite motion."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded, self.simulation = loaded, loaded.start()
        self.motion = self.simulation.motion

    def advance(self, command: Command) -> None:
        """Follow `command` for one tick."""
        self.motion = self.simulation.advance(command)

    def happen(self, event: ScenarioEvent) -> None:
        """Let something happen at the beginning of the next tick."""
        happen(event, self.simulation, self.loaded.scenario)


class Touchable:
    """A robot and its ghosts, which can be pulled, pushed, kicked, put down and changed.

    All of it is recorded with the run, and replays.
    """

    _robots: list[SimulatedRobot]
    robot: Robot
    """The robot as its file describes it."""
    was_driven: bool
    """Whether belts were commanded to move, or the robot was touched, in this run."""
    idle_ticks: int
    """Number of ticks since the last command to move belts."""

    @property
    def simulation(self) -> Simulation:
        """Simulation of the driven robot."""
        return self._robots[0].simulation

    @property
    def motion(self) -> Motion:
        """Motion of the robot."""
        return self._robots[0].motion

    def pull(self, point: Vector, target: Vector) -> None:
        """Pull a point of the robot [m] to a point of the world [m] by a spring."""
        mass = self.robot.mass
        stiffness = mass * PULL_RATE**2
        spring = {"stiffness": stiffness, "damping": 2.0 * mass * PULL_RATE * PULL_DAMPING}
        limit = PULL_LIMIT * GRAVITY * mass
        self._happen(Pull(time=self._now, target=target, point=point, limit=limit, **spring))

    def let_go(self) -> None:
        """End the pull."""
        self._happen(Pull(time=self._now, target=None))

    def kick(self, impulse: Vector, point: Vector = (0.0, 0.0, 0.0)) -> None:
        """Kick the robot, and ghosts that have forces: an impulse in the world [N s]."""
        self._happen(Kick(time=self._now, impulse=impulse, point=point), *self._robots[1:])

    def put(self, pose: Pose) -> None:
        """Put the robot at a pose, at rest."""
        self._happen(Place(time=self._now, pose=pose))

    def push(self, force: Vector, duration: float, point: Vector = (0.0, 0.0, 0.0)) -> None:
        """Push a point of the robot [m] by a force in the world [N] for some time [s]."""
        self._happen(Push(time=self._now, duration=duration, force=force, point=point))

    def bring_ghosts(self) -> None:
        """Put all ghosts where the robot is."""
        for robot in self._robots[1:]:
            robot.happen(Place(time=robot.simulation.time, pose=self.motion.pose))

    def change(self, key: str, value: float | str | bool) -> None:
        """Change a number of robot, model or variation from now on; ghosts follow if they can.

        Raises:
            GrouserError: There is no such key, or the model cannot have this value.
        """
        event = Change(time=self._now, key=key, value=value)
        self._happen(event, *(() if key.startswith("model.") else self._robots[1:]))

    @property
    def changes_by_hand(self) -> dict[str, float | str | bool]:
        """Keys that a person changed in this run, and their last values."""
        # A robot that is measured has no simulation.
        events = self.simulation.events.live if self._robots else ()
        return {event.key: event.value for event in events if isinstance(event, Change)}

    @property
    def changes(self) -> dict[str, float | str | bool]:
        """Keys that were changed in this run, and their last values."""
        events = self.simulation.events.all
        return {event.key: event.value for event in events if isinstance(event, Change)}

    @property
    def force_from_outside(self) -> tuple[Vector, Vector] | None:
        """Where a pull acts in the world [m], and its force [N]; None if nothing pulls."""
        pull = self.simulation.events.acting.pull
        if pull is None:
            return None
        pose, force = self.motion.pose, pull.force(self.motion)
        x, y, z = (pose.matrix @ np.array(pull.point)).tolist()
        at = (float(pose.x) + x, float(pose.y) + y, float(pose.z) + z)
        return at, (float(force[0]), float(force[1]), float(force[2]))

    @property
    def _now(self) -> float:
        return self.simulation.time

    def _happen(self, event: ScenarioEvent, *ghosts: SimulatedRobot) -> None:
        """Let something happen to the robot, and to ghosts that can have it."""
        check_count((*self.simulation.events.all, event))
        self._robots[0].happen(event)
        if not isinstance(event, Change):
            self.was_driven, self.idle_ticks = True, 0
        for ghost in ghosts:
            own = replace(event, time=ghost.simulation.time)
            with suppress(GrouserError):
                ghost.happen(own)

    @property
    def spring(self) -> tuple[Vector, Vector, Vector] | None:
        """Where a spring pulls at the robot [m], where it is held [m], and its force [N]."""
        pull, acting = self.simulation.events.acting.pull, self.force_from_outside
        if pull is None or pull.target is None or acting is None:
            return None
        return acting[0], pull.target, acting[1]
