"""The interface of all models: Model, Plant, Command, Motion, Contact."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.geometry import Pose, Scalar, Twist
from grouser.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One speed per drive and one angle per flipper, in the robot's order."""

    belt_speeds: tuple[Scalar, ...]
    """Speed of each track's belt or wheel's rim, positive drives forward [m/s]."""
    flipper_angles: tuple[Scalar, ...] = ()
    """Angle of each flipper about body y, positive lowers its front end [rad]."""
    motor_voltages: tuple[Scalar, ...] = ()
    """Voltage of each drive's motor, for models that have motors [V]."""


def command_sides(robot: Robot, left: Scalar, right: Scalar) -> Command:
    """Return the command that drives every left drive at `left` and every right one at `right`.

    Flippers are commanded to their rest angle.
    """
    by_side = {"left": left, "right": right}
    return Command(
        belt_speeds=tuple(by_side[drive.side] for drive in robot.drives),
        flipper_angles=tuple(flipper.rest_angle for flipper in robot.flippers),
    )


@dataclass(frozen=True, slots=True)
class SideMeans:
    """Mean over the drives of the left side, and of the right side, of a quantity of each drive."""

    left: tuple[int, ...]
    """Positions of the left drives in the robot's order."""
    right: tuple[int, ...]
    """Positions of the right drives."""

    @classmethod
    def of(cls, robot: Robot) -> "SideMeans":
        """Return the means for a robot, which has drives on both sides."""
        sides = [drive.side for drive in robot.drives]
        left = tuple(i for i, side in enumerate(sides) if side == "left")
        return cls(left, tuple(i for i, side in enumerate(sides) if side == "right"))

    def __call__(self, values: Sequence[Any] | NDArray[np.float64]) -> tuple[Any, Any]:
        """Return the left and the right mean of one value or array per drive."""
        return _mean(values, self.left), _mean(values, self.right)


def _mean(values: Sequence[Any] | NDArray[np.float64], places: tuple[int, ...]) -> Any:
    total = values[places[0]]
    for place in places[1:]:
        total = total + values[place]
    return total if len(places) == 1 else total / len(places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """One contact point between a track, flipper or wheel and the ground."""

    drive: str
    """Name of the track, flipper or wheel."""
    position_in_world: tuple[float, float, float]
    """Position of the contact point [m]."""
    normal_in_world: tuple[float, float, float]
    """Unit normal, out of the ground [1]."""
    force_in_world: tuple[float, float, float]
    """Force of the ground on the robot, normal and friction together [N]."""
    slip_in_world: tuple[float, float, float]
    """Velocity of the belt's surface relative to the ground [m/s]."""


LEAST_SHOWN_BELT = 0.05
"""Belt speed below which people are shown no slip ratio [m/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """Pose, velocity, belts and flippers of a robot; tracks and wheels in the robot's order."""

    pose: Pose
    """Body frame in the world frame."""
    twist: Twist
    """Velocity of the body, in the body frame."""
    belt_speeds_commanded: tuple[Scalar, ...]
    """Commanded belt speeds [m/s]."""
    belt_speeds: tuple[Scalar, ...]
    """Actual belt speeds [m/s]."""
    belt_travels: tuple[Scalar, ...]
    """Signed distance that each belt or rim has run since the start; see `add_travels` [m]."""
    flipper_angles: tuple[Scalar, ...] = ()
    """Angle of each flipper about body y, positive lowers its front end [rad]."""
    slips: tuple[Scalar, ...] = ()
    """Slip ratio of each track, 1 - ground speed / belt speed; 0 at standstill [1]."""
    works: tuple[Scalar, ...] = ()
    """Work of each motor on its belt since the start; empty if the model has no forces [J]."""
    phase: Scalar = 0.0
    """Active phase of models that have phases; see the model's page [1]."""
    contacts: tuple[Contact, ...] = ()
    """Contacts; empty unless the model computes them and `contacts` is on."""
    tip_over_margin: float | None = None
    """Distance of the centre of mass inside the support polygon, with `contacts` on; negative
    where the robot tips over [m]."""

    @property
    def shown_slips(self) -> tuple[float, ...]:
        """Slip ratios of one robot for people: NaN where a belt nearly stands [1].

        Near standstill the ratio divides by almost nothing: -316 % while a robot brakes.
        """
        pairs = zip(self.slips, self.belt_speeds, strict=True) if self.slips else ()
        return tuple([float(s) if abs(belt) >= LEAST_SHOWN_BELT else math.nan for s, belt in pairs])

    @property
    def stopped(self) -> "Motion":
        """The same place, with nothing that moves: how a robot is shown whose run was stopped."""
        still = tuple(0.0 for _ in self.belt_speeds)
        return replace(
            self, twist=Twist(), belt_speeds_commanded=still, belt_speeds=still,
            slips=tuple(0.0 for _ in self.slips),
        )  # fmt: skip

    def force_on(self, drive: str) -> tuple[float, float]:
        """Return the normal and the friction force on a drive or flipper, from contacts [N]."""
        normal = friction = 0.0
        for contact in self.contacts:
            if contact.drive == drive:
                pairs = tuple(zip(contact.force_in_world, contact.normal_in_world, strict=True))
                load = sum(force * along for force, along in pairs)
                normal += load
                friction += sum((force - load * along) ** 2 for force, along in pairs) ** 0.5
        return normal, friction


def add_travels(
    travels: tuple[Scalar, ...], belt_speeds: tuple[Scalar, ...], duration: float
) -> tuple[Scalar, ...]:
    """Return belt travels one tick later: travel + speed at the end of the tick x duration [m].

    Every plant uses this rule, so that a travel is the sum of a log's belt speeds times its ticks.
    """
    return tuple([t + speed * duration for t, speed in zip(travels, belt_speeds, strict=True)])


class State(Protocol):
    """All that the next tick of robots depends on, as a value; one robot is a state of one.

    It can be kept, given back to the plant that it is from, and given to other plants of the same
    model, robot and course: a plant of n robots takes a state of n, or gives that of one robot to
    all of them. Friction, mass, payload and gains belong to the plant, not to its state.
    """

    @property
    def count(self) -> int:
        """How many robots it is of."""
        ...

    def take(self, robots: Sequence[int] | NDArray[Any]) -> "State":
        """Return the states of some of the robots, by their numbers; a number may repeat."""
        ...


class Plant(Protocol):
    """A robot on a course, advanced tick by tick. The only mutable part of a model.

    A plant that was started or reset with a pose of arrays moves as many robots at once.
    """

    @property
    def motion(self) -> Motion:
        """Current motion of the robot."""
        ...

    @property
    def state(self) -> State:
        """Complete state as a value, to rewind, replay or branch a simulation.

        Set, it raises InvalidValue if it is of another kind of plant, or neither of one robot nor
        of as many as the plant has.
        """
        ...

    @state.setter
    def state(self, state: Any) -> None: ...

    def reset(self, pose: Pose | None = None) -> None:
        """Reset to rest at `pose`, or at the start of the course."""
        ...

    def advance(self, command: Command, duration: float) -> None:
        """Apply `command` for `duration` seconds."""
        ...

    def turn(self, yaw: Scalar) -> None:
        """Turn the robot about its origin, at once: a disturbance from outside [rad]."""
        ...

    def move(self, pose: Pose) -> None:
        """Put the robot at a pose, at rest; its flippers and the travel of its belts stay."""
        ...


@runtime_checkable
class PushedPlant(Protocol):
    """A plant of a model with forces, on which others can act from outside."""

    def push(self, force: Sequence[float], moment: Sequence[float]) -> None:
        """Let a force [N] and a moment [N m] act on the hull until the next call.

        Both are in the world frame, the moment about the body's origin.
        """


class Plants(Plant, Protocol):
    """A plant of many robots, of which some can be reset while the others go on."""

    def reset_some(
        self,
        which: NDArray[np.bool_],
        pose: Pose,
        friction: Scalar | None = None,
        mass: Scalar | None = None,
    ) -> None:
        """Reset the robots of a mask to their poses at rest; entries of others are ignored.

        Factors on all friction and on all masses and inertias, of each, are as before if None [1].
        """
        ...


class Model(Protocol):
    """A model of motion with its parameters. Frozen."""

    name: ClassVar[str]
    """Name in the catalogue, in options and in logs."""
    summary: ClassVar[str]
    """One line for lists."""
    source: ClassVar[str]
    """Publication."""
    computed_by: ClassVar[str]
    """Library that computes the motion, with its version."""
    features: ClassVar[frozenset[str]]
    """Supported features of courses and robots (`Course.features`)."""

    def start(self, robot: Robot, course: Course, pose: Pose | None = None) -> Plant:
        """Put the robot on the course, at `pose` or at the start of the course."""
        ...


CATALOGUE: Registry[type[Any]] = Registry(
    "model",
    "grouser.models",
    needs=("name", "summary", "source", "computed_by", "features", "start"),
)
"""The models by name, from the simplest to the most detailed; then those of plug-ins."""
