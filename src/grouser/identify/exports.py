"""Export of a fit: robot file, ros2_control, Gazebo, JSON."""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement

from grouser.description import Robot, parse_robot
from grouser.description.export.links import link_name, robot_links
from grouser.description.export.sdf import VERSION, tracked_vehicle
from grouser.description.export.xml import format_xml
from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.identify.equivalent_drive import (
    UNFIT,
    driven_range,
    equivalent_drive,
    smooth_coefficients,
)
from grouser.identify.families.kinematic import MIN_DIFFERENCE_RATIO
from grouser.identify.family import KnownRobot
from grouser.identify.fit import Estimate, Fit
from grouser.laws.icr import solve_gamma
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


def format_robot(fit: Fit, known_robot: KnownRobot) -> str:
    """Return the robot file with the fitted values and their source."""
    robot = known_robot.robot
    if robot is None or not robot.text:
        raise InvalidValue("robot", "none", "be given by --robot for a robot file to be written")
    require_extra("a robot file", "identify", "tomlkit")
    import tomlkit

    document = tomlkit.parse(robot.text)
    changes = _changes(fit, known_robot)
    for key, value in changes.items():
        *path, last = key.split(".")
        table: Any = document
        for name in path:
            table = table.setdefault(name, tomlkit.table())
        table[last] = value
    sources = document.setdefault("sources", tomlkit.table())
    for key in changes:
        found = f"identified from a log, family {fit.family}, {fit.samples} samples [M]"
        sources[key] = found
    text = tomlkit.dumps(document)
    parse_robot(text, robot.name)  # raises if the result is not a valid robot
    return text


def _changes(fit: Fit, known_robot: KnownRobot) -> dict[str, Any]:
    """Return the fitted values by key of a robot file."""
    values = fit.values
    match fit.family:
        case "slip":
            return _slip(values, known_robot)
        case "icr" | "icr-varying":
            return _centres(values)
        case "icr-slip" | "icr-drift":
            return _constants(values)
        case "smooth":
            return _constants(fit.details["constants"]) | _smooth(fit)
        case "turning":
            return _turning(values, known_robot.robot)
        case "tankbot" if "D" in fit.parameters and "D_l" in fit.parameters:
            return _traction(fit.parameters)
    able = (
        "slip, icr, icr-varying, icr-slip, icr-drift, smooth, turning, or tankbot from a tilted "
        "treadmill"
    )
    raise InvalidValue(UNFIT, fit.family, f"be {able} (or export .json)")


def _centres(values: Mapping[str, float]) -> dict[str, Any]:
    """Return positions and motion of the centres of rotation; no motion for constant ones."""
    places = {f"slip.icr.{k}_m": _round(values[k]) for k in ("left_y", "right_y", "x")}
    motions = {"left_y_per_speed": "s", "right_y_per_speed": "s", "left_y_per_contrast": "m",
               "right_y_per_contrast": "m", "x_per_speed": "s"}  # fmt: skip
    return places | {
        f"slip.icr.{name}_{unit}": _round(values.get(name, 0.0)) for name, unit in motions.items()
    }


def _constants(values: Mapping[str, float]) -> dict[str, Any]:
    """Return slip ratios, centres that stay, and drift."""
    slips = {f"slip.{side}": _round(values[f"slip_{side}"]) for side in ("left", "right")}
    drift = {"slip.icr.drift_s": _round(values.get("drift", 0.0))}
    return slips | _centres(values) | drift


def _smooth(fit: Fit) -> dict[str, Any]:
    """Return the smooth terms and the range that they are from."""
    driven = driven_range(fit)
    names = zip(("forward", "yaw", "leftward"), smooth_coefficients(fit.values), strict=True)
    return {f"slip.smooth.{name}": [_round(v) for v in part] for name, part in names} | {
        "slip.smooth.fastest_m_s": _round(driven.speed),
        "slip.smooth.contrast_low": _round(driven.contrast_low),
        "slip.smooth.contrast_high": _round(driven.contrast_high),
    }


def _slip(values: Mapping[str, float], known_robot: KnownRobot) -> dict[str, Any]:
    found: dict[str, Any] = {
        f"slip.{prefix}{side}": _round(values[f"slip_{side}"])
        for prefix in ("", "turning_")
        for side in ("left", "right")
    }
    for key in ("slip_angle", "turning_slip_angle"):
        found[f"slip.{key}_deg"] = _round(math.degrees(values[key]))
    if "slope_coefficient" in values:
        found["slip.slope_per_deg"] = _round(math.radians(values["slope_coefficient"]))
    return found | _wheelbase(values["width"], known_robot)


def _wheelbase(width: float, known_robot: KnownRobot) -> dict[str, Any]:
    """Return the keys that give the equivalent wheelbase by P0 eq 7.

    With offsets in the robot file, eq 7 is solved for gamma; without, or where there is no
    solution, the length of the contact a follows from L = (a^2 + b^2) / b.
    """
    robot = known_robot.robot
    base = robot.slip.wheelbase if robot else None
    if base is not None and base.offset_y:
        try:
            gamma = solve_gamma(width, base.length, base.width, base.offset_x, base.offset_y)
            return {"slip.wheelbase.gamma": _round(float(gamma))}
        except InvalidValue:
            pass
    gauge = known_robot.gauge
    if width <= gauge:
        # No contact length gives a wheelbase below the gauge: take a smaller gauge.
        gauge = 0.999 * width
    length = math.sqrt(gauge * (width - gauge))
    return {
        "slip.wheelbase.length_m": _round(length, 9),
        "slip.wheelbase.width_m": _round(gauge, 9),
        "slip.wheelbase.offset_x_m": 0.0,
        "slip.wheelbase.offset_y_m": 0.0,
        "slip.wheelbase.gamma": 1.0,
    }


def _turning(values: Mapping[str, float], robot: Robot | None) -> dict[str, Any]:
    names = {
        "offset_ahead": "_m",
        "speed_difference_slope": "",
        "speed_difference_intercept": "_m_s",
    }
    found = {f"turning.{name}{unit}": _round(values[name]) for name, unit in names.items()}
    if robot and not (robot.turning and robot.turning.smallest_speed_difference > 0.0):
        smallest = _round(MIN_DIFFERENCE_RATIO * robot.drive.speed_limit)
        found["turning.smallest_speed_difference_m_s"] = smallest
    return found


def _traction(found: Mapping[str, Estimate]) -> dict[str, Any]:
    from grouser.identify.treadmill import SHAPE, TRACK_SHAPE

    return {
        "traction.friction": _round(found["mu"].value),
        "traction.shift": _round(found["S_h"].value),
        "traction.lateral.stiffness_factor": _round(found["B"].value),
        "traction.lateral.shape_factor": SHAPE,
        "traction.lateral.largest_force_N": _round(found["D"].value),
        "traction.lateral.curvature_factor": _round(found["E"].value),
        "traction.track.stiffness_factor": _round(found["B_l"].value),
        "traction.track.shape_factor": TRACK_SHAPE,
        "traction.track.largest_force_N": _round(found["D_l"].value),
    }


def _round(value: float, digits: int = 6) -> float:
    return float(f"{value:.{digits}g}")


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
