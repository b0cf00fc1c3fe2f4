"""The seam between models in three dimensions and what computes them: Engine, World.

An engine builds a world from a `TrackScene`: n >= 1 robots of one kind on one course that do not
touch each other. One robot is a world of one. Arrays have robots along their first axis, drives,
flippers or columns along the second. Everything above the seam (plants, environments, drawings)
uses only what stands here.
"""

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue, Unsupported
from grouser.geometry import Array, Pose, Scalar
from grouser.models.contact.scene import TrackScene
from grouser.registry import Registry

if TYPE_CHECKING:
    from grouser.models.contact.traction.belts import DriveTable
    from grouser.models.ground.ruts import RutGrid


class Reading(IntEnum):
    """Columns of `World.readings`."""

    X, Y, Z = 0, 1, 2
    """Place of the body's origin [m]."""
    ROLL, PITCH, YAW = 3, 4, 5
    """Attitude; yaw is not wrapped [rad]."""
    VX, VY, VZ = 6, 7, 8
    """Velocity of the body's origin, in the body frame [m/s]."""
    ROLL_RATE, PITCH_RATE, YAW_RATE = 9, 10, 11
    """Angular velocity, in the body frame [rad/s]."""


READINGS = 12
"""Columns of `World.readings`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOptions:
    """How a world is advanced."""

    timestep: float = 0.001
    """Step of the engine [s]."""
    sweeps: int = 20
    """Largest number of sweeps over the contacts in a step [1]."""
    tolerance: float = 2e-5
    """Change of the impulses that ends the first sweeps, over the impulse of the weight; later ones
    end at 50 times as much [1]."""
    threads: int | None = None
    """Threads that share the robots; all cores if None."""
    single: bool = False
    """Whether numbers of many robots have single precision."""
    ruts: bool = True
    """Whether belts leave ruts in soil, on courses that keep them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """How robots of one kind differ: one number for all, or one for each."""

    friction: Scalar = 1.0
    """Factor on the friction of all surfaces [1]."""
    mass: Scalar = 1.0
    """Factor on all masses and moments of inertia [1]."""
    payload: Scalar = 0.0
    """Mass of a point that is fixed to the hull [kg]."""
    payload_x: Scalar = 0.0
    """Its place along x, in the body frame [m]."""
    payload_y: Scalar = 0.0
    """Its place along y [m]."""
    payload_z: Scalar = 0.0
    """Its place along z [m]."""
    linear_gain: Scalar = 1.0
    """Factor on the mean of the two sides' belt speeds [1]."""
    angular_gain: Scalar = 1.0
    """Factor on their difference [1]."""

    def table(self, count: int) -> Array:
        """Return the numbers of each robot: robots along the first axis, fields in order.

        Raises:
            InvalidValue: A field has neither one number nor one for each robot.
        """
        columns = []
        for field in fields(self):
            value = np.asarray(getattr(self, field.name), np.float64)
            if value.shape not in ((), (1,), (count,)):
                required = f"have one number for each of {count} robots"
                raise InvalidValue(field.name, f"{value.size} numbers", required)
            columns.append(np.broadcast_to(value, (count,)))
        return np.stack(columns, axis=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactTable:
    """Contacts of one robot in the last step; one row each, vectors in the world frame."""

    belt: tuple[str, ...]
    """Name of the track, flipper or wheel; "hull" for the body itself."""
    position: Array
    """Where the load acts (m, 3) [m]."""
    normal: Array
    """Unit normal, out of the ground (m, 3) [1]."""
    force: Array
    """Force of the ground on the robot, normal and friction together (m, 3) [N]."""
    slip: Array
    """Velocity of the belt's surface relative to the ground (m, 3) [m/s]."""


class World(Protocol):
    """Robots of one kind on one course, advanced together; no robot affects another."""

    count: int
    """How many robots."""
    timestep: float
    """Step of the engine [s]."""

    def place(self, which: NDArray[np.bool_], poses: Pose) -> None:
        """Put the robots of a mask down at their poses, at rest, flippers at their rest angles.

        Raises:
            InvalidValue: An obstacle is in the way that no robot of this size can stand on.
        """
        ...

    def vary(self, which: NDArray[np.bool_], table: Array) -> None:
        """Set what differs between robots, by the columns of `Variation.table`."""
        ...

    def drive(self, drives: "DriveTable", limits: Array, duration: float, steps: int) -> None:
        """Obey the commands of a table for a tick of some steps, within the drives' limits [s].

        Targets, angles and travels of the table are brought up to date. An engine without a tick
        of its own derives from `SteppedWorld`.
        """
        ...

    def turn(self, yaw: Array) -> None:
        """Turn each robot about its origin and the world's z axis, at once [rad]."""
        ...

    def push(self, force: Array, moment: Array) -> None:
        """Let a force (n, 3) [N] and a moment [N m] act on each hull until the next call.

        Both are in the world frame, the moment about the body's origin.
        """
        ...

    def move(self, pose: Pose) -> None:
        """Put the only robot at a pose as it is, at rest; flippers and belts stay as they are."""
        ...

    @property
    def readings(self) -> Array:
        """Pose and twist of each robot (n, READINGS), see `Reading`."""
        ...

    @property
    def belt_speeds(self) -> Array:
        """Actual speed of each belt (n, drives) [m/s]."""
        ...

    @property
    def works(self) -> Array | None:
        """Work of each motor on its belt since the start (n, drives); None if not known [J]."""
        ...

    @property
    def flipper_angles(self) -> Array:
        """Actual angle of each flipper (n, flippers) [rad]."""
        ...

    @property
    def centre_of_mass(self) -> Array:
        """Centre of mass of each robot in the world frame (n, 3) [m]."""
        ...

    def contacts(self, robot: int) -> ContactTable:
        """Return the contacts of one robot in the last step."""
        ...

    def ruts(self, robot: int) -> "RutGrid | None":
        """Return the ruts of one robot, a view of what grows; None where there are none."""
        return None

    @property
    def state(self) -> Array:
        """All that `advance` depends on, a row for each robot; a setter restores it."""
        ...

    @state.setter
    def state(self, state: Array) -> None: ...


class SteppedWorld:
    """A world that is given speeds and angles and makes steps; limits of drives act before."""

    def ruts(self, robot: int) -> "RutGrid | None":
        """Return the ruts of one robot: none."""
        return None

    def drive(self, drives: "DriveTable", limits: Array, duration: float, steps: int) -> None:
        """Obey the commands of a table for a tick of some steps, within the drives' limits [s]."""
        from grouser.models.contact.traction.belts import add_travels, reach_targets

        reach_targets(drives.values, limits, duration)
        self.advance(drives.motors, drives.angles, drives.steering, steps)
        add_travels(drives.values, limits, self.belt_speeds, duration)

    def advance(self, belts: Array, flippers: Array, steering: Array, steps: int) -> None:
        """Make some steps towards belt speeds (n, drives) and flipper angles (n, flippers).

        `steering` has the mean belt speed [m/s] and the yaw rate [rad/s] that a virtual force works
        towards; other worlds ignore it.
        """
        raise NotImplementedError

    @property
    def belt_speeds(self) -> Array:
        """Actual speed of each belt (n, drives) [m/s]."""
        raise NotImplementedError


class Engine(Protocol):
    """Builds worlds."""

    name: ClassVar[str]
    """Name in `--model csm:engine=NAME` and in logs."""
    version: ClassVar[str]
    """Library that computes the motion, with its version."""
    shapes: ClassVar[frozenset[str]]
    """Shapes of tracks and ground that it supports, see `TrackScene.needs`."""
    laws: ClassVar[frozenset[str]]
    """Names of the friction laws that it supports."""

    def build(self, scene: TrackScene, law: Any, options: StepOptions, count: int) -> World:
        """Return a world of `count` robots, not yet placed."""
        ...


ENGINES: Registry[type[Any]] = Registry(
    "engine", "grouser.engines", needs=("name", "version", "shapes", "laws", "build")
)
"""The engines by name; then those of plug-ins."""
ENGINES.declare("native", "grouser.models.contact.native.engine:NativeEngine")
ENGINES.declare("mujoco", "grouser.models.mujoco.engine:MujocoEngine")


def build_world(
    engine: str, scene: TrackScene, law: Any, options: StepOptions, count: int
) -> World:
    """Return a world of an engine that supports what the scene has.

    Raises:
        Unsupported: The engine lacks a shape of the scene, or the friction law.
    """
    kind = ENGINES.find(engine)
    missing = sorted(scene.needs - kind.shapes)
    if missing:
        able = [name for name, other in ENGINES.items() if scene.needs <= other.shapes]
        raise Unsupported("this scene", f"engine {engine}", " and ".join(missing), able)
    if law.name not in kind.laws:
        able = [name for name, other in ENGINES.items() if law.name in other.laws]
        raise Unsupported("this model", f"engine {engine}", f"friction law {law.name!r}", able)
    return kind().build(scene, law, options, count)
