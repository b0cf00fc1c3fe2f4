"""Rides in three dimensions, and theory to compare them with."""

from collections.abc import Callable, Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Robot, load_course, load_robot, parse_course, parse_robot
from grouser.geometry import Pose
from grouser.models import Command, Motion, command_sides, make_model
from grouser.models.contact.plant import ContactPlant

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
    return plant.memory.load[: plant.memory.count[0]]


def energy(plant: ContactPlant) -> float:
    """Return kinetic and potential energy [J]."""
    model, data = plant.scene.model, plant.data
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    return float(data.energy.sum())


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
        ticks, airborne = ticks + 1, airborne + (plant.data.ncon == 0)

    end = ride(plant, robot, -speed, speed, over, tick=0.002, watch=look).pose.yaw
    return float(end - begin) / over, airborne / ticks


def pivot_rate_of_end_contacts(robot: Robot, speed: float) -> float:
    """Return the yaw rate of a robot that stands on the ends of its tracks [rad/s].

    w = v (B/2) / ((L/2)^2 + (B/2)^2): friction at (L/2, B/2) has no moment about the centre when
    the slip there points at the centre.
    """
    half_length, half_gauge = 0.5 * robot.contact_length, 0.5 * robot.gauge
    return speed * half_gauge / (half_length**2 + half_gauge**2)


def pivot_rate_of_boxes(
    robot: Robot, speed: float, boxes: int, friction: tuple[float, float] = (1.0, 1.0)
) -> float:
    """Return the yaw rate at which friction under the corners of equal boxes has no moment [rad/s].

    Every corner carries the same load. Friction is in the direction of greatest dissipation:
    (mu_x^2 s_x, mu_y^2 s_y) / |(mu_x s_x, mu_y s_y)| against the slip s.
    """
    half, width = 0.5 * robot.gauge, 0.5 * robot.tracks[0].width
    ends = np.linspace(-0.5, 0.5, boxes + 1) * robot.contact_length
    x, y = np.meshgrid(np.concatenate((ends[1:], ends[:-1])), [half - width, half + width])
    along, across = friction
    low, high = 0.0, 3.0 * speed / half
    for _ in range(60):
        rate = 0.5 * (low + high)
        ahead, aside = speed - rate * y, -rate * x
        size = np.hypot(along * ahead, across * aside)
        moment = np.sum((along**2 * ahead * y + across**2 * aside * x) / np.maximum(size, 1e-12))
        low, high = (rate, high) if moment > 0.0 else (low, rate)
    return 0.5 * (low + high)


def pivot_rate_of_uniform_pressure(robot: Robot, speed: float) -> float:
    """Return the yaw rate of a robot whose weight is spread evenly along its tracks [rad/s]."""
    return pivot_rate_of_boxes(robot, speed, 500)
