"""Where a robot stands when somebody puts it down."""

import math
from types import SimpleNamespace
from typing import Any

import pytest

from grouser.description import load_course, load_robot
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.viewer.pointer import Ray
from grouser.viewer.stances import CLEARANCE, Extent, Spot, lie_on_back, stand

ABSOLEM = load_robot("absolem")
REST = [flipper.rest_angle for flipper in ABSOLEM.flippers]


def test_a_robot_is_put_on_an_obstacle_that_it_would_stick_in():
    course = load_course("step:height_m=0.2")
    edge = min(x / 100.0 for x in range(300) if course.terrain.height(x / 100.0, 0.0) > 0.1)
    before = stand(ABSOLEM, REST, course, Spot(edge - ABSOLEM.front - 0.4, 0.0, 0.0))
    assert before.z == pytest.approx(CLEARANCE)
    partly = stand(ABSOLEM, REST, course, Spot(edge - 0.5 * ABSOLEM.front, 0.0, 0.0))
    assert partly.z == pytest.approx(0.2 + CLEARANCE)


def test_flippers_that_point_down_lift_the_robot():
    lowered = [math.radians(60.0)] * 2 + [math.radians(-60.0)] * 2
    course = load_course("flat")
    assert stand(ABSOLEM, lowered, course, Spot(0.0, 0.0, 0.0)).z > 0.15


@pytest.mark.parametrize("name", ["absolem", "tp100", "quince"])
def test_a_robot_on_its_back_lies_above_the_ground(name):
    robot = load_robot(name)
    angles = [flipper.rest_angle for flipper in robot.flippers]
    pose = lie_on_back(robot, angles, load_course("flat"), Spot(1.0, 2.0, 0.7))
    assert pose.roll == math.pi
    assert pose.z >= Extent.of(robot).high[2]
    assert (pose.x, pose.y, pose.yaw) == (1.0, 2.0, 0.7)


def test_there_is_no_place_beside_the_ground():
    terrain = SimpleNamespace(pose_at=lambda x, y, yaw: Pose(x=x, y=y, z=math.nan, yaw=yaw))
    course: Any = SimpleNamespace(name="island", terrain=terrain)
    with pytest.raises(InvalidValue, match="lie on the ground of course 'island'"):
        stand(ABSOLEM, REST, course, Spot(9.0, 0.0, 0.0))


def test_a_ray_meets_a_turned_robot_where_its_hull_is():
    extent = Extent.of(ABSOLEM)
    from_left = Ray((0.0, 5.0, 0.1), (0.0, -1.0, 0.0))
    met = extent.meet(from_left, Pose(yaw=math.pi / 2.0))
    assert met == pytest.approx((ABSOLEM.front, 0.0, 0.1))
    assert extent.meet(Ray((1.0, 5.0, 0.1), (0.0, -1.0, 0.0)), Pose()) is None
    assert extent.meet(Ray((0.0, 5.0, 0.1), (0.0, 1.0, 0.0)), Pose()) is None
