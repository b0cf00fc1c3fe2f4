"""Robot files.

Nonsense: a number that is not finite or absurd, a mass or a size of nothing, no gauge, a belt
without length, a moment of inertia that belongs to no body, a name that leads elsewhere.
"""

import math
from pathlib import Path

from grouser.description import load_robot, robot_names
from grouser.description.robot import Robot
from tests.fuzz.nonsense import check_name, check_numbers
from tests.fuzz.target import Target, require, write_input


def _read(content: bytes, folder: Path) -> Robot:
    robot = load_robot(write_input(folder, ".toml", content))
    # What whoever drives it does next.
    _ = (robot.content_hash, robot.wheel_radius, robot.wheel_distance, robot.contact_length)
    _ = (robot.sprocket_radius, robot.front, robot.rear, robot.centre_of_mass)
    for track in robot.tracks:
        track.loop.outline()
        _ = track.grouser_places
    if robot.body.model_file is None:
        robot.mirrored()
    return robot


def _check(robot: Robot) -> None:
    check_numbers(robot)
    require(1e-7 < robot.mass < 1e9, f"mass {robot.mass}")
    require(1e-7 < robot.gauge < 1e6, f"gauge {robot.gauge}")
    require(1e-7 < robot.wheel_radius < 1e6, f"radius {robot.wheel_radius}")
    require(all(math.isfinite(place) for place in robot.centre_of_mass), "centre of mass")
    require(all(track.loop.length > 1e-7 for track in robot.tracks), "a belt without length")
    for surface in (robot.traction,) if robot.traction else ():
        require(surface.friction <= 1e3, f"friction {surface.friction}")
    inertia, size = robot.body.inertia, math.hypot(*robot.body.size)
    require(max(inertia) <= 1.001 * (sum(inertia) - max(inertia)), f"inertia {inertia}")
    require(max(inertia) <= 1e7 * robot.body.mass * size**2, f"inertia {inertia}, size {size}")
    for name in (robot.name, *robot.belt_order, *(flipper.name for flipper in robot.flippers)):
        check_name(name)


TARGETS = [
    Target(
        name="robot TOML",
        samples=lambda: [load_robot(name).text.encode() for name in robot_names()],
        attempt=_read,
        check=_check,
        words=("mass_kg", "nan", "inf", "-1", "1e308", "[[tracks]]", "true", "'x'"),
    )
]
