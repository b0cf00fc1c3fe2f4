"""Many robots at once, each as if it were alone: same numbers, bit for bit, on all cores."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar, wrap_angle
from grouser.models.contact.advance_robots import advance_robots, read_robots
from grouser.models.contact.batch_state import BatchState
from grouser.models.contact.count_steps import count_steps
from grouser.models.contact.kept_memory import KeptMemory
from grouser.models.contact.layout import engine_layout
from grouser.models.contact.motor_targets import motor_targets
from grouser.models.contact.plant import STATE, ContactPlant
from grouser.models.contact.read_hulls import read_hulls
from grouser.models.contact.scale_scene import scale_scene
from grouser.models.contact.scene import Scene
from grouser.models.contact.supervision import Threads, Turns, heed_warnings
from grouser.models.contact.workspace import MOST_CONTACTS, make_memories, memory_of
from grouser.models.kinematic import Drivetrain, merge_states, reach_angles, slip_ratio
from grouser.models.model import Command, Motion, SideMeans, add_travels


class ContactBatch:
    """Robots of one kind on one course that do not see each other."""

    def __init__(
        self,
        scene: Scene,
        robot: Robot,
        course: Course,
        poses: Pose,
        *,
        own_friction: bool = True,
        linear_gain: float = 1.0,
        angular_gain: float = 1.0,
        steering_efficiency: Scalar | None = None,
        friction: Scalar | None = None,
        mass_factor: Scalar | None = None,
        push_gains: tuple[float, float, float] | None = None,
        threads: int | None = None,
    ) -> None:
        """Put the robots on the ground.

        Args:
            scene: The engine's model of robot and course.
            robot: What stands there.
            course: What they stand on.
            poses: Where; as many robots as its longest field has numbers.
            own_friction: Whether friction is ours, or the engine's.
            linear_gain: Factor on the mean of the two sides' speeds [1].
            angular_gain: Factor on their difference [1].
            steering_efficiency: If given, friction acts along circles about the centre of
                rotation that follows from it (P1), for all robots or for each [1].
            friction: Factor on all friction, for all robots or for each [1].
            mass_factor: Factor on all masses and inertias, for all robots or for each [1].
            push_gains: Gains of a virtual force in place of friction, as for `ContactPlant`.
            threads: How many threads advance them; all cores if not given.
        """
        self.scene, self._robot, self._own_friction = scene, robot, own_friction
        self._gains, self._efficiency = (linear_gain, angular_gain), steering_efficiency
        self._pushed, self._drivetrain = push_gains is not None, Drivetrain.of(robot)
        self._y = np.array([drive.y for drive in robot.drives])
        self._sides = SideMeans.of(robot)
        self.count = _count(poses)
        self._threads = Threads(threads, Turns(held=bool(scene.model.neq)))

        def start(pose: Pose, friction: float, mass: float, efficiency: float) -> ContactPlant:
            return ContactPlant(
                scale_scene(scene, friction, mass, own_friction=own_friction),
                robot,
                course,
                pose,
                own_friction=own_friction,
                linear_gain=linear_gain,
                angular_gain=angular_gain,
                steering_efficiency=None if steering_efficiency is None else efficiency,
                friction_factor=friction,
                push_gains=push_gains,
                turns=self._threads.turns,
            )

        self._start_one = start
        factors = (friction, mass_factor, steering_efficiency)
        self._factors = [_each(factor, self.count).copy() for factor in factors]
        everyone = range(self.count)
        self._plants = self._start_plants(everyone, poses)
        self.memories = make_memories(self.count, self._plants[0].memory)
        self._models, self._datas = np.zeros((2, self.count), np.int64)
        self._share_memory(everyone)
        self._start()

    def reset(self, pose: Pose | None = None) -> None:
        """Stand still at `pose`, or all at the start of the course.

        Raises:
            InvalidValue: There are not as many poses as robots.
        """
        if pose is not None and _count(pose) not in (0, self.count):
            raise InvalidValue("poses", _count(pose), f"be as many as robots, {self.count}")
        self._threads.map(
            lambda i: self._plants[i].reset(None if pose is None else pose[i]), range(self.count)
        )
        self._start()

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
        numbers = np.flatnonzero(which).tolist()
        for number, factor in enumerate((friction, mass)):
            if factor is not None:
                self._factors[number][which] = _each(factor, self.count)[which]
        for number, plant in zip(numbers, self._start_plants(numbers, pose), strict=True):
            self._plants[number] = plant
        self._share_memory(numbers)
        before = self._commanded, self._targets, self._travels, self._angles, self._yaw
        self._start()
        now = self._commanded, self._targets, self._travels, self._angles, self._yaw
        merged = merge_states(which, now, before)
        self._commanded, self._targets, self._travels, self._angles, self._yaw = merged

    def advance(self, command: Command, duration: float) -> None:
        """Obey `command`, numbers or arrays of one number per robot, for `duration` seconds."""
        steps = count_steps(duration, self.scene.model.opt.timestep)
        self._commanded = tuple(_each(speed, self.count) for speed in command.belt_speeds)
        asked = tuple(_each(angle, self.count) for angle in command.flipper_angles)
        self._targets = self._drivetrain.reach(self._targets, self._commanded, duration)
        self._angles = reach_angles(self._robot, self._angles, asked, duration)
        self._set_belts()
        controls = np.zeros((self.count, len(self._angles)))
        for number, angles in enumerate(self._angles):
            controls[:, number] = angles
        at, tables = engine_layout(), self.scene.tables

        def work(first: int, end: int, turn: int) -> None:
            advance_robots(
                first, end, turn, self._own_friction, self._models, self._datas, controls, at,
                tables, self.memories,
            )  # fmt: skip

        self._threads.slice(self.count, steps, work)
        for plant in self._plants:
            heed_warnings(plant.data, plant.memory, self._robot.name)
        self._travels = add_travels(self._travels, self._belts, duration)
        self._follow_yaw()

    def turn(self, yaw: Scalar) -> None:
        """Turn each robot about its origin, at once: a disturbance from outside [rad]."""
        for plant, angle in zip(self._plants, _each(yaw, self.count), strict=True):
            if angle != 0.0:
                plant.turn(angle)
        self._yaw = self._yaw + yaw

    @property
    def state(self) -> Any:
        """All that `advance` depends on."""
        size = mujoco.mj_stateSize(self.scene.model, STATE)
        engine = np.zeros((self.count, size))
        for plant, row in zip(self._plants, engine, strict=True):
            mujoco.mj_getState(plant.scene.model, plant.data, row, STATE)
        return BatchState(
            engine=engine,
            memory=KeptMemory.of(self.memories),
            belt_speeds_commanded=self._commanded,
            belt_travels=self._travels,
            targets=self._targets,
            flipper_angles=self._angles,
            yaw=self._yaw,
        )

    @state.setter
    def state(self, state: BatchState) -> None:
        for plant, row in zip(self._plants, state.engine, strict=True):
            mujoco.mj_setState(plant.scene.model, plant.data, row, STATE)
        state.memory.restore(self.memories)
        self._commanded, self._targets = state.belt_speeds_commanded, state.targets
        self._travels = state.belt_travels
        self._angles, self._yaw = state.flipper_angles, state.yaw
        self._set_belts()

    @property
    def motion(self) -> Motion:
        """Where the robots are and how they move now; every field an array."""
        q, v = self._read()
        pose, twist = read_hulls(q, v, self._yaw)
        belts = self._belts
        return Motion(
            pose=pose,
            twist=twist,
            belt_speeds_commanded=self._commanded,
            belt_speeds=belts,
            belt_travels=self._travels,
            flipper_angles=tuple(q[:, joint] for joint in self.scene.flipper_joints),
            slips=tuple(
                slip_ratio(belt, twist.vx - twist.yaw_rate * place)
                for belt, place in zip(belts, self._y, strict=True)
            ),
            works=tuple(work.copy() for work in self.memories.work[:, :-1].T)
            if self._own_friction and not self._pushed
            else (),
        )

    @property
    def _belts(self) -> tuple[NDArray[np.float64], ...]:
        return tuple(belt.copy() for belt in self.memories.belts[:, :-1].T)

    def _start_plants(self, numbers: Sequence[int], poses: Pose) -> list[ContactPlant]:
        """Return robots by their numbers, at rest; threads share the work."""
        factors = ([float(of_all[i]) for i in numbers] for of_all in self._factors)
        return self._threads.map(self._start_one, [poses[i] for i in numbers], *factors)

    def _share_memory(self, numbers: Sequence[int]) -> None:
        """Put the memories of robots side by side, as compiled code wants them."""
        for number in numbers:
            plant = self._plants[number]
            shared, used = memory_of(self.memories, number), int(plant.memory.count[0])
            for theirs, ours in zip(plant.memory, shared, strict=True):
                is_list = len(ours) > MOST_CONTACTS
                rows = 2 * (used + 1) if is_list else len(ours)  # the rest is never read
                ours[:rows] = theirs[:rows]
            plant.memory = shared
            self._models[number] = plant.scene.model._address
            self._datas[number] = plant.data._address

    def _start(self) -> None:
        stand = tuple(np.zeros(self.count) for _ in self._y)
        self._commanded = self._targets = self._travels = stand
        flippers = self._robot.flippers
        self._angles = tuple(np.full(self.count, flipper.rest_angle) for flipper in flippers)
        self._yaw = np.array([float(plant.motion.pose.yaw) for plant in self._plants])

    def _set_belts(self) -> None:
        """Hand the drives' speeds to the traction, or to the engine's own friction."""
        speeds = np.array([_each(target, self.count) for target in self._targets])
        motors, mean, difference = motor_targets(speeds, self._sides, *self._gains)
        self.memories.targets[:, :-1] = motors.T
        if self._efficiency is not None:
            linear, angular = self._gains
            rate = self._efficiency * angular * difference / self._robot.gauge
            steering = (np.full(self.count, not self._pushed), linear * mean, rate)
            self.memories.steering[:] = np.stack(steering, axis=1)
        if not self._own_friction:
            self.memories.belts[:] = self.memories.targets
            tables = self.scene.tables
            for plant, belts in zip(self._plants, self.memories.belts, strict=True):
                surface = tables.surface * belts[tables.drive][:, None]
                plant.scene.model.geom_surfacevel[:] = surface

    def _read(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        model = self.scene.model
        positions, velocities = np.zeros((self.count, model.nq)), np.zeros((self.count, model.nv))
        read_robots(self._datas, positions, velocities, engine_layout())
        return positions, velocities

    def _follow_yaw(self) -> None:
        w, x, y, z = self._read()[0][:, 3:7].T
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        self._yaw = self._yaw + wrap_angle(yaw - self._yaw)


def _count(poses: Pose) -> int:
    """Return how many robots poses are for; 0 if all fields are plain numbers."""
    return max(np.size(value) if np.ndim(value) else 0 for value in _values(poses))


def _values(pose: Pose) -> list[Scalar]:
    return [getattr(pose, field.name) for field in fields(pose)]


def _each(value: Scalar | None, count: int) -> NDArray[np.float64]:
    """Return one number per robot; 1 if none is given."""
    return np.broadcast_to(np.asarray(1.0 if value is None else value, np.float64), (count,))
