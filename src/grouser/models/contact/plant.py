"""Robots in three dimensions, one or many: commands, motion and state over an engine's world."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Array, Pose, Scalar, Twist
from grouser.models.contact.engine import ContactTable, Variation, World
from grouser.models.contact.scene import TrackScene
from grouser.models.contact.traction.belts import DriveTable, drive_limits
from grouser.models.ground.ruts import RutGrid
from grouser.models.kinematic import STANDING_BELT, slip_ratio
from grouser.models.model import Command, Contact, Motion
from grouser.models.tip_over import TipOverMeter

FIELDS = ("x", "y", "z", "roll", "pitch", "yaw")
"""Fields of a pose, in the order of `Reading`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactState:
    """All that the next step of robots depends on; robots along the first axis."""

    engine: Array
    """The world's own state, a row for each robot [SI]."""
    drives: DriveTable
    """Commands and what they have become."""

    @property
    def count(self) -> int:
        """How many robots it is of."""
        return len(self.engine)

    def take(self, robots: Sequence[int] | NDArray[Any]) -> "ContactState":
        """Return the states of some of the robots, by their numbers; a number may repeat."""
        rows = np.asarray(robots)
        return ContactState(engine=self.engine[rows], drives=self.drives.take(rows))


class ContactPlant:
    """Robots of one kind that move by their contacts; one robot is a batch of one."""

    def __init__(
        self,
        scene: TrackScene,
        world: World,
        pose: Pose | None = None,
        *,
        variation: Variation | None = None,
        steering_efficiency: Scalar = 1.0,
        with_contacts: bool = False,
    ) -> None:
        """Put the robots on the ground.

        Args:
            scene: The robot on its course.
            world: An engine's world of as many robots as the pose has.
            pose: Where; at the start of the course if not given.
            variation: How the robots differ from the scene.
            steering_efficiency: Yaw rate over that of an ideal drive, for models that steer by it
                [1].
            with_contacts: Whether motions have contacts and the angle until the robot tips over.
        """
        self.scene, self.world, self.count = scene, world, world.count
        self._is_many = pose is not None and pose.is_many
        self._with_contacts, self._tip_over = with_contacts, TipOverMeter(scene.robot)
        robot = scene.robot
        self._limits = drive_limits(robot)
        self._drives = DriveTable.at_rest(self.count, robot)
        self._drives.gains[:, 2] = steering_efficiency
        self._command = memoryview(self._drives.values[0])
        self._tick = 0.0, 0
        self._rest = np.array([flipper.rest_angle for flipper in robot.flippers])
        self._y = tuple(drive.y for drive in robot.drives)
        self._across = np.array(self._y)[:, None]
        self._everyone = np.ones(self.count, np.bool_)
        self._variation = (variation or Variation()).table(self.count).copy()
        self._vary(self._everyone)
        self.reset(pose)

    def reset(self, pose: Pose | None = None) -> None:
        """Reset to rest at `pose`, or at the start of the course.

        Raises:
            InvalidValue: There are not as many poses as robots, or an obstacle is in the way.
        """
        pose = self.scene.course.start_pose if pose is None else pose
        self._restart(self._everyone, pose)

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
        for column, factor in enumerate((friction, mass)):
            if factor is not None:
                given = np.broadcast_to(np.asarray(factor, np.float64), (self.count,))
                self._variation[which, column] = given[which]
        self._vary(which)
        self._restart(which, pose)

    def vary(self, variation: Variation, which: NDArray[np.bool_] | None = None) -> None:
        """Change friction, mass, payload or gains of all robots, or of those of a mask, at once."""
        which = self._everyone if which is None else which
        self._variation[which] = variation.table(self.count)[which]
        self._vary(which)

    def advance(self, command: Command, duration: float) -> None:
        """Apply `command`, numbers or one number per robot, for `duration` seconds.

        Raises:
            InvalidValue: The duration is not a multiple of the engine's step.
        """
        if duration != self._tick[0]:
            self._tick = duration, count_steps(duration, self.world.timestep)
        drives, steps = self._drives, self._tick[1]
        target: Any = drives.commanded.T if self._is_many else self._command
        for k, speed in enumerate(command.belt_speeds):
            target[k] = speed
        if command.flipper_angles:
            for k, angle in enumerate(command.flipper_angles):
                drives.asked[:, k] = angle
        elif len(self._rest):
            drives.asked[:] = drives.angles
        self.world.drive(drives, self._limits, duration, steps)
        self._motion = None

    def turn(self, yaw: Scalar) -> None:
        """Turn the robots about their origins, at once: a disturbance from outside [rad]."""
        self.world.turn(np.broadcast_to(np.asarray(yaw, np.float64), (self.count,)))
        self._motion = None

    def push(self, force: Sequence[float], moment: Sequence[float]) -> None:
        """Let a force and a moment act on the hull until the next call, from outside."""
        self.world.push(
            np.broadcast_to(np.asarray(force, np.float64), (self.count, 3)),
            np.broadcast_to(np.asarray(moment, np.float64), (self.count, 3)),
        )

    def move(self, pose: Pose) -> None:
        """Put the robot at a pose as it is, at rest, with its flippers as they are.

        Raises:
            InvalidValue: There are many robots.
        """
        if self._is_many:
            raise InvalidValue("robots", self.count, "be one robot, to be moved")
        self.world.move(pose)
        self._motion = None

    @property
    def state(self) -> ContactState:
        """All that `advance` depends on; one robot's state can be given to many."""
        drives = self._drives.take(np.arange(self.count))
        return ContactState(engine=self.world.state, drives=drives)

    @state.setter
    def state(self, state: Any) -> None:
        if not isinstance(state, ContactState):
            required = f"be the state of a robot of model {self.scene.robot.name!r} in 3D"
            raise InvalidValue("state", type(state).__name__, required)
        if state.count not in (1, self.count):
            raise InvalidValue("state", f"{state.count} robots", f"be of 1 or {self.count} robots")
        if state.count != self.count:
            state = state.take(np.zeros(self.count, np.intp))
        self.world.state = state.engine
        gains = self._drives.gains.copy()
        self._drives.values[:] = state.drives.values
        self._drives.gains[:] = gains
        self._motion = None

    @property
    def ruts(self) -> RutGrid | None:
        """Ruts of the first robot so far, a view of what grows with every step; None without."""
        return self.world.ruts(0)

    @property
    def motion(self) -> Motion:
        """Where the robots are and how they move now."""
        if self._motion is None:
            self._motion = self._read_many() if self._is_many else self._read_one()
        return self._motion

    def _read_one(self) -> Motion:
        world, drives = self.world, self._drives
        values = world.readings[0].tolist()
        belts = tuple(world.belt_speeds[0].tolist())
        twist = Twist(
            vx=values[6], vy=values[7], vz=values[8],
            roll_rate=values[9], pitch_rate=values[10], yaw_rate=values[11],
        )  # fmt: skip
        slips = tuple(
            0.0 if abs(belt) < STANDING_BELT else 1.0 - (values[6] - values[11] * y) / belt
            for belt, y in zip(belts, self._y, strict=True)
        )
        works = world.works
        contacts = read_contacts(world.contacts(0)) if self._with_contacts else ()
        pose = Pose(**dict(zip(FIELDS, values[:6], strict=True)))
        flipper_angles = tuple(world.flipper_angles[0].tolist())
        return Motion(
            pose=pose,
            twist=twist,
            belt_speeds_commanded=tuple(drives.commanded[0].tolist()),
            belt_speeds=belts,
            belt_travels=tuple(drives.travels[0].tolist()),
            flipper_angles=flipper_angles,
            slips=slips,
            works=() if works is None else tuple(works[0].tolist()),
            contacts=contacts,
            tip_over_angle=(
                self._tip_over.angle(pose, world.centre_of_mass[0], flipper_angles)
                if self._with_contacts
                else None
            ),
        )

    def _read_many(self) -> Motion:
        world, drives = self.world, self._drives
        # Copies, as callers keep motions; transposed, so that what is computed from them is fast.
        columns, belts = world.readings.T.copy(), world.belt_speeds.T.copy()
        vx, vy, vz, roll_rate, pitch_rate, yaw_rate = columns[6:]
        works = world.works
        return Motion(
            pose=Pose(**dict(zip(FIELDS, columns[:6], strict=True))),
            twist=Twist(
                vx=vx, vy=vy, vz=vz, roll_rate=roll_rate, pitch_rate=pitch_rate, yaw_rate=yaw_rate
            ),
            belt_speeds_commanded=tuple(drives.commanded.T.copy()),
            belt_speeds=tuple(belts),
            belt_travels=tuple(drives.travels.T.copy()),
            flipper_angles=tuple(world.flipper_angles.T.copy()),
            slips=tuple(np.asarray(slip_ratio(belts, vx - yaw_rate * self._across))),
            works=() if works is None else tuple(works.T.copy()),
        )

    def _restart(self, which: NDArray[np.bool_], pose: Pose) -> None:
        _check_poses(pose, which)
        drives = self._drives
        for array in (drives.commanded, drives.targets, drives.travels, drives.motors):
            array[which] = 0.0
        drives.steering[which] = 0.0
        drives.asked[which] = drives.angles[which] = self._rest
        self.world.place(which, pose)
        self._motion = None

    def _vary(self, which: NDArray[np.bool_]) -> None:
        self.world.vary(which, self._variation)
        self._drives.gains[which, :2] = self._variation[which, 6:8]


def count_robots(pose: Pose | None) -> int:
    """Return how many robots a pose is of; 1 if all its fields are numbers."""
    values = [] if pose is None else [getattr(pose, name) for name in FIELDS]
    return max((np.size(value) for value in values if np.ndim(value)), default=1)


def count_steps(duration: float, timestep: float) -> int:
    """Return how many steps of the engine a tick takes.

    Raises:
        InvalidValue: The tick is not a multiple of the step.
    """
    steps = round(duration / timestep)
    if steps < 1 or abs(steps * timestep - duration) > 1e-9:
        raise InvalidValue("dt", duration, f"be a multiple of the engine's step, {timestep:g} s")
    return steps


def _check_poses(pose: Pose, which: NDArray[np.bool_]) -> None:
    given = count_robots(pose)
    if given not in (1, len(which)):
        raise InvalidValue("poses", given, f"be as many as robots, {len(which)}")
    for value in (pose.x, pose.y, pose.yaw):
        numbers = np.broadcast_to(np.asarray(value, np.float64), which.shape)[which]
        if not np.isfinite(numbers).all():
            raise InvalidValue("start", (pose.x, pose.y, pose.yaw), "be finite numbers")


def read_contacts(table: ContactTable) -> tuple[Contact, ...]:
    """Return the contacts of a robot with the ground."""
    columns = (table.position, table.normal, table.force, table.slip)
    vectors = [[tuple(row) for row in column.tolist()] for column in columns]
    return tuple(
        Contact(
            drive=belt,
            position_in_world=position,
            normal_in_world=normal,
            force_in_world=force,
            slip_in_world=slip,
        )
        for belt, position, normal, force, slip in zip(table.belt, *vectors, strict=True)
    )
