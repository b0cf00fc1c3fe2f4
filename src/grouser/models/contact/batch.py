"""Many robots at once, each as if it were alone: same numbers, bit for bit, on all cores."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar, Twist, wrap_angle
from grouser.models.command import Command
from grouser.models.contact.advance_robots import advance_robots, read_robots
from grouser.models.contact.count_steps import count_steps
from grouser.models.contact.kept_memory import KeptMemory
from grouser.models.contact.layout import engine_layout
from grouser.models.contact.motor_targets import motor_targets
from grouser.models.contact.plant import STATE, ContactPlant
from grouser.models.contact.scale_scene import scale_scene
from grouser.models.contact.scene import Scene
from grouser.models.contact.workspace import MOST_CONTACTS, make_memories, memory_of
from grouser.models.drivetrain import Drivetrain
from grouser.models.flipper_servo import reach_angles
from grouser.models.kinematic import slip_ratio
from grouser.models.motion import Motion

SLICES_PER_THREAD = 4
"""Into how many slices each thread's share is cut, as some robots take longer than others [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchState:
    """All that the next step depends on; robots along the first axis of arrays."""

    engine: NDArray[np.float64]
    """The engine's own states, in the engine's units [SI]."""
    memory: KeptMemory
    """What the traction remembers."""
    belt_speeds_commanded: tuple[Scalar, ...]
    """Speeds that were asked for [m/s]."""
    targets: tuple[Scalar, ...]
    """Speeds that the motors work towards [m/s]."""
    flipper_angles: tuple[Scalar, ...]
    """Where each flipper's control is [rad]."""
    yaw: NDArray[np.float64]
    """Headings, never wrapped [rad]."""


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
        self.count = _count(poses)
        self._threads = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self._threads)
        frictions, masses = (_each(f, self.count) for f in (friction, mass_factor))
        efficiencies = _each(steering_efficiency, self.count)

        def start(number: int) -> ContactPlant:
            factors = float(frictions[number]), float(masses[number])
            return ContactPlant(
                scale_scene(scene, *factors, own_friction=own_friction),
                robot,
                course,
                poses[number],
                own_friction=own_friction,
                linear_gain=linear_gain,
                angular_gain=angular_gain,
                steering_efficiency=None
                if steering_efficiency is None
                else float(efficiencies[number]),
                friction_factor=factors[0],
                push_gains=push_gains,
            )

        self._plants = list(self._pool.map(start, range(self.count)))
        self._share_memory()
        self._start()

    def reset(self, pose: Pose | None = None) -> None:
        """Stand still at `pose`, or all at the start of the course.

        Raises:
            InvalidValue: There are not as many poses as robots.
        """
        if pose is not None and _count(pose) not in (0, self.count):
            raise InvalidValue("poses", _count(pose), f"be as many as robots, {self.count}")
        list(
            self._pool.map(
                lambda i: self._plants[i].reset(None if pose is None else pose[i]),
                range(self.count),
            )
        )
        self._start()

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

        def work(first: int, end: int) -> None:
            advance_robots(
                first, end, steps, self._own_friction, self._models, self._datas, controls, at,
                tables, self.memories,
            )  # fmt: skip

        self._run(work)
        self._follow_yaw()

    def turn(self, yaw: float) -> None:
        """Turn each robot about its origin, at once: a disturbance from outside [rad]."""
        for plant in self._plants:
            plant.turn(yaw)
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
        self._angles, self._yaw = state.flipper_angles, state.yaw
        self._set_belts()

    @property
    def motion(self) -> Motion:
        """Where the robots are and how they move now; every field an array."""
        q, v = self._read()
        r = _rotation(q[:, 3:7])
        vx, vy, vz = (r[0][k] * v[:, 0] + r[1][k] * v[:, 1] + r[2][k] * v[:, 2] for k in range(3))
        roll, pitch = np.arctan2(r[2][1], r[2][2]), -np.arcsin(np.clip(r[2][0], -1.0, 1.0))
        rates = {"roll_rate": v[:, 3], "pitch_rate": v[:, 4], "yaw_rate": v[:, 5]}
        belts = tuple(belt.copy() for belt in self.memories.belts[:, :-1].T)
        return Motion(
            pose=Pose(x=q[:, 0], y=q[:, 1], z=q[:, 2], roll=roll, pitch=pitch, yaw=self._yaw),
            twist=Twist(vx=vx, vy=vy, vz=vz, **rates),
            belt_speeds_commanded=self._commanded,
            belt_speeds=belts,
            flipper_angles=tuple(q[:, joint] for joint in self.scene.flipper_joints),
            slips=tuple(
                slip_ratio(belt, vx - v[:, 5] * place)
                for belt, place in zip(belts, self._y, strict=True)
            ),
        )

    def _share_memory(self) -> None:
        """Put the memories of all robots side by side, as compiled code wants them."""
        self.memories = make_memories(self.count, self._plants[0].memory)
        for number, plant in enumerate(self._plants):
            shared, used = memory_of(self.memories, number), int(plant.memory.count[0])
            for theirs, ours in zip(plant.memory, shared, strict=True):
                is_list = len(ours) > MOST_CONTACTS
                rows = 2 * (used + 1) if is_list else len(ours)  # the rest is never read
                ours[:rows] = theirs[:rows]
            plant.memory = shared
        self._models = np.array([plant.scene.model._address for plant in self._plants], np.int64)
        self._datas = np.array([plant.data._address for plant in self._plants], np.int64)

    def _start(self) -> None:
        stand = tuple(np.zeros(self.count) for _ in self._y)
        self._commanded = self._targets = stand
        flippers = self._robot.flippers
        self._angles = tuple(np.full(self.count, flipper.rest_angle) for flipper in flippers)
        self._yaw = np.array([float(plant.motion.pose.yaw) for plant in self._plants])

    def _run(self, work: Callable[[int, int], None]) -> None:
        """Let the threads work on slices of the robots."""
        slices = min(self.count, self._threads * SLICES_PER_THREAD)
        edges = np.linspace(0, self.count, slices + 1).astype(int).tolist()
        list(self._pool.map(work, edges[:-1], edges[1:]))

    def _set_belts(self) -> None:
        """Hand the drives' speeds to the traction, or to the engine's own friction."""
        speeds = np.array([_each(target, self.count) for target in self._targets])
        motors, mean, difference = motor_targets(speeds, self._y < 0.0, *self._gains)
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


def _rotation(quaternions: NDArray[np.float64]) -> tuple[tuple[NDArray[np.float64], ...], ...]:
    """Return the rotation matrices of quaternions, as rows of arrays, as the engine does."""
    w, x, y, z = quaternions.T
    return (
        (w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
