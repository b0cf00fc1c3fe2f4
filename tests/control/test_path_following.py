"""Followers bring the robot to the end of the path, close to it all the way."""

import numpy as np
import pytest

from grouser.control import STEERINGS, PathFollower, PathProgress, Pd
from grouser.description import Path, load_course, load_robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models import make_model
from grouser.simulation import Simulation

ROBOT = load_robot("tp100")
LARGEST_ERROR = {
    "behaviour-1-straight": 0.002,
    "behaviour-1-radius": 0.02,
    "behaviour-1-sharp": 0.012,
    "behaviour-2": 0.035,
    "behaviour-3": 0.03,
}
"""How far each course's path may be left; the kick of course 2 costs most [m]."""


def follow(course_name: str, steering: str, model: str = "slip", dt: float = 0.05):
    course = load_course(course_name)
    simulation = Simulation(make_model(model), ROBOT, course, dt=dt)
    driver = PathFollower(ROBOT, course.path, 0.1, STEERINGS[steering]())
    simulation.run(driver, duration=90.0)
    return simulation, course.path, driver


def errors(log, path: Path) -> np.ndarray:
    near, found = 0.0, []
    for x, y in zip(log["x"], log["y"], strict=True):
        near = float(path.nearest(x, y, near=near))
        px, py, _ = path.at(near)
        found.append(np.hypot(x - px, y - py))
    return np.array(found)


@pytest.mark.parametrize("steering", sorted(STEERINGS))
@pytest.mark.parametrize("course", sorted(LARGEST_ERROR))
def test_every_law_of_steering_drives_every_behaviour_course(course, steering):
    # P0's loop runs every 50 ms.
    simulation, path, driver = follow(course, steering)
    x, y, _ = path.at(path.length)
    pose = simulation.motion.pose
    assert driver(simulation.time, simulation.motion) is None
    assert np.hypot(pose.x - x, pose.y - y) <= 0.035
    assert errors(simulation.log(), path).max() < LARGEST_ERROR[course]


def test_a_robot_that_slips_otherwise_than_its_file_says_still_arrives():
    course = load_course("behaviour-1-radius")
    model = make_model("slip", slip_left=0.2, slip_right=0.05, width=0.3)
    simulation = Simulation(model, ROBOT, course, dt=0.05)
    simulation.run(PathFollower(ROBOT, course.path, 0.1), duration=60.0)
    assert errors(simulation.log(), course.path).max() < 0.03


def test_steering_turns_towards_the_path():
    path = load_course("behaviour-1-straight").path
    left_of_path = Pose(y=0.05)
    for name, law in STEERINGS.items():
        _, yaw_rate = law()(left_of_path, path, 0.1, path.length, 0.1)
        assert yaw_rate < 0.0, name
        _, yaw_rate = law()(Pose(yaw=-0.3), path, 0.0, path.length, 0.1)
        assert yaw_rate > 0.0, name


def test_a_corner_is_made_before_what_lies_behind_it():
    path = load_course("behaviour-1-sharp").path
    progress = PathProgress(path)
    progress.update(Pose(x=0.38, y=0.05))  # nearer to the second leg than to the corner
    assert progress.s < 0.39
    progress.update(Pose(x=0.395))
    assert progress.leg_end == pytest.approx(0.8)


def test_a_path_that_comes_back_is_not_cut_short():
    path = load_course("behaviour-3").path
    progress = PathProgress(path)
    progress.update(Pose(x=0.1, y=-0.39))
    assert progress.s < 0.5


def test_speeds_above_the_limit_are_refused_and_belts_scaled_together():
    path = load_course("behaviour-1-straight").path
    with pytest.raises(InvalidValue, match="within the limit of robot 'tp100'"):
        PathFollower(ROBOT, path, speed=1.0)
    driver = PathFollower(ROBOT, path, speed=0.3)
    simulation = Simulation(make_model("ideal"), ROBOT, load_course("flat"), pose=Pose(yaw=-0.5))
    left, right = driver(0.0, simulation.motion).belt_speeds
    assert right == pytest.approx(ROBOT.drive.speed_limit)
    assert left < right


def test_a_course_without_a_path_cannot_be_followed():
    with pytest.raises(InvalidValue, match="choose a course that has one"):
        PathFollower(ROBOT, load_course("flat").path)


def test_pd_uses_the_measured_rate_and_saturates():
    pd = Pd(kp=2.0, kd=0.5, limit=1.0)
    assert pd(0.3, 0.2) == pytest.approx(0.5)
    assert pd(5.0) == 1.0
    assert pd(np.array([-5.0, 0.1])) == pytest.approx([-1.0, 0.2])
