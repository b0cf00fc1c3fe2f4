"""A robot in the engine, advanced by belt speeds and flipper angles."""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose, Scalar, wrap_angle
from grouser.models.contact.contacts import read_contacts, tip_over_margin
from grouser.models.contact.count_steps import count_steps
from grouser.models.contact.hull_weight import hull_weight
from grouser.models.contact.kept_memory import KeptMemory
from grouser.models.contact.layout import engine_layout
from grouser.models.contact.motor_gains import motor_gains
from grouser.models.contact.motor_targets import motor_targets
from grouser.models.contact.read_hull import read_hull
from grouser.models.contact.scene import Scene
from grouser.models.contact.settle import settle
from grouser.models.contact.steppable_height import steppable_height
from grouser.models.contact.supervision import Turns, heed_warnings
from grouser.models.contact.traction import advance_with_traction
from grouser.models.contact.workspace import make_memory
from grouser.models.kinematic import Drivetrain, reach_angles, slip_ratio
from grouser.models.model import Command, Motion, SideMeans, add_travels

ABOVE = 1e-5
"""How far above the ground a robot is put that had to be lifted, so that all of it lands [m]."""
CLEAR = 1e-3
"""How deep a robot may start in the ground; it is lifted by steps of this [m]."""
LEAST_LIFT = 1e-3
"""By how much it is lifted at least, over the largest height that it may be lifted by [1]."""
BELT_SHARE = 0.05
"""Inertia of a belt with its motor, as a share of the robot's mass, assumed [1]."""
STATE = mujoco.mjtState.mjSTATE_INTEGRATION


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactState:
    """All that the next step depends on."""

    engine: NDArray[np.float64]
    """The engine's own state, warm start included, in the engine's units [SI]."""
    belt_speeds_commanded: tuple[Scalar, ...]
    """Speeds that were asked for [m/s]."""
    belt_travels: tuple[Scalar, ...]
    """Distance that each belt has run since the start [m]."""
    targets: tuple[Scalar, ...]
    """Speeds that the motors work towards, after the limit of acceleration [m/s]."""
    memory: KeptMemory
    """What the traction remembers."""
    flipper_angles: tuple[Scalar, ...]
    """Where each flipper's control is on its way to what was asked for [rad]."""
    yaw: float
    """Heading, never wrapped [rad]."""


class ContactPlant:
    """A robot that moves by its contacts."""

    def __init__(
        self,
        scene: Scene,
        robot: Robot,
        course: Course,
        pose: Pose | None = None,
        *,
        own_friction: bool = True,
        linear_gain: float = 1.0,
        angular_gain: float = 1.0,
        steering_efficiency: float | None = None,
        friction_factor: float = 1.0,
        push_gains: tuple[float, float, float] | None = None,
        with_contacts: bool = False,
        turns: Turns | None = None,
    ) -> None:
        """Put the robot on the ground.

        Args:
            scene: The engine's model of robot and course.
            robot: What stands there.
            course: What it stands on.
            pose: Where; at the start of the course if not given.
            own_friction: Whether friction is ours, or the engine's.
            linear_gain: Factor on the mean of the two sides' speeds [1].
            angular_gain: Factor on their difference [1].
            steering_efficiency: If given, friction acts along circles about the centre of
                rotation that follows from it (P1) [1].
            friction_factor: Factor on all friction, where it is ours [1].
            push_gains: If given, there is no friction, and a virtual force drives the hull: its
                gains P [1/s], I [1/s^2] and D [1].
            with_contacts: Whether motions tell contacts and the margin against tipping over.
            turns: Divides long work; those of a batch, if the robot belongs to one.
        """
        self.scene, self.data = scene, mujoco.MjData(scene.model)
        self._robot, self._course, self._own_friction = robot, course, own_friction
        self._with_contacts = with_contacts and own_friction
        self._gains, self._efficiency = (linear_gain, angular_gain), steering_efficiency
        self._drivetrain = Drivetrain.of(robot)
        held, riders = bool(scene.model.neq), scene.tables.riders
        self._turns = turns or Turns(held=held)
        self.memory = make_memory(
            scene.model.nv,
            len(robot.drives),
            held=held,
            loops=len(riders.pitch),
            riders=len(riders.geom),
        )
        self.memory.motor_gains[:] = motor_gains(robot)
        self.memory.friction[0] = friction_factor
        self._pushed = push_gains is not None
        self._has_work = own_friction and not self._pushed
        if push_gains is not None:
            self.memory.friction[0] = 0.0
            self.memory.push[:] = *push_gains, *hull_weight(scene, self.data)
        limit = robot.drive.torque_limit
        if limit is not None:
            self.memory.inverse_masses[:-1] = 1.0 / (BELT_SHARE * robot.mass)
            self.memory.forces[:-1] = limit / robot.sprocket_radius
        self._y = tuple(drive.y for drive in robot.drives)
        self._sides = SideMeans.of(robot)
        self.reset(pose)

    def reset(self, pose: Pose | None = None) -> None:
        """Stand still at `pose`, or at the start of the course, at rest on the ground."""
        pose = self._course.start_pose if pose is None else pose
        mujoco.mj_resetData(self.scene.model, self.data)
        stand = tuple(0.0 for _ in self._y)
        self._commanded, self._targets, self._yaw = stand, stand, float(pose.yaw)
        self._travels = stand
        self.memory.belts[:] = 0.0
        self.memory.last_geom[:] = -1
        self.memory.errors[:] = 0.0
        self.memory.travel[:], self.memory.rolled[:] = 0.0, 0
        self._angles = tuple(flipper.rest_angle for flipper in self._robot.flippers)
        for joint, angle in zip(self.scene.flipper_joints, self._angles, strict=True):
            self.data.qpos[joint] = angle
        self.data.ctrl[: len(self._angles)] = self._angles
        self._place(pose)
        self._set_belts()
        settle(self.scene, self.data, self.memory, self._turns, own_friction=self._own_friction)
        heed_warnings(self.data, self.memory, self._robot.name)
        self.memory.work[:] = 0.0
        self._follow_yaw()

    def advance(self, command: Command, duration: float) -> None:
        """Obey `command` for `duration` seconds, a multiple of the engine's step.

        Raises:
            InvalidValue: It is not.
        """
        steps = count_steps(duration, self.scene.model.opt.timestep)
        self._commanded = command.belt_speeds
        self._targets = self._drivetrain.reach(self._targets, command.belt_speeds, duration)
        self._angles = reach_angles(self._robot, self._angles, command.flipper_angles, duration)
        self.data.ctrl[: len(self._angles)] = self._angles
        self._set_belts()
        self._step(steps)
        self._travels = add_travels(self._travels, self._belts, duration)
        self._follow_yaw()

    def turn(self, yaw: Scalar) -> None:
        """Turn the robot about its origin, at once: a disturbance from outside [rad]."""
        turned, rotation = np.zeros(4), np.zeros(4)
        mujoco.mju_axisAngle2Quat(rotation, np.array([0.0, 0.0, 1.0]), float(yaw))
        mujoco.mju_mulQuat(turned, rotation, self.data.qpos[3:7])
        self.data.qpos[3:7] = turned
        self._yaw += float(yaw)

    @property
    def state(self) -> Any:
        """All that `advance` depends on."""
        engine = np.zeros(mujoco.mj_stateSize(self.scene.model, STATE))
        mujoco.mj_getState(self.scene.model, self.data, engine, STATE)
        return ContactState(
            engine=engine,
            belt_speeds_commanded=self._commanded,
            belt_travels=self._travels,
            targets=self._targets,
            memory=KeptMemory.of(self.memory),
            flipper_angles=self._angles,
            yaw=self._yaw,
        )

    @state.setter
    def state(self, state: ContactState) -> None:
        mujoco.mj_setState(self.scene.model, self.data, state.engine, STATE)
        state.memory.restore(self.memory)
        self._commanded, self._targets = state.belt_speeds_commanded, state.targets
        self._travels = state.belt_travels
        self._angles, self._yaw = state.flipper_angles, state.yaw
        self._set_belts()

    @property
    def motion(self) -> Motion:
        """Where the robot is and how it moves now."""
        data = self.data
        pose, twist = read_hull(data.qpos[:7], data.qvel[:6], self._yaw)
        belts = self._belts
        contacts = read_contacts(self.scene, data, self.memory) if self._with_contacts else ()
        return Motion(
            pose=pose,
            twist=twist,
            belt_speeds_commanded=self._commanded,
            belt_speeds=belts,
            belt_travels=self._travels,
            flipper_angles=tuple(float(data.qpos[joint]) for joint in self.scene.flipper_joints),
            slips=tuple(
                float(slip_ratio(belt, twist.vx - twist.yaw_rate * place))
                for belt, place in zip(belts, self._y, strict=True)
            ),
            works=tuple(float(work) for work in self.memory.work[:-1]) if self._has_work else (),
            contacts=contacts,
            tip_over_margin=(
                tip_over_margin(self.scene, data, contacts) if self._with_contacts else None
            ),
        )

    @property
    def _belts(self) -> tuple[float, ...]:
        return tuple(float(speed) for speed in self.memory.belts[:-1])

    def _place(self, pose: Pose) -> None:
        """Put the robot just above the ground, tilted as the ground is.

        Raises:
            InvalidValue: Something is in the way that no robot of this size can stand on.
        """
        if not np.isfinite(float(pose.x) + float(pose.y) + float(pose.yaw)):
            raise InvalidValue("start", (pose.x, pose.y, pose.yaw), "be finite numbers")
        ground = self._course.terrain.pose_at(float(pose.x), float(pose.y), float(pose.yaw))
        self.data.qpos[:3] = ground.x, ground.y, ground.z
        self.data.qpos[3:7] = ground.rotation.as_quat(scalar_first=True)
        height = steppable_height(self._robot)
        highest, least = ground.z + height, max(CLEAR, LEAST_LIFT * height)
        while True:
            mujoco.mj_forward(self.scene.model, self.data)
            deepest = min(
                (c.dist for c in self.data.contact if not self.scene.is_inside(c.geom)), default=0.0
            )
            if not deepest <= -CLEAR:
                return
            self.data.qpos[2] += max(ABOVE - deepest, least)
            if self.data.qpos[2] > highest:
                place = f"({pose.x:g} m, {pose.y:g} m)"
                required = f"be clear of obstacles for robot {self._robot.name!r}"
                raise InvalidValue("start", place, required)

    def _set_belts(self) -> None:
        """Hand the drives' speeds to the traction, or to the engine's own friction."""
        memory, scene = self.memory, self.scene
        linear, angular = self._gains
        speeds = np.array(self._targets, dtype=np.float64)
        motors, mean, difference = motor_targets(speeds, self._sides, linear, angular)
        memory.targets[:-1] = motors
        if self._efficiency is not None:
            rate = self._efficiency * angular * difference / self._robot.gauge
            memory.steering[:] = not self._pushed, linear * mean, rate
        if not self._own_friction:
            memory.belts[:] = memory.targets
            belts = memory.belts[scene.tables.drive]
            scene.model.geom_surfacevel[:] = scene.tables.surface * belts[:, None]
            scene.model.flg_surfacevel = 1

    def _step(self, steps: int) -> None:
        model, data = self.scene.model, self.data
        for turn in self._turns.of(steps):
            if self._own_friction:
                advance_with_traction(
                    model._address, data._address, turn, engine_layout(), self.scene.tables,
                    self.memory,
                )  # fmt: skip
            else:
                mujoco.mj_step(model, data, turn)
        heed_warnings(data, self.memory, self._robot.name)

    def _follow_yaw(self) -> None:
        w, x, y, z = self.data.qpos[3:7]
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        self._yaw += float(wrap_angle(yaw - self._yaw))
