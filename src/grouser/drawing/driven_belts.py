"""Belts that plain MuJoCo can drive: rows of rollers on hinges, one actuator for each side.

MuJoCo's surface velocity is a number of the model that no actuator can set. So each belt is a row
of rollers as high as the belt that overlap each other, as in the model `wheels`. All rollers of a
side, those of its flippers too, are tied to its first one by equality constraints, and a velocity
actuator there sets the speed of their rims.
"""

import math

import mujoco
import numpy as np

from grouser.description.loop import Loop
from grouser.description.track import Belt
from grouser.models.contact.scene import BELT_SHARE, BeltSurface, TrackScene, make_scene
from grouser.models.contact.tracks import wheel_rows
from grouser.models.mujoco.belts import add_belt
from grouser.models.mujoco.build import BuiltScene, set_inertia
from grouser.models.mujoco.plates import BANDWIDTH, SPROCKET
from grouser.models.rigid import HULL, Inertia

SPACING = 0.75
"""Distance of neighbouring rollers over their mean radius: the row is wavy by 7 % of it [1]."""
MOST_ROLLERS = 20
"""Rollers of one belt at most; each costs time [1]."""
MOTOR_SHARE = 0.5
"""Inertia of the motor of a side, seen at its belts, over the mass of the robot, assumed [1]."""
GAIN = 500.0
"""Force of that motor per error of belt speed and mass of the robot: belts follow within some ms,
and a slope of 30 deg slows them by 5 mm/s; more is not stable with steps of 1 ms [1/s]."""
ROLLER_MASS = 1e-6
"""Mass of a roller over that of the robot; the mass of belts is in the hull, their inertia along
the belt in the rollers' armature [1]."""
TIED = {"solref": [0.004, 1.0], "solimp": [0.98, 0.99, 0.001, 0.5, 2.0]}
"""Constraints between rollers: stiff, so that their rims run alike."""
HIDDEN = 3
"""Group of geoms that MuJoCo's viewers hide unless they are switched on."""


def roller_scene(scene: TrackScene) -> TrackScene:
    """Return the scene with a row of rollers in place of each belt."""
    return make_scene(scene.robot, scene.course, _rows)


def _rows(belt: Belt, *, name: str, body: int, drive: int, y: float) -> tuple[BeltSurface, ...]:
    count = _count_rollers(belt.loop)
    return wheel_rows(count=count)(belt, name=name, body=body, drive=drive, y=y)


def _count_rollers(loop: Loop) -> int:
    front, rear = loop.end_arcs
    distance, radius = math.dist(front.centre, rear.centre), 0.5 * (front.radius + rear.radius)
    return min(math.ceil(distance / (SPACING * radius)) + 1, MOST_ROLLERS)


def drive_by_rollers(built: BuiltScene, shown: TrackScene) -> None:
    """Put the wheels of a built `roller_scene` on hinges, with actuators `left_belt`, `right_belt`.

    Wheels themselves are hidden; the belts of the scene `shown` are seen, and touch nothing.
    """
    spec, robot = built.spec, built.scene.robot
    joints: dict[str, list[tuple[str, float]]] = {"left": [], "right": []}
    drives = {built.model.geom(k).name: int(drive) for k, drive in enumerate(built.drives)}
    for geom in list(spec.geoms):
        if (drive := drives.get(geom.name, len(robot.drives))) < len(robot.drives):
            joints[robot.drives[drive].side].append((geom.name, float(geom.size[0])))
            _hang(spec, geom, ROLLER_MASS * robot.mass)
    for belt in shown.belts:
        body = spec.body(shown.hinges[belt.body - 1].name if belt.body else HULL)
        for added in add_belt(body, belt, "shown"):
            geom = spec.geom(added.name)
            geom.contype = geom.conaffinity = 0
            geom.mass = 0.0
    for side, rollers in joints.items():
        _tie(spec, rollers, robot.mass)
        count = sum(drive.side == side for drive in robot.drives)
        _add_actuator(spec, side, rollers[0], built.scene, count)


def _hang(spec: mujoco.MjSpec, geom: mujoco.MjsGeom, mass: float) -> None:
    """Move a cylinder to a body of its own, on a hinge about y of the same name."""
    radius = float(geom.size[0])
    body = geom.parent.add_body(name=geom.name, pos=geom.pos.tolist())
    set_inertia(body, Inertia(mass=mass, centre=np.zeros(3), moments=mass * radius**2 * np.eye(3)))
    body.add_joint(name=geom.name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 1.0, 0.0])
    name, copied = geom.name, ("type", "contype", "conaffinity", "condim", "priority")
    values = {key: getattr(geom, key) for key in copied}
    for key in ("size", "quat", "friction"):
        values[key] = np.array(getattr(geom, key)).tolist()
    spec.delete(geom)
    body.add_geom(name=name, mass=0.0, group=HIDDEN, **values)


def _tie(spec: mujoco.MjSpec, rollers: list[tuple[str, float]], mass: float) -> None:
    """Let the rims of rollers, given by joint and radius, run alike; `mass` is the robot's [kg].

    The motor's inertia is that of the first: its control is stable only with inertia of its own.
    """
    first, radius = rollers[0]
    spec.joint(first).armature = MOTOR_SHARE * mass * radius**2
    for name, own in rollers[1:]:
        spec.joint(name).armature = BELT_SHARE * mass * own**2 / len(rollers)
        equality = spec.add_equality(
            name=name, type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT,
            name1=name, name2=first, **TIED,
        )  # fmt: skip
        equality.data[:5] = 0.0, radius / own, 0.0, 0.0, 0.0


def _add_actuator(
    spec: mujoco.MjSpec, side: str, roller: tuple[str, float], scene: TrackScene, count: int
) -> None:
    """Add the motor of a side, which has the speed of its belts as its control [m/s]."""
    name, radius = roller
    motor = spec.add_actuator(name=f"{side}_belt", target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.gear[0] = radius
    motor.set_to_velocity(kv=GAIN * scene.mass)
    limit = scene.robot.drive.speed_limit
    motor.ctrllimited, motor.ctrlrange = mujoco.mjtLimited.mjLIMITED_TRUE, [-limit, limit]
    if np.isfinite(scene.belt_force):
        force = count * scene.belt_force
        motor.forcelimited, motor.forcerange = mujoco.mjtLimited.mjLIMITED_TRUE, [-force, force]


def drive_by_sprockets(built: BuiltScene) -> None:
    """Let the motors of belts of plates take a belt speed instead of a force [m/s]."""
    limit, share = built.scene.robot.drive.speed_limit, built.scene.mass
    for motor in built.spec.actuators:
        if motor.name.endswith(f"/{SPROCKET}"):
            motor.set_to_velocity(kv=BANDWIDTH * share)
            motor.ctrllimited, motor.ctrlrange = mujoco.mjtLimited.mjLIMITED_TRUE, [-limit, limit]
