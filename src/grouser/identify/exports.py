"""Export of a fit: robot file, ros2_control, Gazebo, JSON."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement

from grouser.description.export.links import link_name, robot_links
from grouser.description.export.sdf import VERSION, tracked_vehicle
from grouser.description.export.xml import format_xml
from grouser.errors import InvalidValue
from grouser.identify.equivalent_drive import (
    UNFIT,
    driven_range,
    equivalent_drive,
)
from grouser.identify.family import KnownRobot
from grouser.identify.fit import Fit
from grouser.identify.fitted_robot import format_robot
from grouser.storage import write_atomically

if TYPE_CHECKING:
    from grouser.identify.identify import Identification


def _left_out(fit: Fit) -> str:
    """Return what a differential drive cannot hold of a family; empty if that is nothing new."""
    match fit.family:
        case "icr-slip":
            return "Left out, as a differential drive has none: centres off the middle."
        case "icr-drift":
            return "Left out, as a differential drive has none: centres off the middle, drift."
        case "smooth":
            speed = driven_range(fit).speed
            return (
                f"Least squares of the smooth terms up to {speed:.3g} m/s; left out: drift, and "
                "slip that changes with speed and curvature."
            )
    return ""


_ROS2_CONTROL = """\
# Identified by grouser from family {family}, {status}.
# The controller multiplies wheel separation and radii of the robot; it has no slip angle.
{left_out}diff_drive_controller:
  ros__parameters:
    wheel_separation: {gauge:.6g}
    wheel_separation_multiplier: {separation:.6g}
    left_wheel_radius_multiplier: {left:.6g}
    right_wheel_radius_multiplier: {right:.6g}
"""


def format_diff_drive(fit: Fit, known_robot: KnownRobot) -> str:
    """Return the parameters as YAML."""
    drive, lost = equivalent_drive(fit, known_robot), _left_out(fit)
    return _ROS2_CONTROL.format(
        family=fit.family, status=fit.status, gauge=known_robot.gauge, separation=drive.separation,
        left=drive.left_radius, right=drive.right_radius, left_out=f"# {lost}\n" if lost else "",
    )  # fmt: skip


def format_gz_sim(fit: Fit, known_robot: KnownRobot) -> str:
    """Return the plug-in as SDF, with the links of `robot_sdf`."""
    drive, lost = equivalent_drive(fit, known_robot), _left_out(fit)
    mean = 0.5 * (drive.left_radius + drive.right_radius)
    robot = known_robot.robot
    links = robot_links(robot)[1:] if robot else ()
    tracks = [(link.side, link.name) for link in links if link.side]
    tracks = tracks or [("left", link_name("left")), ("right", link_name("right"))]
    root = Element("sdf", version=VERSION)
    model = SubElement(root, "model", name=robot.name if robot else "robot")
    model.append(tracked_vehicle(tracks, known_robot.gauge, mean / drive.separation))
    comment = (
        f"Identified by grouser from family {fit.family}, {fit.status}. Put the plugin into the "
        "model's SDF;\n       steering_efficiency 1 is a differential drive, a lower value turns "
        f"slower.{chr(10) + 7 * ' ' + lost if lost else ''}"
    )
    return format_xml(root, comment)


_FORMATS: dict[str, Callable[[Fit, KnownRobot], str]] = {
    ".toml": format_robot,
    ".yaml": format_diff_drive,
    ".sdf": format_gz_sim,
    ".json": lambda fit, _: json.dumps(without_nan(fit.to_dict()), indent=2) + "\n",
}
SUFFIXES = tuple(_FORMATS)
"""Suffixes of exports: robot file, ros2_control, gz-sim, JSON."""


def export_fit(fit: Fit, path: str | Path, known_robot: KnownRobot) -> None:
    """Write a fit in the format of the suffix; InvalidValue if that cannot hold the family."""
    if (suffix := Path(path).suffix.lower()) not in _FORMATS:
        raise InvalidValue("name of an export", str(path), "end in .toml, .yaml, .sdf or .json")
    write_atomically(path, _FORMATS[suffix](fit, known_robot))


def export_best(found: "Identification", path: str | Path) -> Fit:
    """Write the recommended fit, or the best other one that the format can hold; return it."""
    file, name = Path(path), found.recommendation.family
    if not name and file.suffix.lower() != ".json":
        required = f"have a family to write; recommended is {found.recommendation.sentence}"
        raise InvalidValue("--export", str(path), required)
    chosen, *rest = found.best_first
    others = [fit for fit in rest if fit.status.is_trusted and math.isfinite(fit.hold_out.score)]
    for fit in (chosen, *sorted(others, key=lambda fit: fit.hold_out.score)):
        try:
            export_fit(fit, path, found.known_robot)
        except InvalidValue as error:
            if error.name != UNFIT or len(found.fits) == 1:
                raise
            continue
        return fit
    raise InvalidValue(UNFIT, chosen.family, f"have a place in {file.name}; export .json")


def without_nan(content: object) -> object:
    """Return content with None for NaN and infinity, which JSON does not have."""
    if isinstance(content, dict):
        return {str(key): without_nan(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [without_nan(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content
