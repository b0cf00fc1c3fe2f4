"""On a plane of any tilt, planar models move in that plane: its normal is what they turn about."""

from dataclasses import dataclass

import numpy as np
import pytest
from benchmarks.plain_planar import plain_rates
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from grouser.description import Course, Robot, load_course, load_robot, parse_course
from grouser.geometry import Pose, Twist, wrap_angle
from grouser.laws.slip_odometry import slip_twist
from grouser.laws.slope import grade_forces, slope_slip
from grouser.models import Command, command_sides, make_model, start_model
from grouser.models.kinematic_models import effective_width
from grouser.models.planar.constants import robot_constants
from tests.models.drives import drive
from tests.models.test_laws_of_motion import KINEMATIC
from tests.models.test_skid_models import skid_robot

TILTED = """
name = "tilted"
[[terrain]]
kind = "plane"
slope_deg = 20.0
cross_slope_deg = 18.0
"""
TWO_PLANES = """
name = "two planes"
[[terrain]]
kind = "plane"
slope_deg = 28.0
[[terrain]]
kind = "plane"
z_m = -9.0
"""
COURSES = {
    "28 degrees": load_course("slope:angle_deg=28"),
    "two tilts": parse_course(TILTED, "tilted.toml"),
    "settled by both sides": parse_course(TWO_PLANES, "planes.toml"),
}
LEFT, RIGHT = 0.05, 0.1


def at_once(robot: Robot) -> Robot:
    """Return a robot whose belts have their speeds from the first tick on."""
    limits = {"acceleration_limit": np.inf}
    return robot.model_copy(update={"drive": robot.drive.model_copy(update=limits)})


ROBOT = at_once(skid_robot())


@dataclass(frozen=True)
class Plane:
    """The plane that a robot starts on, with its axes at the start."""

    start: Pose
    """Where the robot starts."""

    def gap(self, pose: Pose, ahead: float, left: float, turn: float) -> tuple[float, float]:
        """Return how far a pose is from a motion in the plane, [mm] and [deg]."""
        turned = self.start.rotation
        origin = np.array([self.start.x, self.start.y, self.start.z])
        off = origin + turned.apply((ahead, left, 0.0)) - (pose.x, pose.y, pose.z)
        error = (turned * Rotation.from_euler("Z", turn)).inv() * pose.rotation
        return 1e3 * float(np.linalg.norm(off)), float(np.rad2deg(error.magnitude()))


def slip_on(robot: Robot, rotation: Rotation) -> tuple[float, float, float]:
    """Return what P0's equations say of a robot that drives to the left on a slope."""
    slip, slope = robot.slip, float(np.arcsin(rotation.as_matrix()[2, 0]))
    slope = slope if abs(slope) > np.deg2rad(2.0) else 0.0
    ratios = (
        float(slope_slip(flat, slip.slope_coefficient, slope))
        for flat in (slip.turning_left, slip.turning_right)
    )
    vx, _, rate = slip_twist(LEFT, RIGHT, *ratios, 0.0, effective_width(robot))
    return float(vx), float(vx * np.tan(slip.turning_slip_angle)), float(rate)


def plane_motion(twist_at, times: np.ndarray) -> np.ndarray:
    """Return way ahead and left [m], and turn [rad], of a twist that depends on the turn."""

    def rates(_: float, now: np.ndarray) -> tuple[float, float, float]:
        vx, vy, yaw_rate = twist_at(now[2])
        cos, sin = np.cos(now[2]), np.sin(now[2])
        return vx * cos - vy * sin, vx * sin + vy * cos, yaw_rate

    span, start = (0.0, times[-1]), np.zeros(3)
    solved = solve_ivp(rates, span, start, t_eval=times, rtol=1e-10, atol=1e-12, max_step=0.5)
    return solved.y.T


PARTS = 8
"""At how many places of a circle poses are compared: at its end much has cancelled out."""


@pytest.mark.parametrize("course", COURSES)
@pytest.mark.parametrize("name", KINEMATIC)
def test_a_circle_on_a_slope_is_the_circle_in_its_plane(name: str, course: str):
    model, terrain = make_model(name), COURSES[course].terrain
    level = drive(model, ROBOT, load_course("flat"), LEFT, RIGHT, duration=0.02).twist
    start = terrain.pose_at(0.3, -0.2, 0.7)
    ticks = round(200.0 * np.pi / float(level.yaw_rate) / PARTS)

    def twist_at(turn: float) -> tuple[float, float, float]:
        if name != "slip":
            return float(level.vx), float(level.vy), float(level.yaw_rate)
        return slip_on(ROBOT, start.rotation * Rotation.from_euler("Z", turn))

    plant = start_model(model, ROBOT, COURSES[course], start)
    expected = plane_motion(twist_at, 0.01 * ticks * np.arange(1, PARTS + 1))
    for motion in expected:
        for _ in range(ticks):
            plant.advance(command_sides(ROBOT, LEFT, RIGHT), 0.01)
        millimetres, degrees = Plane(start).gap(plant.motion.pose, *motion)
        assert millimetres <= 1.0
        assert degrees <= 0.1
    assert expected[-1, 2] > 5.0


@pytest.mark.parametrize("name", KINEMATIC)
def test_a_turn_on_a_slope_has_rates_about_its_normal_alone(name: str):
    plant = start_model(make_model(name), ROBOT, COURSES["settled by both sides"])
    for _ in range(100):
        plant.advance(command_sides(ROBOT, -RIGHT, RIGHT), 0.01)
    twist = plant.motion.twist
    assert abs(twist.yaw_rate) > 0.3
    assert (twist.roll_rate, twist.pitch_rate) == pytest.approx((0.0, 0.0), abs=1e-6)


def test_the_tankbot_circles_in_the_plane_of_a_rolled_treadmill():
    robot, course = load_robot("tankbot"), load_course("treadmill:roll_deg=6")
    voltages, times = (2.3, 3.6), 2.0 * np.arange(1, 8)
    plant = start_model(make_model("tankbot:resting_shift=0"), robot, course)
    start = plant.motion.pose
    state = np.zeros(8)
    constants = robot_constants(robot, treadmill_speed=course.treadmill_speed)
    state[6:] = np.array(plant.motion.belt_speeds) / robot.sprocket_radius
    grade = grade_forces(robot.mass, 0.0, np.deg2rad(6.0))
    solved = solve_ivp(
        lambda _, now: plain_rates(now, voltages, grade, constants),
        (0.0, times[-1]), state, method="LSODA", t_eval=times, rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    for x, y, turn in solved.y[:3].T:
        for _ in range(200):
            plant.advance(Command(belt_speeds=(0.0, 0.0), motor_voltages=voltages), 0.01)
        millimetres, degrees = Plane(start).gap(plant.motion.pose, x, y, turn)
        assert millimetres <= 1.0
        assert degrees <= 0.1
    assert solved.y[2, -1] > 2.0 * np.pi


def followed(name: str, robot: Robot, course: Course) -> tuple[float, float]:
    """Return how far a robot is from where its velocities in the plane lead it, [mm], [deg]."""
    plant = start_model(make_model(name), robot, course, course.terrain.pose_at(0.0, 0.0, 0.5))
    plane, before, place, heading = Plane(plant.motion.pose), Twist(), np.zeros(2), 0.0
    gaps = []
    while heading < 2.0 * np.pi:
        for _ in range(300):
            plant.advance(command_sides(robot, LEFT, RIGHT), 0.005)
            now = plant.motion.twist
            parts = ((getattr(before, n), getattr(now, n)) for n in ("vx", "vy", "yaw_rate"))
            vx, vy, rate = (0.5 * (old + new) for old, new in parts)
            middle = heading + 0.5 * rate * 0.005
            cos, sin = np.cos(middle), np.sin(middle)
            place += 0.005 * np.array((vx * cos - vy * sin, vx * sin + vy * cos))
            before, heading = now, heading + 0.005 * rate
        gaps.append(plane.gap(plant.motion.pose, *place, heading))
    millimetres, degrees = zip(*gaps, strict=True)
    return max(millimetres), max(degrees)


@pytest.mark.parametrize("name", ["tankbot", "tracks-planar"])
@pytest.mark.parametrize("course", ["28 degrees", "two tilts"])
def test_planar_forces_move_a_robot_in_the_plane_of_a_slope(name: str, course: str):
    millimetres, degrees = followed(name, load_robot("tp100"), COURSES[course])
    assert millimetres <= 1.0
    assert degrees <= 0.1


def test_many_robots_on_a_slope_equal_one_by_one_bit_for_bit():
    robot, course = load_robot("tp100"), COURSES["two tilts"]
    yaws = np.linspace(-4.0, 4.0, 5)
    starts = Pose(x=np.zeros(5), y=np.zeros(5), yaw=yaws)
    for name in (*KINEMATIC, "tankbot", "tracks-planar"):
        together = drive(make_model(name), robot, course, LEFT, RIGHT, pose=starts, duration=0.3)
        for i in range(5):
            alone = drive(
                make_model(name), robot, course, LEFT, RIGHT, pose=starts[i], duration=0.3
            )
            for part in ("x", "y", "z", "roll", "pitch", "yaw"):
                assert getattr(together.pose, part)[i] == getattr(alone.pose, part), (name, part)


def test_headings_seen_from_above_are_unwrapped():
    course = COURSES["28 degrees"]
    pose = drive(make_model("ideal"), ROBOT, course, -RIGHT, RIGHT, duration=60.0).pose
    level = drive(make_model("ideal"), ROBOT, load_course("flat"), -RIGHT, RIGHT, duration=60.0)
    assert level.pose.yaw > 40.0
    assert pose.yaw == pytest.approx(level.pose.yaw, abs=0.1)
    assert abs(wrap_angle(pose.yaw - level.pose.yaw)) < 0.1
