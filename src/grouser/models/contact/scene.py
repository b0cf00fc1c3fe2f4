"""One robot on one course as one model of the engine; how tracks are made is handed in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot
from grouser.description.robot import Wheel
from grouser.description.surface import GROUND, Surface
from grouser.description.track import Flipper, Track
from grouser.models.contact.belt_geoms import BeltGeom, add_roller
from grouser.models.contact.import_body import import_body
from grouser.models.contact.riders import index_riders
from grouser.models.contact.terrain_geoms import add_terrain, patch_table
from grouser.models.contact.workspace import SceneTables

AddBelt: TypeAlias = Callable[..., list[BeltGeom]]
"""Adds a belt to a body: `add_belt(body, loop, name=, y=, width=, drive=)`."""
HULL = "hull"
"""Name of the body that carries everything."""
SPROCKET = "sprocket"
"""How the names of sprockets end, that turn the belts of some models."""
FRAME = "frame"
"""Name of the body that holds belts which stand in the world."""
ROBOT_BIT, GROUND_BIT = 1, 2
"""The robot touches the ground, and neither touches itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The engine's model, and what of it belongs to whom."""

    spec: mujoco.MjSpec
    """What the model was compiled from."""
    model: mujoco.MjModel
    """The compiled model."""
    tables: SceneTables
    """What the traction needs to know of its geoms."""
    flipper_joints: tuple[int, ...] = field(default=())
    """Address of each flipper's angle in the engine's positions."""
    has_belts: bool = True
    """Whether belts run around the loops of tracks, and are drawn so."""

    def is_inside(self, geoms: NDArray[np.int32]) -> bool:
        """Return whether a contact between two geoms is inside of the robot."""
        return bool(self.tables.is_robot[geoms].all())


def build_scene(
    robot: Robot,
    course: Course,
    add_belt: AddBelt,
    *,
    timestep: float,
    own_friction: bool,
    has_belts: bool = True,
    finish: Callable[[mujoco.MjSpec], None] | None = None,
    hands_over: bool = True,
    fixed: bool = False,
) -> Scene:
    """Return the scene of a robot on a course.

    Args:
        robot: What stands there.
        course: What it stands on.
        add_belt: Makes the tracks: the only thing in which 3D models differ.
        timestep: Step of the engine [s].
        own_friction: Whether friction is ours (the engine then solves normals only).
        has_belts: Whether belts run around the loops of tracks, and are drawn so.
        finish: Adds to the scene what is not part of a body, last of all.
        hands_over: Whether what rides on a belt goes on to the next segment of its loop.
        fixed: Whether belts stand in the world at the course's start, and carry the body.
    """
    spec = mujoco.MjSpec()
    spec.compiler.degree = False  # angles are in radians here, too
    spec.modelname = f"{robot.name} on {course.name}"
    spec.option.timestep = timestep
    # Only the flippers' stiff control needs an implicit integrator, which costs time.
    implicit = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.integrator = implicit if robot.flippers else mujoco.mjtIntegrator.mjINT_EULER
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND  # one robot is one island
    # A number that is not finite must reach the guard, not be reset behind its back.
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0
    surfaces = add_terrain(spec, course)
    belts = _add_robot(spec, robot, add_belt, course if fixed else None)
    if fixed:
        surfaces |= {belt.name: course.terrain.surfaces[GROUND] for belt in belts}
    for geom in spec.geoms:
        if not (geom.contype or geom.conaffinity) or geom.contype & ~(ROBOT_BIT | GROUND_BIT):
            continue  # for the eye only, or inside of a track
        ground = geom.name in surfaces
        geom.contype, geom.conaffinity = (
            (GROUND_BIT, ROBOT_BIT) if ground else (ROBOT_BIT, GROUND_BIT)
        )
        geom.condim = 1 if own_friction else 3
        geom.priority = 1 if ground else 0
        if ground:
            geom.friction = [surfaces[geom.name].friction, 0.0, 0.0]
    if finish is not None:
        finish(spec)
    scene = _index(spec, belts, surfaces, course, robot, hands_over)
    return replace(scene, has_belts=has_belts)


def _add_robot(
    spec: mujoco.MjSpec, robot: Robot, add_belt: AddBelt, place: Course | None
) -> list[BeltGeom]:
    """Add the robot; if it is told the place, its belts stand there, apart from its body."""
    body = robot.body
    hull = spec.worldbody.add_body(name=HULL)
    hull.add_freejoint(name=HULL)
    hull.explicitinertial = True
    hull.mass, hull.ipos, hull.fullinertia = _hull_inertia(robot, () if place else robot.drives)
    if body.model_file is None:
        hull.add_geom(
            name=f"{HULL}/box",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[0.5 * size for size in body.size],
            pos=list(body.centre),
            mass=0.0,
        )
    belts: list[BeltGeom] = []
    carrier = _add_frame(spec, place) if place else hull
    for number, track in enumerate(robot.tracks):
        belts += add_belt(
            carrier, track.loop, name=track.name, y=track.y, width=track.width, drive=number
        )
    for number, wheel in enumerate(robot.wheels, start=len(robot.tracks)):
        belts.append(
            add_roller(
                carrier,
                name=f"{wheel.name}/rim",
                centre=wheel.centre,
                radius=wheel.radius,
                width=wheel.width,
                drive=number,
            )
        )
    for flipper in robot.flippers:
        number = next(i for i, drive in enumerate(robot.drives) if drive.side == flipper.side)
        belts += _add_flipper(spec, hull, flipper, number, add_belt)
    for mesh in {belt.mesh.name: belt.mesh for belt in belts if belt.mesh is not None}.values():
        spec.add_mesh(name=mesh.name, uservert=mesh.corners.ravel().tolist())
    for geom in spec.geoms:
        geom.mass = 0.0  # masses are given, not computed from shapes
    if body.model_file is not None:
        import_body(hull, body.model_file, body.model_origin, prefix=f"{HULL}/")
    return belts


def _add_frame(spec: mujoco.MjSpec, course: Course) -> mujoco.MjsBody:
    """Add what holds belts that stand in the world, on the ground at the course's start."""
    start = course.start_pose
    pose = course.terrain.pose_at(float(start.x), float(start.y), float(start.yaw))
    place = [float(pose.x), float(pose.y), float(pose.z)]
    turn = pose.rotation.as_quat(scalar_first=True).tolist()
    return spec.worldbody.add_body(name=FRAME, pos=place, quat=turn)


def _add_flipper(
    spec: mujoco.MjSpec, hull: mujoco.MjsBody, flipper: Flipper, drive: int, add_belt: AddBelt
) -> list[BeltGeom]:
    body = hull.add_body(name=flipper.name, pos=list(flipper.hinge))
    body.add_joint(
        name=flipper.name,
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=[0.0, 1.0, 0.0],
        range=list(flipper.limits),
        limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        armature=0.02,
    )
    rear, front, low, high = flipper.track.loop.bounds
    mass = max(flipper.mass, 0.05)
    size = (front - rear, flipper.track.width, high - low)
    body.explicitinertial = True
    body.mass = mass
    body.ipos = [0.5 * (rear + front), 0.0, 0.5 * (low + high)]
    body.inertia = [
        mass / 12.0 * (size[a] ** 2 + size[b] ** 2) for a, b in ((1, 2), (0, 2), (0, 1))
    ]
    limit = flipper.torque_limit
    actuator = spec.add_actuator(
        name=flipper.name, target=flipper.name, trntype=mujoco.mjtTrn.mjTRN_JOINT
    )
    actuator.set_to_position(kp=2000.0, kv=40.0)
    if limit is not None:
        actuator.forcelimited, actuator.forcerange = (
            mujoco.mjtLimited.mjLIMITED_TRUE,
            [-limit, limit],
        )
    return add_belt(
        body, flipper.track.loop, name=flipper.name, y=0.0, width=flipper.track.width, drive=drive
    )


def _hull_inertia(
    robot: Robot, drives: Sequence[Track | Wheel]
) -> tuple[float, list[float], list[float]]:
    """Return mass, centre and inertia of the hull with its tracks, as the engine wants them."""
    parts = [(robot.body.mass, np.array(robot.body.centre_of_mass), np.array(robot.body.inertia))]
    for drive in drives:
        if drive.mass:
            squares = np.array(_box_of(drive)) ** 2
            moments = drive.mass / 12.0 * (squares.sum() - squares)
            parts.append((drive.mass, np.array(drive.centre), moments))
    mass = sum(part[0] for part in parts)
    centre = sum(part[0] * part[1] for part in parts) / mass
    inertia = np.zeros((3, 3))
    for part_mass, place, moments in parts:
        arm = place - centre
        inertia += np.diag(moments) + part_mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    xx, yy, zz = np.diag(inertia)
    return mass, centre.tolist(), [xx, yy, zz, inertia[0, 1], inertia[0, 2], inertia[1, 2]]


def _box_of(drive: Track | Wheel) -> tuple[float, float, float]:
    """Return length, width and height of a drive [m]."""
    if isinstance(drive, Wheel):
        return 2.0 * drive.radius, drive.width, 2.0 * drive.radius
    rear, front, low, high = drive.loop.bounds
    return front - rear, drive.width, high - low


def _sprocket_table(model: mujoco.MjModel, robot: Robot) -> NDArray[np.float64]:
    """Return a row per drive: actuator and degree of its sprocket, radius; -1 without one."""
    rows = np.full((len(robot.drives), 3), -1.0)
    for row, drive in zip(rows, robot.drives, strict=True):
        name = f"{drive.name}/{SPROCKET}"
        actuator = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_ACTUATOR, name)
        if actuator >= 0:
            degree = int(model.joint(name).dofadr[0])
            row[:] = actuator, degree, model.actuator_gear[actuator, 0]
    return rows


def _index(
    spec: mujoco.MjSpec,
    belts: list[BeltGeom],
    surfaces: dict[str, Surface],
    course: Course,
    robot: Robot,
    hands_over: bool,
) -> Scene:
    model = spec.compile()
    names = [model.geom(g).name for g in range(model.ngeom)]
    by_name = {belt.name: belt for belt in belts}
    tables = SceneTables(
        is_robot=np.array([name not in surfaces for name in names]),
        drive=np.array([by_name[n].drive if n in by_name else len(robot.drives) for n in names]),
        surface=np.array(
            [by_name[n].surface_velocity if n in by_name else np.zeros(6) for n in names]
        ),
        along=np.array([surfaces[n].friction if n in surfaces else 0.0 for n in names]),
        across=np.array([surfaces[n].friction_across if n in surfaces else 0.0 for n in names]),
        patches=patch_table(course),
        hull=model.body(HULL).id,
        sprockets=_sprocket_table(model, robot),
        is_run=np.array([n in by_name and by_name[n].is_run for n in names]),
        riders=index_riders(
            model,
            [(belt.name, belt.drive, belt.ride) for belt in belts if belt.ride is not None],
            hands_over=hands_over,
        ),
    )
    joints = tuple(int(model.joint(flipper.name).qposadr[0]) for flipper in robot.flippers)
    return Scene(spec=spec, model=model, tables=tables, flipper_joints=joints)
