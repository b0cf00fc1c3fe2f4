"""Moments and robots for tests of sensors."""

import numpy as np

from grouser.description import Course, Robot, load_robot, parse_course, parse_robot
from grouser.geometry import Pose, Twist
from grouser.models import Motion
from grouser.simulation.sensors import Moment, Sensor
from grouser.simulation.sensors.suite import SensorSuite

TICK = 0.01


def motion(pose: Pose | None = None, twist: Twist | None = None, **more) -> Motion:
    given = {"belt_speeds_commanded": (), "belt_speeds": (), "belt_travels": ()}
    return Motion(pose=pose or Pose(), twist=twist or Twist(), **(given | more))


def moment(now: Motion, before: Motion | None = None, time=0.0, duration=TICK) -> Moment:
    return Moment(time, duration, now, before or now, TICK)


def still(**place) -> Moment:
    return moment(motion(Pose(**place)))


def with_sensors(text: str, robot: str = "absolem") -> Robot:
    """Return a robot with sensors by the text of their tables, and no others."""
    found = load_robot(robot).text
    before, mark, after = found.partition("\n[sources]\n")
    assert "[sensors" not in before
    return parse_robot(f"{before}\n{text}{mark}{after}", "mine.toml")


def make_sensor(text: str, course: Course, seed=0, robot: str = "absolem") -> Sensor:
    (sensor,) = SensorSuite(with_sensors(text, robot), course, seed).sensors
    return sensor


ROOM_X, ROOM_Y = (-3.0, 5.0), (-2.0, 4.0)


def room(mirrored=False) -> Course:
    """Return a room with walls at x -3 and 5, y -2 and 4, and a box in it; z up to 2 m."""
    walls = [(-3.5, 1.0, 1.0, 10.0), (5.5, 1.0, 1.0, 10.0), (1.0, -2.5, 8.0, 1.0)]
    boxes = [*walls, (1.0, 4.5, 8.0, 1.0), (2.5, 2.0, 0.8, 0.6)]
    sign = -1.0 if mirrored else 1.0
    text = "".join(
        f'[[terrain]]\nkind = "box"\nx_m = {x}\ny_m = {sign * y}\nlength_m = {length}\n'
        f"width_m = {width}\nheight_m = 2.0\n"
        for x, y, length, width in boxes
    )
    return parse_course(f'name = "room"\n[[terrain]]\nkind = "plane"\n{text}', "room.toml")


def distance_in_room(x: float, y: float, angle: np.ndarray) -> np.ndarray:
    """Return the distance to the walls of the room and to its box [m]."""
    cos, sin = np.cos(angle), np.sin(angle)
    with np.errstate(divide="ignore"):
        along = np.abs(np.where(cos > 0, ROOM_X[1] - x, ROOM_X[0] - x) / cos)
        across = np.abs(np.where(sin > 0, ROOM_Y[1] - y, ROOM_Y[0] - y) / sin)
    return np.minimum(np.minimum(along, across), _distance_to_box(x, y, cos, sin))


def _distance_to_box(x, y, cos, sin):
    with np.errstate(divide="ignore"):
        a, b = (np.array([2.1, 2.9])[:, None] - x) / cos, (np.array([1.7, 2.3])[:, None] - y) / sin
    first = np.maximum(a.min(axis=0), b.min(axis=0))
    last = np.minimum(a.max(axis=0), b.max(axis=0))
    return np.where((first <= last) & (first > 0.0), first, np.inf)
