"""Which columns of a foreign table are speeds, angles or counts of tracks and wheels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grouser.errors import InvalidLog
from grouser.geometry import Array
from grouser.log.foreign_column import ForeignColumn
from grouser.log.heading_words import COMMANDED, Heading
from grouser.units import to_si

FASTEST_GUESS = 5.0
"""Largest number without a unit that is taken for a speed in m/s [m/s]."""
LEAST_COUNTS = 50
"""Range above which positions that are all whole numbers are counts [1]."""
MIN_STEPS = 20
"""Changes of a column below which it is not told whether it only grows [1]."""
_OTHERS = frozenset(
    {"cur", "current", "amp", "amps", "torque", "effort", "voltage", "volt", "power", "temp",
     "temperature", "pwm", "duty", "acc", "accel", "acceleration", "force", "slip", "flipper",
     "load", "pressure", "status", "error", "err", "x", "y", "z", "lat", "lon"}
)  # fmt: skip
_COUNTED = frozenset({"enc", "encoder", "encoders", "odometer"})
_TURNED = frozenset({"omega", "ang", "angular", "rot", "rotation"})
_SPEEDS = frozenset({"v", "vel", "velocity", "speed"})
_ANGLES = frozenset({"pos", "position", "positions", "angle", "angles"})
_WISHES = {"m/s": 0, "rad/s": 1, "m": 2, "1": 3, "rad": 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class BeltProposal:
    """Columns of tracks and wheels."""

    columns: dict[str, ForeignColumn]
    remarks: tuple[str, ...]
    """What was guessed, in sentences."""


def propose_belts(
    headings: Sequence[Heading],
    numbers: Mapping[str, Array],
    path: str | Path,
    radius: float | None = None,
) -> BeltProposal:
    """Return entries for measured and commanded belts; none if no heading names a side.

    InvalidLog if a unit cannot be guessed; `radius` is that of wheels or sprockets [m].
    """
    columns: dict[str, ForeignColumn] = {}
    remarks: list[str] = []
    for is_commanded in (False, True):
        groups = _group(headings, numbers, is_commanded=is_commanded)
        both = [group for group in groups if _has_both_sides(group)]
        if not both:
            if groups and not is_commanded:
                names = ", ".join(repr(heading.text) for group in groups for heading in group)
                remarks.append(f"only one side is named, by {names}: map the other side by hand")
            continue
        best = min(both, key=_rank)
        unit, why = _find_unit(best, numbers, path, is_commanded=is_commanded)
        if why:
            remarks.append(why)
        columns |= _enter(best, unit, radius, is_commanded=is_commanded) if unit else {}
    return BeltProposal(columns=columns, remarks=tuple(remarks))


def _rank(group: Sequence[Heading]) -> tuple[int, bool]:
    """Return which place a group has: speeds before turns, distances, counts and angles."""
    unit, words = group[0].unit, set(group[0].words)
    if unit:
        return _WISHES.get(to_si(unit)[0], 9), False
    return (8 if words & _ANGLES else 0), not words & _SPEEDS


def _group(
    headings: Sequence[Heading], numbers: Mapping[str, Array], *, is_commanded: bool
) -> list[list[Heading]]:
    """Return headings with a side, those that differ only in it together."""
    groups: dict[tuple[str, ...], list[Heading]] = {}
    for heading in headings:
        fits = heading.drive and heading.text in numbers and not _OTHERS & set(heading.words)
        if fits and heading.is_commanded == is_commanded:
            key = (heading.unit, *(word for word in heading.words if word not in COMMANDED))
            groups.setdefault(key, []).append(heading)
    return list(groups.values())


def _has_both_sides(group: Sequence[Heading]) -> bool:
    drives = [heading.drive for heading in group]
    sides = {drive.rpartition("_")[2] for drive in drives}
    return {"left", "right"} <= sides and len(set(drives)) == len(drives)


def _find_unit(
    group: Sequence[Heading], numbers: Mapping[str, Array], path: str | Path, *, is_commanded: bool
) -> tuple[str, str]:
    """Return the unit of a group, and a sentence if it was guessed."""
    first, words = group[0], set(group[0].words)
    if first.unit:
        return first.unit, ""
    if words & _COUNTED:
        return "1", f"column {first.text!r} has no unit: taken as counts"
    if words & _TURNED:
        return "rad/s", f"column {first.text!r} has no unit: taken as rad/s"
    columns = [numbers[heading.text] for heading in group]
    columns = [column[np.isfinite(column)] for column in columns]
    if words & _ANGLES and not is_commanded:
        return _position_unit(first.text, columns, path)
    if not (words & _SPEEDS or is_commanded) and all(_only_grows(column) for column in columns):
        ends = f"{columns[0][0]:.4g} to {columns[0][-1]:.4g}"
        problem = f"column {first.text!r} has no unit and only grows, from {ends}"
        keys = 'unit = "1" with metres_per_count, unit = "rad" with radius_m, or unit = "m/s"'
        raise InvalidLog(
            path, f"{problem}: counts, an angle or a speed? Write a column map with {keys}"
        )
    every = np.abs(np.concatenate(columns))
    largest = float(every.max()) if every.size else 0.0
    if largest <= FASTEST_GUESS:
        guess = f"taken as m/s, since its largest number is {largest:.3g}"
        return "m/s", f'column {first.text!r} has no unit: {guess}; if not, correct unit = "m/s"'
    if is_commanded:
        found = f"its largest number is {largest:.4g}"
        return "", f"column {first.text!r} has no unit and is left unused: {found}"
    problem = (
        f"column {first.text!r} has no unit: its largest number is {largest:.4g}, too much for"
    )
    keys = 'unit = "rad/s" (or "rpm") with radius_m, or unit = "1" with metres_per_count'
    raise InvalidLog(path, f"{problem} m/s; write a column map with {keys}")


def _position_unit(text: str, columns: Sequence[Array], path: str | Path) -> tuple[str, str]:
    """Return the unit of positions of wheels, counts or radians, and a sentence on the guess."""
    every = np.concatenate(columns)
    if np.all(every == np.round(every)) and np.ptp(every) > LEAST_COUNTS:
        return "1", f"column {text!r} has no unit: taken as counts, since all are whole numbers"
    steps = np.concatenate([np.abs(np.diff(column)) for column in columns])
    if steps.size and steps.max() > np.pi and np.ptp(every) < 2.1 * np.pi:
        problem = f"column {text!r} starts again at each turn"
        raise InvalidLog(path, f"{problem}; unwrap it, or write speeds into the table")
    guess = "taken as an angle in rad, by its name"
    return "rad", f'column {text!r} has no unit: {guess}; if not, correct unit = "rad"'


def _only_grows(numbers: Array) -> bool:
    """Return whether numbers only grow, or only fall, as counts and angles of one drive do."""
    steps = np.diff(numbers)
    steps = steps[steps != 0.0]
    if steps.size < MIN_STEPS:
        return False
    return bool(np.mean(steps > 0.0) in (0.0, 1.0))


def _enter(
    group: Sequence[Heading], unit: str, radius: float | None, *, is_commanded: bool
) -> dict[str, ForeignColumn]:
    si = to_si(unit)[0]
    needs_radius = si in ("rad", "rad/s")
    has_radius = needs_radius and radius is not None
    if is_commanded:
        families = {"m/s": "belt_speed_commanded", "rad/s": "wheel_speed_commanded"}
        family = "belt_speed_commanded" if has_radius and si == "rad/s" else families.get(si, "")
    else:
        families = {
            "m/s": "belt_speed", "rad/s": "wheel_speed", "rad": "joint_position",
            "m": "encoder", "1": "encoder",
        }  # fmt: skip
        family = families.get(si, "")
        if has_radius:
            family = "belt_speed" if si == "rad/s" else "encoder"
    if not family:
        return {}
    return {
        f"{family}.{heading.drive}": ForeignColumn(
            column=heading.text, unit=unit, radius_m=radius if has_radius else None
        )
        for heading in group
    }
