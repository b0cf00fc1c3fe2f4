"""Belt speeds that a log holds: as speeds, counts, angles or commands of tracks or wheels."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from grouser.description import Robot
from grouser.errors import InvalidLog
from grouser.geometry import Array
from grouser.log import Log

BELT_COLUMNS = (
    "belt_speed",
    "belt_speed_measured",
    "joint_speed",
    "encoder",
    "joint_position",
    "wheel_speed",
    "belt_speed_commanded",
    "wheel_speed_commanded",
)
"""Column groups with belt motion, in order of preference."""
MEASURED_FIRST = ("belt_speed_measured", *(c for c in BELT_COLUMNS if c != "belt_speed_measured"))
"""The same where a simulated log must not tell more than its sensors measured."""
COMMAND_COLUMNS = ("belt_speed_commanded", "wheel_speed_commanded")
"""Column groups with commands, in order of preference."""
SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")
MAX_FILLED_GAP = 1.0
"""Longest gap between samples of one side that is filled where the other was measured [s]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BeltColumns:
    """The columns of a log that belt speeds follow from, and what converts them."""

    log: Log
    name: str
    """Name of the log, for messages."""
    robot: Robot | None = None
    """The robot, whose encoder converts counts; without it, names of columns tell the side."""
    gauge: float | None = None
    """Distance of the tracks, for commands of a twist [m]."""
    radius: float | None = None
    """Radius of wheels or sprockets, for angles [m]."""

    @classmethod
    def of_robot(cls, log: Log, robot: Robot, name: str) -> "BeltColumns":
        """Return the columns of a log of a known robot."""
        gauge, radius = robot.gauge, robot.sprocket_radius
        return cls(log=log, name=name, robot=robot, gauge=gauge, radius=radius)

    def measured(self, groups: Sequence[str] = BELT_COLUMNS) -> dict[str, Array]:
        """Return the speed of each track or wheel [m/s], from the first group with both sides.

        A speed that was derived from counts or angles is the mean since the sample before. NaN is
        what was not measured.

        Raises:
            InvalidLog: No group has both sides, or none can be converted.
        """
        unread = ""
        for family in groups:
            found = self._speeds(family)
            speeds = {drive: speed for drive, speed in found.items() if speed is not None}
            if self._has_both_sides(speeds):
                wheels = {drive: v for drive, v in speeds.items() if side_of(drive, self.robot)}
                return self._at_common_times(wheels)
            if self._has_both_sides(found):
                unread = unread or self._why_unread(family, found)
        twist = self._of_twist()
        if twist is not None:
            return dict(zip(SIDES, twist, strict=True))
        required = "needs a column such as belt_speed.left and one such as belt_speed.right"
        raise InvalidLog(self.name, unread or f"{required}; it has {', '.join(self.log)}")

    def commanded(self) -> Array | None:
        """Return the commanded speeds of both sides (2, rows) [m/s]; None if not logged."""
        for family in COMMAND_COLUMNS:
            found = self._speeds(family).items()
            drives = {drive: speed for drive, speed in found if speed is not None}
            if self._has_both_sides(drives):
                return self.side_means(drives)
        return self._of_twist()

    def side_means(self, drives: Mapping[str, Array]) -> Array:
        """Return the mean speed of the drives of the left and the right side (2, rows) [m/s]."""
        sides = {drive: side_of(drive, self.robot) for drive in drives}
        return np.stack(
            [np.mean([drives[d] for d in drives if sides[d] == side], axis=0) for side in SIDES]
        )

    def _has_both_sides(self, drives: Iterable[str]) -> bool:
        return {side_of(drive, self.robot) for drive in drives} >= set(SIDES)

    def _of_twist(self) -> Array | None:
        """Return the sides that a commanded twist asks for (2, rows) [m/s]; None without one."""
        if self.gauge is None or not {"speed_commanded", "yaw_rate_commanded"} <= set(self.log):
            return None
        mean, half = self.log["speed_commanded"], 0.5 * self.gauge * self.log["yaw_rate_commanded"]
        return np.stack([mean - half, mean + half])

    def _why_unread(self, family: str, drives: Iterable[str]) -> str:
        """Return why a group with both sides gives no speeds, and what would help."""
        units = sorted({self.log.unit(f"{family}.{drive}") for drive in drives})
        words = " and ".join("counts" if unit == "1" else unit for unit in units)
        missing = "give --radius, or --robot"
        if "1" in units:
            missing = "name a robot with encoders (--robot)"
            if self.robot is not None:
                missing = f"robot {self.robot.name!r} has no [sensors.encoder]: add it"
        key = "metres_per_count" if "1" in units else "radius_m"
        return (
            f"has {family} in {words}, which are no speeds yet; {missing}, or write {key} into the "
            "column map"
        )

    @property
    def _time(self) -> Array:
        return self.log.time if "time" in self.log else np.arange(len(self.log), dtype=np.float64)

    @property
    def _pieces(self) -> Array:
        return self.log["piece"] if "piece" in self.log else np.zeros(len(self.log))

    def _speeds(self, family: str) -> dict[str, Array | None]:
        """Return the columns of a group as speeds, by drive; None if a unit cannot be converted."""
        columns = [column for column in self.log if column.startswith(f"{family}.")]
        return {column.partition(".")[2]: self._as_speed(column) for column in columns}

    def _as_speed(self, column: str) -> Array | None:
        convert: dict[str, Callable[[Array], Array]] = {
            "m/s": lambda values: values,
            "m": self._derive,
        }
        radius, robot = self.radius, self.robot
        if radius is not None:
            convert["rad/s"] = lambda values: radius * values
            convert["rad"] = lambda values: radius * self._derive(values)
        side = side_of(column.partition(".")[2], robot)
        if robot is not None and robot.sensors.encoder is not None and side:
            step = robot.sensors.encoder.travel_per_step(side)
            convert["1"] = lambda values: step * self._derive(values)
        change = convert.get(self.log.unit(column))
        return None if change is None else change(self.log[column])

    def _derive(self, values: Array) -> Array:
        """Return the mean speed since the previous sample; NaN for the first of a piece."""
        known = np.isfinite(values)
        speed = np.full(values.size, np.nan)
        steps = np.diff(self._time[known], prepend=np.nan)
        steps[np.diff(self._pieces[known], prepend=np.nan) != 0.0] = np.nan
        speed[known] = np.diff(values[known], prepend=np.nan) / steps
        return speed

    def _at_common_times(self, wheels: dict[str, Array]) -> dict[str, Array]:
        """Return speeds known at the same rows: interpolated where only other wheels were measured.

        Where all were measured at once, nothing changes. Gaps above `MAX_FILLED_GAP` stay.
        """
        known = np.array([np.isfinite(speed) for speed in wheels.values()])
        if np.array_equal(known.all(axis=0), known.any(axis=0)) or "time" not in self.log:
            return wheels
        wanted, time, pieces = known.any(axis=0), self._time, self._pieces
        filled = {drive: speed.copy() for drive, speed in wheels.items()}
        for piece in np.unique(pieces):
            inside = pieces == piece
            for speed in filled.values():
                have = np.flatnonzero(inside & np.isfinite(speed))
                lack = np.flatnonzero(inside & wanted & ~np.isfinite(speed))
                after = np.searchsorted(have, lack)
                between = (after > 0) & (after < have.size)
                lack, after = lack[between], after[between]
                lack = lack[time[have[after]] - time[have[after - 1]] <= MAX_FILLED_GAP]
                speed[lack] = (
                    np.interp(time[lack], time[have], speed[have]) if have.size else np.nan
                )
        return filled


def side_of(drive: str, robot: Robot | None) -> Literal["left", "right", ""]:
    """Return the side of a track or wheel by the robot or by its name; empty if unknown."""
    known = {part.name: part.side for part in robot.drives} if robot is not None else {}
    for side in SIDES:
        if known.get(drive) == side:
            return side
    words = drive.lower().replace("-", "_").replace(".", "_").split("_")
    for side in SIDES:
        if side in words or side[0] in words or drive.lower().startswith(side):
            return side
    return ""
