"""Rides in three dimensions, and what is measured on them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.description import Course, Robot, load_course, load_robot, parse_course, parse_robot
from grouser.geometry import Pose
from grouser.models import Command, Motion, command_sides, make_model
from grouser.models.contact.native.layout import AT_ST_HINGES, POS, QUAT, SPIN, VEL
from grouser.models.contact.plant import ContactPlant
from grouser.models.contact.scene import SERVO_ARMATURE, SERVO_STIFFNESS

GRAVITY = 9.81
TICK = 0.01

WEDGE = """
name = "wedge"
[body]
mass_kg = {mass}
size_m = [0.6, 0.4, 0.1]
centre_m = [0.0, 0.0, 0.2]
centre_of_mass_m = [0.0, 0.0, {com_z}]
inertia_kg_m2 = [2.2, 5.0, 6.2]
[[tracks]]
name = "left"
side = "left"
y_m = 0.35
width_m = 0.15
loop.pulleys = [{loop}]
[[tracks]]
name = "right"
side = "right"
y_m = -0.35
width_m = 0.15
loop.pulleys = [{loop}]
[drive]
speed_limit_m_s = 1.0
acceleration_limit_m_s2 = 10.0
{drive}
"""
"""Two symmetric tracks, 60 kg: everything about it can be computed by hand."""
OVAL = "{ x_m = 0.38, z_m = 0.12, radius_m = 0.12 }, { x_m = -0.38, z_m = 0.12, radius_m = 0.12 }"

GROUND = """
name = "ground"
[[terrain]]
kind = "plane"
slope_deg = {slope}
{pieces}
[surfaces.ground]
friction = {friction}
friction_across = {across}
{surfaces}
"""


def wedge(
    *, torque_limit: float | None = None, com_z: float = 0.15, loop: str = OVAL, mass: float = 60.0
) -> Robot:
    """Return the robot of this folder, without flippers; its motor may be weak [N m]."""
    drive = "" if torque_limit is None else f"torque_limit_N_m = {torque_limit}"
    text = WEDGE.format(drive=drive, com_z=com_z, loop=loop, mass=mass)
    return parse_robot(text, "wedge.toml")


def ground(
    friction: float = 0.9,
    across: float | None = None,
    *,
    slope: float = 0.0,
    pieces: str = "",
    surfaces: str = "",
) -> Course:
    """Return a plane of some friction and slope [deg], and what stands on it."""
    text = GROUND.format(
        friction=friction,
        across=friction if across is None else across,
        slope=slope,
        pieces=pieces,
        surfaces=surfaces,
    )
    return parse_course(text, "ground.toml")


def start(
    robot: Robot | str, course: Course | str, model: str = "csm", pose: Pose | None = None
) -> ContactPlant:
    """Return a robot at rest; robot and course by name or as values."""
    robot = load_robot(robot) if isinstance(robot, str) else robot
    course = load_course(course) if isinstance(course, str) else course
    plant = make_model(model).start(robot, course, pose)
    assert isinstance(plant, ContactPlant)
    return plant


def ride(
    plant: ContactPlant,
    robot: Robot | str,
    left: float,
    right: float,
    duration: float,
    *,
    tick: float = TICK,
    watch: Callable[[ContactPlant], None] | None = None,
) -> Motion:
    """Drive with constant belt speeds, look at every tick, return the motion at the end."""
    robot = load_robot(robot) if isinstance(robot, str) else robot
    command = command_sides(robot, left, right)
    for _ in range(round(duration / tick)):
        plant.advance(command, tick)
        if watch is not None:
            watch(plant)
    return plant.motion


def ride_with_flippers(
    plant: ContactPlant,
    robot: Robot,
    speed: float,
    angles: Callable[[Motion], Sequence[float]],
    duration: float,
) -> Motion:
    """Drive straight while flippers go where `angles` wants them, given the motion so far."""
    for _ in range(round(duration / TICK)):
        command = Command(
            belt_speeds=tuple(speed for _ in robot.drives),
            flipper_angles=tuple(angles(plant.motion)),
        )
        plant.advance(command, TICK)
    return plant.motion


def distance(a: Pose, b: Pose) -> float:
    """Return how far two poses are apart [m]."""
    return float(np.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2 + (a.z - b.z) ** 2))


def loads(plant: ContactPlant) -> NDArray[np.float64]:
    """Return the normal forces of the last step [N]."""
    table = plant.world.contacts(0)
    return np.einsum("ij,ij->i", table.force, table.normal)


def put(
    plant: ContactPlant,
    *,
    velocity: Sequence[float] | None = None,
    spin: Sequence[float] | None = None,
    lift: float = 0.0,
    turn: Rotation | None = None,
) -> None:
    """Change the state of all robots of a plant of our own kernel, at once.

    Velocity of the hull's centre in the world [m/s], angular velocity in its frame [rad/s], height
    above where it is [m], and a turn of its attitude.
    """
    state = plant.state
    rows = state.engine.copy()
    rows[:, POS + 2] += lift
    if velocity is not None:
        rows[:, VEL : VEL + 3] = velocity
    if spin is not None:
        rows[:, SPIN : SPIN + 3] = spin
    if turn is not None:
        now = Rotation.from_quat(rows[:, QUAT : QUAT + 4], scalar_first=True)
        rows[:, QUAT : QUAT + 4] = (turn * now).as_quat(scalar_first=True)
    plant.state = replace(state, engine=rows)


def energies(plant: ContactPlant) -> NDArray[np.float64]:
    """Return the energy of each robot of our kernel, without belts [J].

    Springs of servos count as those of flippers that are asked for their rest angles.
    """
    scene, rows = plant.scene, plant.world.state
    lay = plant.world._lay  # pyright: ignore[reportAttributeAccessIssue]
    rotation = Rotation.from_quat(rows[:, QUAT : QUAT + 4], scalar_first=True)
    spin = rows[:, SPIN : SPIN + 3]
    velocity = rotation.apply(rows[:, VEL : VEL + 3], inverse=True)
    up = rotation.apply(np.array([0.0, 0.0, 1.0]), inverse=True)

    def total(mass, moments, arm, own, about):
        moving = velocity + np.cross(spin, arm) + own
        moments = np.broadcast_to(moments, (len(rows), 3, 3))
        height = rows[:, POS + 2] + np.sum(up * arm, axis=1)
        turning = 0.5 * np.einsum("ni,nij,nj->n", about, moments, about)
        return 0.5 * mass * np.sum(moving**2, axis=1) + turning + mass * GRAVITY * height

    nothing = np.zeros((len(rows), 3))
    found = total(scene.hull.mass, scene.hull.moments, nothing, nothing, spin)
    for k, hinge in enumerate(scene.hinges):
        angle, rate = rows[:, lay[AT_ST_HINGES] + 4 * k : lay[AT_ST_HINGES] + 4 * k + 2].T
        turn = Rotation.from_rotvec(np.stack([0.0 * angle, angle, 0.0 * angle], axis=1))
        out = turn.apply(hinge.inertia.centre)
        swing = np.stack([0.0 * rate, rate, 0.0 * rate], axis=1)
        matrices = turn.as_matrix()
        moments = matrices @ hinge.inertia.moments @ np.swapaxes(matrices, 1, 2)
        arm = np.array(hinge.place) - scene.hull.centre + out
        found += total(hinge.inertia.mass, moments, arm, np.cross(swing, out), spin + swing)
        found += 0.5 * SERVO_ARMATURE * rate**2
        found += 0.5 * SERVO_STIFFNESS * (angle - hinge.rest_angle) ** 2
    return found


def energy(plant: ContactPlant) -> float:
    """Return kinetic and potential energy of one robot [J]."""
    return float(energies(plant)[0])


def pivot_rate(
    robot: Robot,
    course: Course,
    model: str,
    speed: float,
    *,
    settle: float = 0.5,
    over: float = 1.0,
) -> tuple[float, float]:
    """Return the yaw rate of a turn on the spot [rad/s] and the share of ticks in the air [1]."""
    plant = start(robot, course, model)
    ride(plant, robot, -speed, speed, settle)
    begin, ticks, airborne = plant.motion.pose.yaw, 0, 0

    def look(plant: ContactPlant) -> None:
        nonlocal ticks, airborne
        ticks, airborne = ticks + 1, airborne + (len(plant.world.contacts(0).force) == 0)

    end = ride(plant, robot, -speed, speed, over, tick=0.002, watch=look).pose.yaw
    return float(end - begin) / over, airborne / ticks
