"""Robot files."""

from pathlib import Path

import numpy as np

from grouser.description import load_robot, robot_names
from grouser.description.robot import Robot
from tests.fuzz.target import Target, require, write_input


def _read(content: bytes, folder: Path) -> Robot:
    return load_robot(write_input(folder, ".toml", content))


def _check(robot: Robot) -> None:
    require(bool(np.isfinite(robot.mass) and robot.mass > 0.0), f"mass {robot.mass}")
    require("/" not in robot.name and ".." not in robot.name, f"name {robot.name!r}")


TARGETS = [
    Target(
        name="robot TOML",
        samples=lambda: [load_robot(name).text.encode() for name in robot_names()],
        attempt=_read,
        check=_check,
        words=("mass_kg", "nan", "inf", "-1", "1e308", "[[tracks]]", "true", "'x'"),
    )
]
