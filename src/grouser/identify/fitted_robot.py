"""Robot file with the values of a fit: each number with its source, and none that was not fitted.

A parameter that a log does not identify keeps its start value. It is written only where the file
says otherwise, with a source that tells so; 0, which is what a file without it means, is left out.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grouser.description import Robot, parse_robot
from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.identify.equivalent_drive import UNFIT, driven_range, smooth_coefficients
from grouser.identify.families.kinematic import MIN_DIFFERENCE_RATIO
from grouser.identify.family import KnownRobot
from grouser.identify.fit import Fit
from grouser.laws.icr import solve_gamma


@dataclass(frozen=True, slots=True)
class Entry:
    """What a fit says about one key of a robot file."""

    value: Any
    """A number, or a list of them, in the unit of the key."""
    names: tuple[str, ...] = ()
    """Parameters that it follows from; none if it is of the log or of the family itself."""
    origin: str = ""
    """Source, where it is not the log."""
    is_required: bool = False
    """Whether a file without it would not be valid."""


NOTHING = Entry(0.0, ("",))
"""The entry of a key that the family has no parameter for: it must not stay in the file."""


def format_robot(fit: Fit, known_robot: KnownRobot) -> str:
    """Return the robot file with the fitted values and their sources."""
    robot = known_robot.robot
    if robot is None or not robot.text:
        raise InvalidValue("robot", "none", "be given by --robot for a robot file to be written")
    require_extra("a robot file", "identify", "tomlkit")
    import tomlkit

    document = tomlkit.parse(robot.text)
    sources = document.setdefault("sources", tomlkit.table())
    for key, entry in _entries(fit, known_robot).items():
        *path, last = key.split(".")
        table: Any = document
        for name in path:
            table = table.setdefault(name, tomlkit.table())
        unknown = [name for name in entry.names if name not in fit.parameters]
        if entry.names and len(unknown) == len(entry.names):
            if _is_near(table.get(last), entry.value):
                continue
            if entry.value == 0.0 and not entry.is_required:
                table.pop(last, None)
                sources.pop(key, None)
                continue
        table[last], sources[key] = entry.value, _source(entry, fit, unknown)
    text = tomlkit.dumps(document)
    parse_robot(text, robot.name)  # raises if the result is not a valid robot
    return text


def _is_near(found: Any, value: Any) -> bool:
    return isinstance(found, int | float) and math.isclose(found, value, rel_tol=1e-5)


def _source(entry: Entry, fit: Fit, unknown: list[str]) -> str:
    """Return the source of a key; `unknown` are its parameters that were not fitted."""
    if entry.origin:
        return entry.origin
    if entry.names and len(unknown) == len(entry.names):
        return f"start value of family {fit.family}, which the log does not identify [A]"
    found = f"identified from a log, family {fit.family}, {fit.samples} samples [M]"
    return found + (f"; not identified, start values: {', '.join(unknown)}" if unknown else "")


def _entries(fit: Fit, known_robot: KnownRobot) -> dict[str, Entry]:
    """Return what a fit says, by key of a robot file."""
    values = fit.values
    match fit.family:
        case "slip":
            return _slip(values, known_robot)
        case "icr" | "icr-varying":
            return _centres(values)
        case "icr-slip" | "icr-drift":
            return _constants(values)
        case "smooth":
            constants = _constants(fit.details["constants"])
            kept = {k: Entry(e.value) if e.value else NOTHING for k, e in constants.items()}
            return kept | _smooth(fit)
        case "turning":
            return _turning(values, known_robot.robot)
        case "tankbot" if "D" in fit.parameters and "D_l" in fit.parameters:
            return _traction(values)
    able = (
        "slip, icr, icr-varying, icr-slip, icr-drift, smooth, turning, or tankbot from a tilted "
        "treadmill"
    )
    raise InvalidValue(UNFIT, fit.family, f"be {able} (or export .json)")


def _entry(values: Mapping[str, float], name: str) -> Entry:
    """Return the entry of a parameter in the unit of the file."""
    return Entry(_round(values[name]), (name,)) if name in values else NOTHING


def _centres(values: Mapping[str, float]) -> dict[str, Entry]:
    """Return positions and motion of the centres of rotation; no motion for constant ones."""
    units = {"left_y": "m", "right_y": "m", "x": "m", "left_y_per_speed": "s",
             "right_y_per_speed": "s", "left_y_per_contrast": "m", "right_y_per_contrast": "m",
             "x_per_speed": "s"}  # fmt: skip
    return {f"slip.icr.{name}_{unit}": _entry(values, name) for name, unit in units.items()}


def _constants(values: Mapping[str, float]) -> dict[str, Entry]:
    """Return slip ratios, centres that stay, and drift."""
    slips = {f"slip.{side}": _entry(values, f"slip_{side}") for side in ("left", "right")}
    return slips | _centres(values) | {"slip.icr.drift_s": _entry(values, "drift")}


def _smooth(fit: Fit) -> dict[str, Entry]:
    """Return the smooth terms and the range that they are from."""
    driven = driven_range(fit)
    found: dict[str, Entry] = {}
    for name, part in zip(
        ("forward", "yaw", "leftward"), smooth_coefficients(fit.values), strict=True
    ):
        names = tuple(f"{name}_{i}" for i in range(len(part)))
        found[f"slip.smooth.{name}"] = Entry([_round(v) for v in part], names)
    found |= {
        "slip.smooth.fastest_m_s": Entry(_round(driven.speed)),
        "slip.smooth.contrast_low": Entry(_round(driven.contrast_low)),
        "slip.smooth.contrast_high": Entry(_round(driven.contrast_high)),
    }
    for name in ("ahead", "back", "spot"):
        if (way := getattr(driven, name)) is not None:
            numbers = {"fastest_m_s": way.speed, "right": way.right, "left": way.left}
            found |= {f"slip.smooth.{name}.{k}": Entry(_round(v)) for k, v in numbers.items()}
    return found


def _slip(values: Mapping[str, float], known_robot: KnownRobot) -> dict[str, Entry]:
    found = {
        f"slip.{prefix}{side}": _entry(values, f"slip_{side}")
        for prefix in ("", "turning_")
        for side in ("left", "right")
    }
    for key in ("slip_angle", "turning_slip_angle"):
        found[f"slip.{key}_deg"] = Entry(_round(math.degrees(values[key])), (key,))
    if "slope_coefficient" in values:
        slope = _round(math.radians(values["slope_coefficient"]))
        found["slip.slope_per_deg"] = Entry(slope, ("slope_coefficient",))
    return found | _wheelbase(values["width"], known_robot)


def _wheelbase(width: float, known_robot: KnownRobot) -> dict[str, Entry]:
    """Return the keys that give the equivalent wheelbase by P0 eq 7.

    With offsets in the robot file, eq 7 is solved for gamma; without, or where there is no
    solution, the length of the contact a follows from L = (a^2 + b^2) / b.
    """
    robot, names = known_robot.robot, ("width",)
    base = robot.slip.wheelbase if robot else None
    if base is not None and base.offset_y:
        try:
            gamma = solve_gamma(width, base.length, base.width, base.offset_x, base.offset_y)
            return {"slip.wheelbase.gamma": Entry(_round(float(gamma)), names)}
        except InvalidValue:
            pass
    gauge = known_robot.gauge
    if width <= gauge:
        # No contact length gives a wheelbase below the gauge: take a smaller gauge.
        gauge = 0.999 * width
    length = math.sqrt(gauge * (width - gauge))
    return {
        "slip.wheelbase.length_m": Entry(_round(length, 9), names),
        "slip.wheelbase.width_m": Entry(_round(gauge, 9), names),
        "slip.wheelbase.offset_x_m": NOTHING,
        "slip.wheelbase.offset_y_m": NOTHING,
    }


def _turning(values: Mapping[str, float], robot: Robot | None) -> dict[str, Entry]:
    units = {
        "offset_ahead": "_m",
        "speed_difference_slope": "",
        "speed_difference_intercept": "_m_s",
    }
    found = {
        f"turning.{name}{unit}": Entry(_round(values[name]), (name,), is_required=True)
        for name, unit in units.items()
    }
    if robot and not (robot.turning and robot.turning.smallest_speed_difference > 0.0):
        found["turning.smallest_speed_difference_m_s"] = Entry(
            _round(MIN_DIFFERENCE_RATIO * robot.drive.speed_limit),
            origin=f"{100.0 * MIN_DIFFERENCE_RATIO:g} % of the fastest belt speed [A]",
        )
    return found


def _traction(values: Mapping[str, float]) -> dict[str, Entry]:
    from grouser.identify.treadmill import SHAPE, TRACK_SHAPE

    shape = "shape of the curve that was fitted, kept [A]"
    names = {
        "friction": "mu", "shift": "S_h", "lateral.stiffness_factor": "B",
        "lateral.largest_force_N": "D", "lateral.curvature_factor": "E",
        "track.stiffness_factor": "B_l", "track.largest_force_N": "D_l",
    }  # fmt: skip
    return {f"traction.{key}": _entry(values, name) for key, name in names.items()} | {
        "traction.lateral.shape_factor": Entry(SHAPE, origin=shape),
        "traction.track.shape_factor": Entry(TRACK_SHAPE, origin=shape),
    }


def _round(value: float, digits: int = 6) -> float:
    return float(f"{value:.{digits}g}")
