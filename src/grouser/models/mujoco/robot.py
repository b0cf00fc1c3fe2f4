"""One robot in MuJoCo: put on the ground, advanced, read; by MuJoCo's public functions only."""

import copy
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Array, Pose, wrap_angle
from grouser.models.contact.engine import READINGS, ContactTable, Reading
from grouser.models.contact.placing import ABOVE, CLEAR, steppable_height
from grouser.models.contact.supervision import Turns
from grouser.models.mujoco.build import BuiltScene, StepControl, place_hull
from grouser.models.rigid import Inertia, combine_inertias
from grouser.notices import LOGGER

STATE = mujoco.mjtState.mjSTATE_INTEGRATION
LEAST_LIFT = 1e-3
"""By how much it is lifted at least, over the largest height that it may be lifted by [1]."""
SETTLING_STEPS = 5000
"""Most steps in which a robot comes to rest at its start [1]."""
BRAKE = 0.97
"""Factor on all velocities after each step while a robot settles [1]."""
AT_REST, AT_REST_HELD = 1e-5, 1e-3
"""Largest joint velocity of a robot that has come to rest, while braked, and the same with belts
of plates, whose pins creep for long [m/s], [rad/s]."""
_WARNING = mujoco.mjtWarning
_BAD = [
    int(kind)
    for kind in (
        _WARNING.mjWARN_BADQPOS,
        _WARNING.mjWARN_BADQVEL,
        _WARNING.mjWARN_BADQACC,
        _WARNING.mjWARN_BADCTRL,
    )
]
_FULL = [int(_WARNING.mjWARN_CONTACTFULL), int(_WARNING.mjWARN_CNSTRFULL)]

# MuJoCo writes its warnings to a file in the current folder unless a function takes them.
if mujoco.get_mju_user_warning() is None:
    mujoco.set_mju_user_warning(LOGGER.debug)


class MujocoRobot:
    """A robot with a model of its own: speeds of belts are part of MuJoCo's model."""

    def __init__(self, built: BuiltScene, control: StepControl | None, turns: Turns) -> None:
        self.built, self._control, self._turns = built, control, turns
        self.model = copy.copy(built.model)
        self.data = mujoco.MjData(self.model)
        drives = len(built.scene.robot.drives)
        self.yaw = 0.0
        """Heading, never wrapped [rad]."""
        self.targets = np.zeros(drives)
        """Speeds that belts should have [m/s]."""
        self._steering = np.zeros(2)
        self._memory = np.zeros(0 if control is None else control.size)
        self._engine_size = mujoco.mj_stateSize(self.model, STATE)
        self._outside: tuple[Array, Array] | None = None

    def vary(self, row: Array) -> None:
        """Set friction, masses and payload by a row of `Variation.table`."""
        friction, mass, payload, *place = row[:6].tolist()
        model, base, ground = self.model, self.built.model, self.built.is_ground
        model.geom_friction[ground, 0] = friction * base.geom_friction[ground, 0]
        model.body_mass[:] = mass * base.body_mass
        model.body_inertia[:] = mass * base.body_inertia
        model.body_ipos[:], model.body_iquat[:] = base.body_ipos, base.body_iquat
        if payload:
            self._load(Inertia(mass=payload, centre=np.array(place), moments=np.zeros((3, 3))))
        mujoco.mj_setConst(model, mujoco.MjData(model))

    def _load(self, payload: Inertia) -> None:
        model, hull = self.model, self.built.hull
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.body_iquat[hull])
        axes = turn.reshape(3, 3)
        bare = Inertia(
            mass=float(model.body_mass[hull]),
            centre=model.body_ipos[hull].copy(),
            moments=axes @ np.diag(model.body_inertia[hull]) @ axes.T,
        )
        loaded = combine_inertias([bare, payload])
        moments, axes = np.linalg.eigh(loaded.moments)
        axes[:, 2] *= np.sign(np.linalg.det(axes))
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, axes.ravel())
        model.body_mass[hull], model.body_ipos[hull] = loaded.mass, loaded.centre
        model.body_inertia[hull], model.body_iquat[hull] = moments, quaternion

    def place(self, pose: Pose) -> None:
        """Put the robot down at a pose, at rest, flippers at their rest angles.

        Raises:
            InvalidValue: An obstacle is in the way that no robot of this size can stand on.
        """
        data, scene = self.data, self.built.scene
        mujoco.mj_resetData(self.model, data)
        rest = [hinge.rest_angle for hinge in scene.hinges]
        data.qpos[self.built.flipper_joints] = rest
        data.ctrl[: len(rest)] = rest
        self.targets[:], self._steering[:], self._memory[:] = 0.0, 0.0, 0.0
        self.yaw = float(pose.yaw)
        self._lift(pose)
        self.built.move_surfaces(self.model, self.targets)
        self._settle()
        data.qvel[:], data.time = 0.0, 0.0
        if self.works is not None:
            self.works[:] = 0.0
        self._heed_warnings()
        self._follow_yaw()

    def _lift(self, pose: Pose) -> None:
        """Put the robot just above the ground, tilted as the ground is."""
        model, data, scene = self.model, self.data, self.built.scene
        ground = scene.course.terrain.pose_at(float(pose.x), float(pose.y), float(pose.yaw))
        data.qpos[:7] = place_hull(ground)
        height = steppable_height(scene.robot)
        highest, least = float(ground.z) + height, max(CLEAR, LEAST_LIFT * height)
        while True:
            mujoco.mj_forward(model, data)
            depths = [c.dist for c in data.contact if self.built.is_ground[c.geom].any()]
            deepest = min(depths, default=0.0)
            if not deepest <= -CLEAR:
                return
            data.qpos[2] += max(ABOVE - deepest, least)
            if data.qpos[2] > highest:
                place = f"({pose.x:g} m, {pose.y:g} m)"
                required = f"be clear of obstacles for robot {scene.robot.name!r}"
                raise InvalidValue("start", place, required)

    def _settle(self) -> None:
        """Let the robot come to rest, braked so that it does not bounce."""
        slow = AT_REST_HELD if self.model.neq else AT_REST
        for steps in self._turns.of(SETTLING_STEPS):
            for _ in range(steps):
                self._step(1)
                self.data.qvel *= BRAKE
                if self.data.ncon and np.abs(self.data.qvel).max() < slow:
                    return

    def advance(self, belts: Array, flippers: Array, steering: Array, steps: int) -> None:
        """Make some steps towards belt speeds and flipper angles."""
        if np.isnan(self.data.qpos[0]):
            return
        self.data.ctrl[: len(flippers)] = flippers
        self.targets[:], self._steering[:] = belts, steering
        if self._control is None:
            self.built.move_surfaces(self.model, self.targets)
        for turn in self._turns.of(steps):
            self._step(turn)
        self._heed_warnings()
        self._follow_yaw()

    def _step(self, steps: int) -> None:
        if self._control is None and self._outside is None:
            mujoco.mj_step(self.model, self.data, steps)
            return
        for _ in range(steps):
            # Before the step, so that it depends on nothing but the state.
            if self._control is not None:
                self.built.move_surfaces(self.model, self.belt_speeds)
            mujoco.mj_step1(self.model, self.data)
            self._apply_outside()
            if self._control is not None:
                self._control.act(self.model, self.data, self.targets, self._steering, self._memory)
            mujoco.mj_step2(self.model, self.data)

    def _apply_outside(self) -> None:
        data, hull = self.data, self.built.hull
        data.xfrc_applied[hull] = 0.0
        if self._outside is not None:
            force, moment = self._outside
            data.xfrc_applied[hull, :3] = force
            # MuJoCo's moment is about the centre of mass of the body.
            data.xfrc_applied[hull, 3:] = moment + np.cross(
                data.xpos[hull] - data.xipos[hull], force
            )

    def push(self, force: Array, moment: Array) -> None:
        """Let a force [N] and a moment [N m] act on the hull until the next call."""
        acts = force.any() or moment.any()
        self._outside = (force.copy(), moment.copy()) if acts else None
        self.data.xfrc_applied[self.built.hull] = 0.0

    def move(self, pose: Pose) -> None:
        """Put the robot at a pose as it is, at rest; flippers and belts stay as they are."""
        self.data.qpos[:7] = place_hull(pose)
        self.data.qvel[:] = 0.0
        self.yaw = float(pose.yaw)
        mujoco.mj_forward(self.model, self.data)

    def turn(self, yaw: float) -> None:
        """Turn the robot about its origin and the world's z axis, at once [rad]."""
        turned, rotation = np.zeros(4), np.zeros(4)
        mujoco.mju_axisAngle2Quat(rotation, np.array([0.0, 0.0, 1.0]), yaw)
        mujoco.mju_mulQuat(turned, rotation, self.data.qpos[3:7])
        self.data.qpos[3:7] = turned
        self.yaw += yaw

    @property
    def readings(self) -> Array:
        """Pose and twist of the hull, by the columns of `Reading`."""
        row, matrix = np.zeros(READINGS), np.zeros(9)
        mujoco.mju_quat2Mat(matrix, self.data.qpos[3:7])
        rotation = matrix.reshape(3, 3)
        row[: Reading.ROLL] = self.data.qpos[:3]
        row[Reading.ROLL] = np.arctan2(rotation[2, 1], rotation[2, 2])
        row[Reading.PITCH] = -np.arcsin(np.clip(rotation[2, 0], -1.0, 1.0))
        row[Reading.YAW] = self.yaw
        row[Reading.VX : Reading.ROLL_RATE] = rotation.T @ self.data.qvel[:3]
        row[Reading.ROLL_RATE :] = self.data.qvel[3:6]
        return row

    @property
    def belt_speeds(self) -> Array:
        """Actual speed of each belt [m/s]."""
        if self._control is None:
            return self.targets
        return self._control.belt_speeds(self.data, self.targets)

    @property
    def works(self) -> Array | None:
        """Work of each motor since the start; None if not known [J]."""
        return None if self._control is None else self._control.works(self._memory)

    @property
    def centre_of_mass(self) -> Array:
        """Centre of mass in the world frame [m]."""
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        return self.data.subtree_com[self.built.hull].copy()

    @property
    def contacts(self) -> ContactTable:
        """Contacts with the ground in the last step."""
        data, is_ground = self.data, self.built.is_ground
        rows = []
        for number in range(data.ncon):
            contact = data.contact[number]
            first, second = (int(geom) for geom in contact.geom)
            if is_ground[first] == is_ground[second] or contact.efc_address < 0:
                continue
            sign, mine = (1.0, second) if is_ground[first] else (-1.0, first)
            frame, wrench = contact.frame.reshape(3, 3), np.zeros(6)
            mujoco.mj_contactForce(self.model, data, number, wrench)
            normal, force = sign * frame[0], sign * wrench[:3] @ frame
            ground = first if mine == second else second
            velocity = self._velocity(mine, contact.pos) - self._velocity(ground, contact.pos)
            slip = velocity - (velocity @ normal) * normal
            rows.append((self.built.names[mine], contact.pos.copy(), normal, force, slip))
        columns = list(zip(*rows, strict=True)) or [()] * 5
        vectors = [np.array(column, np.float64).reshape(-1, 3) for column in columns[1:]]
        return ContactTable(
            belt=tuple(columns[0]),
            position=vectors[0],
            normal=vectors[1],
            force=vectors[2],
            slip=vectors[3],
        )

    def _velocity(self, geom: int, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the velocity of the surface of a geom at a point, in the world [m/s]."""
        jacobian = np.zeros((3, self.model.nv))
        body = int(self.model.geom_bodyid[geom])
        mujoco.mj_jac(self.model, self.data, jacobian, None, point, body)
        turn, surface = self.data.geom_xmat[geom].reshape(3, 3), self.model.geom_surfacevel[geom]
        arm = point - self.data.geom_xpos[geom]
        belt = turn @ surface[:3] + np.cross(turn @ surface[3:], arm)
        return jacobian @ self.data.qvel + belt

    @property
    def state(self) -> Array:
        """All that `advance` depends on: MuJoCo's state, then our own numbers."""
        engine = np.zeros(self._engine_size)
        mujoco.mj_getState(self.model, self.data, engine, STATE)
        return np.concatenate((engine, [self.yaw], self.targets, self._steering, self._memory))

    @state.setter
    def state(self, row: Array) -> None:
        engine, own = np.ascontiguousarray(row[: self._engine_size]), row[self._engine_size :]
        drives = len(self.targets)
        self.yaw = float(own[0])
        self.targets[:], self._steering[:] = own[1 : 1 + drives], own[1 + drives : 3 + drives]
        self._memory[:] = own[3 + drives :]
        self.built.move_surfaces(self.model, self.belt_speeds_of(engine))
        mujoco.mj_setState(self.model, self.data, engine, STATE)
        if np.isfinite(self.data.qpos).all():
            mujoco.mj_forward(self.model, self.data)  # so that contacts are those of this state
            mujoco.mj_setState(self.model, self.data, engine, STATE)

    def belt_speeds_of(self, engine: Array) -> Array:
        """Return the belt speeds in a state of MuJoCo [m/s]."""
        mujoco.mj_setState(self.model, self.data, engine, STATE)
        return self.belt_speeds

    def _follow_yaw(self) -> None:
        w, x, y, z = self.data.qpos[3:7]
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        self.yaw += float(wrap_angle(yaw - self.yaw))

    def _heed_warnings(self) -> None:
        """Raise for what MuJoCo warned of in the last steps.

        The place of a robot whose numbers are huge or not finite is NaN from then on.
        """
        data, robot = self.data, self.built.scene.robot.name
        counted: Any = data.warning.number
        if not counted.any():
            return
        full, bad = bool(counted[_FULL].any()), bool(counted[_BAD].any())
        singular = bool(counted[int(_WARNING.mjWARN_INERTIA)])
        counted[:] = 0
        if bad:
            data.qpos[:] = data.qvel[:] = float("nan")
        elif full:
            required = "be few enough for MuJoCo; fewer patches, wheels or plates would do"
            raise InvalidValue(f"contacts of robot {robot!r}", f"{data.ncon} or more", required)
        elif singular:
            required = "be large enough, none of them far smaller than the others"
            raise InvalidValue(f"masses and inertias of robot {robot!r}", "all but zero", required)
