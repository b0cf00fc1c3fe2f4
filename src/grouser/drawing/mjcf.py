"""A robot on a course as an MJCF file."""

from pathlib import Path

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from grouser.description import Course, Robot
from grouser.drawing.at_rest import PlacedRobot, start_in_3d
from grouser.drawing.camera import measure_robot
from grouser.drawing.canvas import paint_scene
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models.model import Model
from grouser.models.mujoco.build import build, place_hull
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
    speed: float = 0.0,
) -> None:
    """Write robot and course as one self-contained MJCF file.

    The file uses MuJoCo's own friction with an elliptic cone, as it cannot express ours: friction
    has no direction, and patches of the ground have no friction of their own. Belts move at a
    constant surface velocity [m/s]; flippers have position actuators. The robot is at its start; in
    the keyframe `start` its flippers are at rest, too. InvalidValue if the name does not end in
    .xml, the speed is beyond the drive's limit, or the model has no shapes in three dimensions.
    """
    if Path(path).suffix.lower() != ".xml":
        raise InvalidValue("name of an MJCF file", str(path), "end in .xml")
    limit = robot.drive.speed_limit
    if not -limit <= speed <= limit:
        raise InvalidValue("speed", speed, f"be from {-limit:g} to {limit:g} m/s")
    placed = PlacedRobot.of(start_in_3d(model, robot, course, pose))
    write_atomically(path, _write(placed, course, speed))


def _write(robot: PlacedRobot, course: Course, speed: float) -> str:
    built = build(robot.scene)
    data = mujoco.MjData(built.model)
    data.qpos[:7], data.qpos[built.flipper_joints] = place_hull(robot.pose), robot.flipper_angles
    data.ctrl[: len(robot.flipper_angles)] = [hinge.rest_angle for hinge in robot.scene.hinges]
    mujoco.mj_kinematics(built.model, data)
    middle, size = measure_robot(built, data)
    spec = built.spec
    paint_scene(spec, course, hull=HULL, middle=middle, size=size)
    for geom in spec.geoms:
        if geom.name:
            unit = built.surfaces[built.model.geom(geom.name).id]
            geom.surfacevel = (speed * unit).tolist()
    _inline_meshes(spec, built.model)
    hull = spec.body(HULL)
    hull.pos, hull.quat = data.qpos[:3].tolist(), data.qpos[3:7].tolist()
    spec.add_key(name=START, qpos=data.qpos.tolist(), ctrl=data.ctrl.tolist())
    spec.compile()
    return spec.to_xml()


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
