"""A robot that is simulated or driven elsewhere, as the page shows it."""

from collections.abc import Callable
from typing import Protocol

from grouser.control import LET_GO, Sticks
from grouser.errors import GrouserError
from grouser.geometry import Pose
from grouser.log import Log
from grouser.models import Motion
from grouser.scenario import Scenario
from grouser.simulation import DEFAULT_DT
from grouser.viewer.session import Session, Snapshot, at_rest, frame_of, start_of


class ExternalRobot(Protocol):
    """A robot that is simulated or driven elsewhere; its methods are called from any thread."""

    def look(self) -> tuple[float, Motion] | None:
        """Return its time [s] and its motion; None before its run has started."""
        ...

    def log(self) -> Log | None:
        """Return its log so far; None before its run has started."""
        ...

    @property
    def is_steered(self) -> bool:
        """Whether the page drives it."""
        ...

    def steer(self, sticks: Sticks, speed: float) -> None:
        """Drive it: the sticks, and the belt speed of one at its end stop [m/s]."""

    def stop(self) -> None:
        """Stop its motors at once. A second call has no effect."""


class WatchedSession(Session):
    """A robot that is simulated elsewhere; sticks drive it only if it is to be steered."""

    def __init__(self, scenario: Scenario, external: ExternalRobot) -> None:
        self._external, self._robots = external, []
        super().__init__(scenario)

    is_elsewhere = True

    @property
    def posture(self) -> str:
        """What flippers follow is not known of a robot outside."""
        return ""

    def release(self) -> None:
        """Let its belts stand until the next tick passes sticks on."""
        if self._external.is_steered:
            self._external.steer(LET_GO, 0.0)

    def reset(self, here: Pose | None = None) -> None:
        """Start to observe; before its run has started, the robot stands at its start."""
        self._time = 0.0
        self._motion = at_rest(self.robot, start_of(self.scenario, self.course))
        self._restart()

    @property
    def tick(self) -> float:
        """Time between two observations [s]."""
        return DEFAULT_DT

    @property
    def earliest(self) -> float:
        """The present: one cannot go back [s]."""
        return self._time

    @property
    def motion(self) -> Motion:
        """Motion of the robot."""
        return self._motion

    def advance(self, sticks: Sticks) -> None:
        """Pass the sticks on, and observe the robot."""
        if self._external.is_steered:
            self._external.steer(sticks, self.speed)
        self._time, self._motion = self._external.look() or (self._time, self._motion)

    def snapshot(self) -> Snapshot:
        """Return the current state."""
        return Snapshot(
            scene=self.scene,
            run=self.run,
            time=self._time,
            mode="hand" if self._external.is_steered else "board",
            motion=self.motion,
            frames=(frame_of(self.motion),),
        )

    def logs_later(self) -> Callable[[], tuple[Log, ...]]:
        """Return a function that returns the robot's log; raises before its run has started."""
        log = self._external.log()
        if log is None:
            raise GrouserError("there is no log yet: the board's run has not started")
        return lambda: (log,)
