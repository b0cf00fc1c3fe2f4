"""A `TrackScene` as a model of MuJoCo: for its engine, for files and for pictures.

Friction is MuJoCo's own, with an elliptic cone. It has no direction: it is that along the track.
A patch of the ground cannot have a friction of its own, and neither belts nor parts of the hull
touch each other.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.description.surface import GROUND, Surface
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models.contact.scene import (
    SERVO_ARMATURE,
    SERVO_DAMPING,
    SERVO_STIFFNESS,
    BeltSurface,
    Hinge,
    TrackScene,
)
from grouser.models.mujoco.belts import BeltGeom, add_belt, add_grousers
from grouser.models.mujoco.import_body import import_body, read_moving_mass
from grouser.models.mujoco.terrain import add_terrain
from grouser.models.rigid import HULL, Inertia, combine_inertias

FRAME = "frame"
"""Name of the body that holds belts which stand in the world."""
ROBOT_BIT, GROUND_BIT = 1, 2
"""The robot touches the ground, and neither touches itself."""
IMPEDANCE_RATIO = 10.0
"""Stiffness of friction over that of normals; less lets a robot creep [1]."""


class Addition(Protocol):
    """What a scene adds for MuJoCo only, see `TrackScene.extras`."""

    def replaces(self, belt: BeltSurface) -> bool:
        """Return whether it makes this belt."""
        ...

    def add(self, body: mujoco.MjsBody, belt: BeltSurface) -> None:
        """Add what stands for a belt to the body that carries it."""
        ...

    def finish(self, spec: mujoco.MjSpec) -> None:
        """Add what is not part of a body, last of all."""
        ...

    def control(self, built: "BuiltScene") -> "StepControl":
        """Return what acts at every step."""
        ...


class StepControl(Protocol):
    """What acts on a robot at every step, from Python."""

    size: int
    """How many numbers it remembers."""

    def act(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        targets: NDArray[np.float64],
        steering: NDArray[np.float64],
        memory: NDArray[np.float64],
    ) -> None:
        """Set controls or forces of a step.

        `targets` are belt speeds (drives) [m/s], `steering` is that of `World.advance`, `memory`
        has what this robot's control remembers.
        """
        ...

    def belt_speeds(self, data: mujoco.MjData, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how fast the belts run (drives) [m/s]."""
        ...

    def works(self, memory: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return the part of the memory that is the work of each motor (drives); None without [J].

        It counts from the start of a run.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltScene:
    """A scene with MuJoCo's model of it, and which parts of that belong to what."""

    scene: TrackScene
    """What was built."""
    spec: mujoco.MjSpec
    """What the model was compiled from."""
    model: mujoco.MjModel
    """The compiled model."""
    hull: int
    """Number of the body that carries everything."""
    flipper_joints: NDArray[np.intp]
    """Place of each flipper's angle in MuJoCo's positions."""
    is_ground: NDArray[np.bool_]
    """Whether each geom is part of the ground."""
    drives: NDArray[np.intp]
    """Drive that moves the surface of each geom; the last number is none."""
    surfaces: NDArray[np.float64]
    """Velocity of the surface of each geom in its own frame, per belt speed (n, 6) [1], [1/m]."""
    treadmill: NDArray[np.float64]
    """Velocity of the surface of each geom that runs whatever the belts do (n, 6) [m/s]."""
    names: tuple[str, ...]
    """Name of the track, flipper or wheel of each geom; that of the hull for all others."""

    def move_surfaces(self, model: mujoco.MjModel, belts: NDArray[np.float64]) -> None:
        """Let the surfaces of a model of this scene move at belt speeds (drives) [m/s]."""
        speeds = np.append(belts, 0.0)[self.drives]
        model.geom_surfacevel[:] = self.treadmill + self.surfaces * speeds[:, None]
        model.flg_surfacevel = 1


def build(scene: TrackScene, *, timestep: float = 0.001, has_friction: bool = True) -> BuiltScene:
    """Return MuJoCo's model of a scene, with a step [s]."""
    spec = _new_spec(scene, timestep)
    surfaces = add_terrain(spec, scene.course)
    belts = _add_robot(spec, scene)
    if scene.anchored:
        surfaces |= {belt.name: scene.course.terrain.surfaces[GROUND] for belt in belts}
    _set_contacts(spec, surfaces, has_friction=has_friction)
    addition = find_addition(scene)
    if addition is not None:
        addition.finish(spec)
    return _index(scene, spec, belts, surfaces)


def find_addition(scene: TrackScene) -> Addition | None:
    """Return what a scene adds for MuJoCo."""
    found: Any = dict(scene.extras).get("mujoco")
    return found


def _new_spec(scene: TrackScene, timestep: float) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.compiler.degree = False  # angles are in radians here, too
    spec.modelname = f"{scene.robot.name} on {scene.course.name}"
    spec.option.timestep = timestep
    # Only the flippers' stiff control needs an implicit integrator, which costs time.
    implicit = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.integrator = implicit if scene.hinges else mujoco.mjtIntegrator.mjINT_EULER
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND  # one robot is one island
    # A number that is not finite must reach the guard, not be reset before it is seen.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = IMPEDANCE_RATIO
    return spec


def _set_contacts(spec: mujoco.MjSpec, surfaces: dict[str, Surface], *, has_friction: bool) -> None:
    """Set what touches what, and with which friction."""
    for geom in spec.geoms:
        if not (geom.contype or geom.conaffinity) or geom.contype & ~(ROBOT_BIT | GROUND_BIT):
            continue  # only visible, or inside of a track
        ground = geom.name in surfaces
        bits = (GROUND_BIT, ROBOT_BIT) if ground else (ROBOT_BIT, GROUND_BIT)
        geom.contype, geom.conaffinity = bits
        geom.condim = 3 if has_friction else 1
        geom.priority = 1 if ground else 0
        if ground:
            geom.friction = [surfaces[geom.name].friction, 0.0, 0.0]


def _add_robot(spec: mujoco.MjSpec, scene: TrackScene) -> list[BeltGeom]:
    hull = spec.worldbody.add_body(name=HULL)
    hull.add_freejoint(name=HULL)
    robot_body = scene.robot.body
    set_inertia(hull, _rigid_inertia(scene))
    if robot_body.model_file is None:
        hull.add_geom(
            name=f"{HULL}/box",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[0.5 * size for size in robot_body.size],
            pos=list(robot_body.centre),
            mass=0.0,
        )
    carrier = _add_frame(spec, scene) if scene.anchored else hull
    arms = [_add_hinge(spec, hull, hinge) for hinge in scene.hinges]
    belts = _add_belts(spec, scene, [carrier, *arms])
    for geom in spec.geoms:
        geom.mass = 0.0  # masses are given, not computed from shapes
    if robot_body.model_file is not None:
        import_body(hull, robot_body.model_file, robot_body.model_origin, prefix=f"{HULL}/")
    return belts


def _add_belts(
    spec: mujoco.MjSpec, scene: TrackScene, bodies: Sequence[mujoco.MjsBody]
) -> list[BeltGeom]:
    addition = find_addition(scene)
    counts, seen = Counter(belt.name for belt in scene.belts), Counter[str]()
    added: list[BeltGeom] = []
    for belt in scene.belts:
        body = bodies[belt.body]
        if addition is not None and addition.replaces(belt):
            addition.add(body, belt)
            continue
        label = f"wheel{seen[belt.name]}" if counts[belt.name] > 1 else ""
        seen[belt.name] += 1
        added += add_belt(body, belt, label)
        add_grousers(spec, body, belt)
    return added


def _rigid_inertia(scene: TrackScene) -> Inertia:
    """Return the mass of the hull without parts on joints, which MuJoCo moves by themselves."""
    body = scene.robot.body
    if body.model_file is None:
        return scene.hull
    moving = read_moving_mass(body.model_file, body.model_origin)
    less = [Inertia(mass=-m.mass, centre=m.centre, moments=-m.moments) for m in moving]
    return combine_inertias([scene.hull, *less])


def set_inertia(body: mujoco.MjsBody, inertia: Inertia) -> None:
    """Give a body its mass."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.moments.tolist()
    body.explicitinertial = True
    body.mass, body.ipos = inertia.mass, inertia.centre.tolist()
    if xy == xz == yz == 0.0:
        body.inertia = [xx, yy, zz]  # in the body's own axes, which costs less
    else:
        body.fullinertia = [xx, yy, zz, xy, xz, yz]


def _add_frame(spec: mujoco.MjSpec, scene: TrackScene) -> mujoco.MjsBody:
    """Add what holds belts that stand in the world, on the ground at the course's start."""
    start = scene.course.start_pose
    pose = scene.course.terrain.pose_at(float(start.x), float(start.y), float(start.yaw))
    place = [float(pose.x), float(pose.y), float(pose.z)]
    turn = pose.rotation.as_quat(scalar_first=True).tolist()
    return spec.worldbody.add_body(name=FRAME, pos=place, quat=turn)


def _add_hinge(spec: mujoco.MjSpec, hull: mujoco.MjsBody, hinge: Hinge) -> mujoco.MjsBody:
    """Add the arm of a flipper with its servo."""
    body = hull.add_body(name=hinge.name, pos=list(hinge.place))
    body.add_joint(
        name=hinge.name,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=[0.0, 1.0, 0.0],
        range=list(hinge.limits),
        limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        armature=SERVO_ARMATURE,
    )
    set_inertia(body, hinge.inertia)
    servo = spec.add_actuator(name=hinge.name, target=hinge.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    servo.set_to_position(kp=SERVO_STIFFNESS, kv=SERVO_DAMPING)
    if np.isfinite(hinge.torque_limit):
        servo.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
        servo.forcerange = [-hinge.torque_limit, hinge.torque_limit]
    return body


def _index(
    scene: TrackScene,
    spec: mujoco.MjSpec,
    belts: Sequence[BeltGeom],
    surfaces: dict[str, Surface],
) -> BuiltScene:
    try:
        model = spec.compile()
    except ValueError as error:  # masses or lengths that MuJoCo cannot compute with
        required = f"be one that MuJoCo can build ({' '.join(str(error).split())})"
        raise InvalidValue("robot", scene.robot.name, required) from error
    geoms = [model.geom(number).name for number in range(model.ngeom)]
    by_name = {belt.name: belt for belt in belts}
    is_ground = np.array([name in surfaces for name in geoms], np.bool_)
    drives = [by_name[name].drive if name in by_name else len(scene.robot.drives) for name in geoms]
    velocities = [
        by_name[name].surface_velocity if name in by_name else np.zeros(6) for name in geoms
    ]
    labels = {belt.name for belt in scene.belts}
    owners = [name.split("/")[0] for name in geoms]
    return BuiltScene(
        scene=scene,
        spec=spec,
        model=model,
        hull=int(model.body(HULL).id),
        flipper_joints=np.array(
            [int(model.joint(hinge.name).qposadr[0]) for hinge in scene.hinges], np.intp
        ),
        is_ground=is_ground,
        drives=np.array(drives, np.intp),
        surfaces=np.array(velocities).reshape(-1, 6),
        treadmill=_treadmill(model, is_ground, scene.treadmill),
        names=tuple(owner if owner in labels else HULL for owner in owners),
    )


def _treadmill(
    model: mujoco.MjModel, is_ground: NDArray[np.bool_], speed: float
) -> NDArray[np.float64]:
    """Return the surface velocity of each geom if the ground runs backwards along world x."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    velocities = np.zeros((model.ngeom, 6))
    velocities[is_ground, :3] = -speed * data.geom_xmat[is_ground, :3]
    return velocities


def place_hull(pose: Pose) -> NDArray[np.float64]:
    """Return a pose as MuJoCo has it: place [m] and quaternion, scalar first."""
    place = [float(pose.x), float(pose.y), float(pose.z)]
    return np.concatenate((place, pose.rotation.as_quat(scalar_first=True)))
