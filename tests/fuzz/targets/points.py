"""Files of points to drive to.

Nonsense: a point that is not finite or farther than a country, no point, a path without length.
"""

from pathlib import Path

import numpy as np

from grouser.description import load_course, load_robot
from grouser.drivers import DriverInputs, DriverPlan, make_driver
from grouser.drivers.catalogue import Points, read_points
from tests.fuzz.target import Target, require, write_input

SAMPLES = ("x_m,y_m\n1,0\n1,1\n0,1\n", '\ufeffname,y_m,x_m\r\na,0.5,1e0\r\n"b, c",1.5,-2\r\n')
COURSE, ROBOT = load_course("flat"), load_robot("tp100")


def _read(content: bytes, folder: Path) -> tuple[Points, DriverPlan]:
    path = write_input(folder, ".csv", content)
    inputs = DriverInputs(robot=ROBOT, course=COURSE, start=COURSE.start_pose, speed=0.1)
    return read_points(file=str(path)), make_driver(f"waypoints:file={path}", inputs)


def _check(found: tuple[Points, DriverPlan]) -> None:
    points, plan = found
    require(0 < len(points) <= 10_000, f"{len(points)} points")
    require(bool(np.all(np.abs(points) <= 1e6)), f"points {points[:3]}")
    require(0.0 < plan.duration <= 1e8, f"{plan.duration} s")


TARGETS = [
    Target(
        name="points CSV",
        samples=lambda: [sample.encode() for sample in SAMPLES],
        attempt=_read,
        check=_check,
        words=("x_m", "y_m", '"', "1e300", "nan"),
    )
]
