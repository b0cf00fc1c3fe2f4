"""MuJoCo as an engine: its own friction, to compare with ours, and belts of plates."""

from importlib.metadata import version
from typing import Any, ClassVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Array, Pose
from grouser.models.contact.engine import ContactTable, StepOptions, SteppedWorld
from grouser.models.contact.scene import TrackScene
from grouser.models.contact.supervision import STEPS_AT_ONCE, Threads, Turns
from grouser.models.mujoco.build import BuiltScene, StepControl, build, find_addition
from grouser.models.mujoco.robot import MujocoRobot

STEPS_AT_ONCE_HELD = 20
"""Steps in a turn with belts of plates, of which the finest take 10 ms a step [1]."""


class MujocoEngine:
    """Builds worlds that MuJoCo computes, with the elliptic friction cone of MuJoCo.

    Friction has no direction, and slips a little at all loads: MuJoCo's contacts are soft.
    """

    name: ClassVar[str] = "mujoco"
    version: ClassVar[str] = f"mujoco {version('mujoco')}"
    shapes: ClassVar[frozenset[str]] = frozenset(
        {"belts", "plane", "slab", "heightfield", "mesh", "treadmill", "virtual force"}
        | {"extras of mujoco"}
    )
    laws: ClassVar[frozenset[str]] = frozenset({"coulomb", "frictionless"})

    def build(self, scene: TrackScene, law: Any, options: StepOptions, count: int) -> "MujocoWorld":
        """Return a world of `count` robots, not yet placed."""
        has_friction = law.name != "frictionless"
        built = build(scene, timestep=options.timestep, has_friction=has_friction)
        return MujocoWorld(built, count, options.threads)


class MujocoWorld(SteppedWorld):
    """Robots of one kind on one course, each with a model of its own."""

    def __init__(self, built: BuiltScene, count: int, threads: int | None = None) -> None:
        """Make robots that stand nowhere yet."""
        self.built, self.count = built, count
        self.timestep = float(built.model.opt.timestep)
        turns = Turns(STEPS_AT_ONCE_HELD if built.model.neq else STEPS_AT_ONCE)
        self._threads = Threads(1 if count == 1 else threads, turns)
        control = _find_control(built)
        self.robots = tuple(MujocoRobot(built, control, turns) for _ in range(count))

    def place(self, which: NDArray[np.bool_], poses: Pose) -> None:
        """Put the robots of a mask down at their poses, at rest, flippers at their rest angles."""
        chosen = np.flatnonzero(which).tolist()
        places = [_one_pose(poses, number) for number in chosen]
        self._share(lambda robot, pose: robot.place(pose), chosen, places)

    def vary(self, which: NDArray[np.bool_], table: Array) -> None:
        """Set friction, masses and payloads of the robots of a mask."""
        for number in np.flatnonzero(which).tolist():
            self.robots[number].vary(table[number])

    def advance(self, belts: Array, flippers: Array, steering: Array, steps: int) -> None:
        """Make some steps towards belt speeds (n, drives) and flipper angles (n, flippers)."""

        def work(robot: MujocoRobot, number: int) -> None:
            robot.advance(belts[number], flippers[number], steering[number], steps)

        everyone = list(range(self.count))
        self._share(work, everyone, everyone)

    def turn(self, yaw: Array) -> None:
        """Turn each robot about its origin and the world's z axis, at once [rad]."""
        for robot, angle in zip(self.robots, yaw.tolist(), strict=True):
            robot.turn(angle)

    def push(self, force: Array, moment: Array) -> None:
        """Let a force and a moment act on the hull of each robot until the next call."""
        for robot, pushed, turned in zip(self.robots, force, moment, strict=True):
            robot.push(pushed, turned)

    def move(self, pose: Pose) -> None:
        """Put the only robot at a pose as it is, at rest."""
        self.robots[0].move(pose)

    @property
    def readings(self) -> Array:
        """Pose and twist of each robot (n, READINGS)."""
        return np.stack([robot.readings for robot in self.robots])

    @property
    def belt_speeds(self) -> Array:
        """Actual speed of each belt (n, drives) [m/s]."""
        return np.stack([robot.belt_speeds for robot in self.robots])

    @property
    def works(self) -> Array | None:
        """Work of each motor on its belt since the start (n, drives); None if not known [J]."""
        works = [robot.works for robot in self.robots]
        known = [work for work in works if work is not None]
        return np.stack(known) if len(known) == self.count else None

    @property
    def flipper_angles(self) -> Array:
        """Actual angle of each flipper (n, flippers) [rad]."""
        joints = self.built.flipper_joints
        return np.stack([robot.data.qpos[joints] for robot in self.robots])

    @property
    def centre_of_mass(self) -> Array:
        """Centre of mass of each robot in the world frame (n, 3) [m]."""
        return np.stack([robot.centre_of_mass for robot in self.robots])

    def contacts(self, robot: int) -> ContactTable:
        """Return the contacts of one robot in the last step."""
        return self.robots[robot].contacts

    @property
    def state(self) -> Array:
        """All that `advance` depends on, a row for each robot."""
        return np.stack([robot.state for robot in self.robots])

    @state.setter
    def state(self, state: Array) -> None:
        for robot, row in zip(self.robots, state, strict=True):
            robot.state = row

    def _share(self, work: Any, numbers: list[int], arguments: list[Any]) -> None:
        """Do work for some robots, each with an argument; many robots in threads."""

        def turn(thread: int, first: int, end: int, steps: int, done: int) -> None:
            for k in range(first, end):
                work(self.robots[numbers[k]], arguments[k])

        if numbers:
            self._threads.share(len(numbers), 1, turn)


class PushControl:
    """A virtual force that brings the hull to a velocity: P1's drive without friction.

    PID controls of the velocity of the centre of mass in the plane of the hull, and of the yaw
    rate. The force acts where the velocity is controlled: else it could push itself away.
    """

    size = 6
    """Integral and last value of each of the three errors."""

    def __init__(self, built: BuiltScene, gains: tuple[float, float, float]) -> None:
        self._gains, self._hull, self._built = gains, built.hull, built

    def act(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        targets: Array,
        steering: Array,
        memory: Array,
    ) -> None:
        """Set the force and torque on the hull in the next step."""
        hull, centre = self._hull, data.subtree_com[self._hull]
        rotation = data.xmat[hull].reshape(3, 3)
        arm = rotation.T @ (centre - data.xpos[hull])
        rates = data.qvel[3:6]
        velocity = rotation.T @ data.qvel[:3] + np.cross(rates, arm)
        speed, rate = steering
        errors = np.array(
            [speed - rate * arm[1] - velocity[0], rate * arm[0] - velocity[1], rate - rates[2]]
        )
        mass, moment = float(model.body_subtreemass[hull]), _yaw_inertia(model, data, hull)
        ahead, left, about = self._respond(errors, memory, model.opt.timestep)
        force = rotation @ (mass * ahead, mass * left, 0.0)
        torque = rotation @ (0.0, 0.0, moment * about)
        # MuJoCo applies a body's force at that body's centre of mass; ours is the robot's.
        data.xfrc_applied[hull, :3] += force
        data.xfrc_applied[hull, 3:] += torque + np.cross(centre - data.xipos[hull], force)

    def _respond(self, errors: Array, memory: Array, timestep: float) -> Array:
        """Return the accelerations that the controls ask for, and remember the errors."""
        integral, last = memory.reshape(2, 3)
        integral += errors * timestep
        change = (errors - last) / timestep
        last[:] = errors
        return self._gains[0] * errors + self._gains[1] * integral + self._gains[2] * change

    def belt_speeds(self, data: mujoco.MjData, targets: Array) -> Array:
        """Return the belt speeds, which are those that they should have [m/s]."""
        return targets

    def works(self, memory: Array) -> Array | None:
        """Return None: no motor works on a belt."""
        return None


def _find_control(built: BuiltScene) -> StepControl | None:
    """Return what acts at every step, if anything does."""
    addition, gains = find_addition(built.scene), built.scene.push_gains
    if addition is not None:
        return addition.control(built)
    return None if gains is None else PushControl(built, gains)


def _yaw_inertia(model: mujoco.MjModel, data: mujoco.MjData, hull: int) -> float:
    """Return the moment of inertia of a robot about the hull's z, at its centre [kg m^2]."""
    parts = model.body_rootid == hull
    axis = data.xmat[hull].reshape(3, 3)[:, 2]
    local = np.einsum("bij,i->bj", data.ximat[parts].reshape(-1, 3, 3), axis)
    arms = np.cross(data.xipos[parts] - data.subtree_com[hull], axis)
    own = np.sum(local**2 * model.body_inertia[parts])
    return float(own + np.sum(model.body_mass[parts] * np.sum(arms**2, axis=1)))


def _one_pose(poses: Pose, number: int) -> Pose:
    return poses[number] if poses.is_many else poses
