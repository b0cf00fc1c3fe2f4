"""Drivers such as `legs:speed=0.1,count=4`.

Nonsense: a drive that never ends, or a belt speed that is not finite or beyond the robot's limit.
"""

import math
from functools import cache
from pathlib import Path

from grouser.description import load_course, load_robot
from grouser.drivers import DriverInputs, DriverPlan, make_driver
from grouser.models import make_model
from grouser.simulation import Simulation
from tests.fuzz.target import Target, require

SAMPLES = (
    "follow:speed=0.1,lookahead=0.2",
    "pursuit:lookahead=0.15",
    "stanley:gain=1.5,rate=2",
    "waypoints:points=1/0;1/1;0/1,steering=pursuit,speed=0.05",
    "constant:speed=0.1,yaw_rate=0.2",
    "constant:left=0.1,right=-0.05",
    "step:left=0.1,right=0.1,at=0.5",
    "sine:speed=0.05,amplitude=0.05,period=2",
    "square:turning=0.05,period=3",
    "legs:speed=0.1,count=4,duration=1.5",
)
COURSE, ROBOT = load_course("behaviour-1-radius"), load_robot("tp100")


@cache
def _motion():
    return Simulation(make_model("ideal"), ROBOT, COURSE).motion


def _read(content: bytes, folder: Path) -> tuple[DriverPlan, list[float]]:
    inputs = DriverInputs(robot=ROBOT, course=COURSE, start=COURSE.start_pose, speed=0.1)
    plan = make_driver(content.decode(errors="surrogateescape"), inputs)
    commands = [plan.driver(time, _motion()) for time in (0.0, 0.01, 0.5, 2.0)]
    return plan, [speed for command in commands if command for speed in command.belt_speeds]


def _check(found: tuple[DriverPlan, list[float]]) -> None:
    plan, speeds = found
    require(0.0 < plan.duration <= 1e8, f"{plan.duration} s")
    limit = ROBOT.drive.speed_limit
    for speed in speeds:
        require(math.isfinite(speed) and abs(speed) <= 1.001 * limit, f"belt speed {speed}")


TARGETS = [
    Target(
        name="driver",
        samples=lambda: [sample.encode() for sample in SAMPLES],
        attempt=_read,
        check=_check,
        names_file=False,
        words=("count=1e9", "speed=0.1", "file=/dev/zero", "legs", "replay:log=/dev/zero", "at=5"),
    )
]
