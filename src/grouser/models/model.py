"""The contract between a way of moving and everything that uses it."""

from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar
from grouser.models.command import Command
from grouser.models.motion import Motion


class Plant(Protocol):
    """A robot on a course that moves when it is advanced. The only mutable thing in a model.

    A plant that was started or reset with a pose of arrays moves as many robots at once.
    """

    @property
    def motion(self) -> Motion:
        """Where the robot is and how it moves now."""
        ...

    @property
    def state(self) -> Any:
        """All that `advance` depends on, as a value: keep it to rewind, replay or branch."""
        ...

    @state.setter
    def state(self, state: Any) -> None: ...

    def reset(self, pose: Pose | None = None) -> None:
        """Stand still at `pose`, or at the start of the course."""
        ...

    def advance(self, command: Command, duration: float) -> None:
        """Obey `command` for `duration` seconds."""
        ...

    def turn(self, yaw: Scalar) -> None:
        """Turn the robot about its origin, at once: a disturbance from outside [rad]."""
        ...


class Plants(Plant, Protocol):
    """A plant of many robots, of which some begin anew while the others go on."""

    def reset_some(
        self,
        which: NDArray[np.bool_],
        pose: Pose,
        friction: Scalar | None = None,
        mass: Scalar | None = None,
    ) -> None:
        """Let some robots stand still at their pose, perhaps as other robots on other ground.

        Args:
            which: Whether each robot is meant.
            pose: Where each stands; what it says of the others does not count.
            friction: Factor on all friction, of each; as before if not given [1].
            mass: Factor on all masses and inertias, of each; as before if not given [1].
        """
        ...


class Model(Protocol):
    """How a robot moves: a name in the catalogue, and parameters. Frozen."""

    name: ClassVar[str]
    """What it is called in the catalogue, in flags and in logs."""
    summary: ClassVar[str]
    """One line for lists."""
    source: ClassVar[str]
    """Where it was published."""
    engine: ClassVar[str]
    """What computes the motion, with its version."""
    features: ClassVar[frozenset[str]]
    """Which features of courses and robots it describes (`Course.features`)."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course, at `pose` or at the start of the course."""
        ...
