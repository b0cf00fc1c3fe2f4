"""A robot on a course as an MJCF file."""

from pathlib import Path

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from grouser.description import Course, Robot
from grouser.drawing.at_rest import PlacedRobot, start_in_3d
from grouser.drawing.camera import measure_robot
from grouser.drawing.canvas import paint_scene
from grouser.drawing.driven_belts import drive_by_rollers, drive_by_sprockets, roller_scene
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models.model import Model
from grouser.models.mujoco.build import BuiltScene, build, find_addition, place_hull
from grouser.models.rigid import HULL
from grouser.storage import write_atomically

START = "start"
"""Name of the keyframe in which the robot and its flippers are at rest."""


def export_mjcf(
    robot: Robot,
    course: Course,
    model: Model,
    path: str | Path,
    pose: Pose | None = None,
    *,
    speed: float | None = None,
) -> None:
    """Write robot and course as one self-contained MJCF file.

    Without a speed, plain MuJoCo drives the robot: actuators `left_belt` and `right_belt` have the
    speed of a side's belts as their control [m/s], and belts are rows of rollers; see
    `driven_belts`. Belts of plates have such an actuator for each track, `<track>/sprocket`. With
    a speed, belts are smooth and their surfaces move at this constant speed [m/s].

    The file uses MuJoCo's own friction with an elliptic cone, as it cannot express ours: friction
    has no direction, and patches of the ground have no friction of their own. Flippers have
    position actuators. The robot is at its start; in the keyframe `start` its flippers are at rest,
    too. InvalidValue if the name does not end in .xml, the speed is beyond the drive's limit or
    missing for belts that stand in the world, or the model has no shapes in three dimensions.
    """
    if Path(path).suffix.lower() != ".xml":
        raise InvalidValue("name of an MJCF file", str(path), "end in .xml")
    limit = robot.drive.speed_limit
    if speed is not None and not -limit <= speed <= limit:
        raise InvalidValue("speed", speed, f"be from {-limit:g} to {limit:g} m/s")
    placed = PlacedRobot.of(start_in_3d(model, robot, course, pose))
    if speed is None and placed.scene.anchored:
        raise InvalidValue("speed", "none", "be given for belts that stand in the world")
    write_atomically(path, _write(placed, course, speed))


def _write(robot: PlacedRobot, course: Course, speed: float | None) -> str:
    has_rollers = speed is None and find_addition(robot.scene) is None
    built = build(roller_scene(robot.scene) if has_rollers else robot.scene)
    spec, data = built.spec, mujoco.MjData(built.model)
    data.qpos[:7], data.qpos[built.flipper_joints] = place_hull(robot.pose), robot.flipper_angles
    mujoco.mj_kinematics(built.model, data)
    middle, size = measure_robot(built, data)
    if has_rollers:
        drive_by_rollers(built, robot.scene)
    elif speed is None:
        drive_by_sprockets(built)
    paint_scene(spec, course, hull=HULL, middle=middle, size=size)
    _move_surfaces(built, speed or 0.0)
    _inline_meshes(spec, built.model)
    hull = spec.body(HULL)
    hull.pos, hull.quat = data.qpos[:3].tolist(), data.qpos[3:7].tolist()
    _add_start(spec, robot)
    return spec.to_xml()


def _move_surfaces(built: BuiltScene, speed: float) -> None:
    """Let belts that are no rollers move, and a treadmill."""
    for number in range(built.model.ngeom):
        geom = built.spec.geom(built.model.geom(number).name)
        if geom is not None and geom.type != mujoco.mjtGeom.mjGEOM_MESH:
            velocity = built.treadmill[number] + speed * built.surfaces[number]
            geom.surfacevel = velocity.tolist()


def _add_start(spec: mujoco.MjSpec, robot: PlacedRobot) -> None:
    """Add the keyframe of a robot at rest, and compile the whole."""
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)
    data.qpos[:7] = place_hull(robot.pose)
    for hinge, angle in zip(robot.scene.hinges, robot.flipper_angles, strict=True):
        data.joint(hinge.name).qpos[0] = angle
        data.actuator(hinge.name).ctrl[0] = hinge.rest_angle
    spec.add_key(name=START, qpos=data.qpos.tolist(), ctrl=data.ctrl.tolist())
    spec.compile()


def _inline_meshes(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Write the vertices of meshes into the file, as they were before MuJoCo centred them."""
    for mesh in spec.meshes:
        number = model.mesh(mesh.name).id
        first, face = model.mesh_vertadr[number], model.mesh_faceadr[number]
        centred = model.mesh_vert[first : first + model.mesh_vertnum[number]]
        faces = model.mesh_face[face : face + model.mesh_facenum[number]]
        turn = Rotation.from_quat(model.mesh_quat[number], scalar_first=True)
        mesh.file, mesh.scale = "", [1.0, 1.0, 1.0]
        mesh.refpos, mesh.refquat = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
        mesh.uservert = np.ravel(turn.apply(centred) + model.mesh_pos[number]).tolist()
        mesh.userface = np.ravel(faces).tolist()
