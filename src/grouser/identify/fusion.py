"""Slip filter over the logs of encoders, gyroscope and camera."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from grouser.control import FusionSettings, SlipFilter
from grouser.description import Robot
from grouser.errors import GrouserError, InvalidLog
from grouser.geometry import Array, Pose
from grouser.identify.families import FAMILIES
from grouser.identify.family import KnownRobot
from grouser.identify.fit import Estimate, Fit
from grouser.identify.fit_family import fit_family
from grouser.identify.reading import read_record
from grouser.identify.record import COLUMN_LIMITS
from grouser.limits import ANGLE, COORDINATE, DURATION
from grouser.log import Log
from grouser.models.measured_belts import MEASURED_FIRST, BeltColumns
from grouser.scenario.observers import fused_columns, fused_numbers

MIN_OFFSET_DURATION = 10.0
"""Duration of a drive from which on the clock offset is fitted by default [s]."""


def fit_slip(log: Log, track: Log, robot: Robot, *, finds_offset: bool | None = None) -> Fit:
    """Return the slip ratios and slip angles for which odometry follows a track, family `slip`.

    Equivalent wheelbase and slope coefficient are those of the robot. Measured belt speeds are
    preferred to simulated ones, so that intervals include encoder quantisation. If not stated, the
    clock offset is fitted in long drives only.
    """
    if any(column.startswith("belt_speed_measured.") for column in log):
        kept = {n: c for n, c in log.columns.items() if not n.startswith("belt_speed.")}
        log = Log(kept, log.provenance)
    record = read_record(log, "log", robot, kind="pose", observed=track)
    known = {"width", "slope_coefficient"}
    if not (record.duration >= MIN_OFFSET_DURATION if finds_offset is None else finds_offset):
        known.add("time_offset")
    known_robot = KnownRobot(gauge=robot.gauge, robot=robot)
    return fit_family(FAMILIES["slip"], (record,), known_robot, known=known, holds_out=False)


START_DEVIATIONS = (0.05, 0.3)
"""Standard deviations of position and yaw at the start; the robot may have moved between the first
pose of the track and the start of the log [m and rad]."""
TRACK_DEVIATIONS = (0.001, 0.001, 0.005)
"""Standard deviations of x, y and yaw of a track without such columns [m and rad]."""
MAX_REJECTED_SHARE = 0.2
"""Share of outliers above which log and track are taken to be of different drives [1]."""
SLIP_RANGE = (-0.5, 0.95)
"""Possible slip ratios [1]."""
SHORTEST_STEP = 1e-9
"""Least time between two rows: below, speeds of the first pose's deviation are no numbers [s]."""
SLIP_RANGE_SIGMAS = 3.0
"""Standard deviations outside the range from which on a slip ratio is an error [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """A log with fused states, and statistics of the fusion."""

    log: Log
    """The log with the columns `fused.NAME` and `fused.NAME_deviation`."""
    sightings: int
    """Number of poses of the track within the time of the log."""
    rejected: int
    """Number of poses rejected as outliers."""
    offset: float = 0.0
    """Time added to the times of the track [s]."""
    found: Estimate | None = None
    """Estimated clock offset of the track; None if given or unidentifiable."""
    note: str = ""
    """Why the clock offset was not estimated; empty if it was, or if it was given."""


def fuse_logs(
    log: Log,
    track: Log,
    robot: Robot,
    *,
    settings: FusionSettings | None = None,
    latency: float = 0.0,
    offset: float | None = 0.0,
    origins: tuple[str, str] = ("log", "track"),
    show: Callable[[float], None] = lambda share: None,
) -> Fusion:
    """Return a log with pose, gyro bias and slip, estimated from sensors and camera.

    `latency` delays each pose, as in online use [s]. `offset` is added to the times of the track;
    None estimates it, and uses it if it differs from 0 significantly [s]. InvalidLog if a column is
    missing, the two do not overlap, or the track does not follow the belts: many poses are
    outliers, or slip is impossible.
    """
    if "time" not in log:
        raise InvalidLog(origins[0], f"it has no column time; it has {', '.join(log)}")
    columns = BeltColumns.of_robot(log, robot, origins[0])
    belts = columns.side_means(columns.measured(MEASURED_FIRST))
    if not np.all(np.isfinite(belts)):
        raise InvalidLog(origins[0], "its belt speeds have gaps; fill them or cut the log")
    gyro = log["gyro_yaw_rate"] if "gyro_yaw_rate" in log.names else None
    if not np.all(np.diff(log.time) >= SHORTEST_STEP) or not np.all(np.isfinite(log.time)):
        problem = f"time must increase by {SHORTEST_STEP:g} s or more from row to row"
        raise InvalidLog(origins[0], f"{problem}; sort the rows by time")
    found, note = find_clock_offset(log, track, robot) if offset is None else (None, "")
    if log.time[-1] - log.time[0] > DURATION:
        raise InvalidLog(origins[0], f"time may span {DURATION:g} s at most")
    if offset is None:
        offset = 0.0 if found is None or found.holds(0.0) else -found.value
    _check_numbers(origins[0], {"belt_speed": belts, "gyro_yaw_rate": gyro})
    times, poses, deviations = _sightings(track, log, offset, origins[1])
    settings = settings or FusionSettings.of(robot)
    x, y, yaw = poses[0]
    start = settings.start(Pose(x=x, y=y, yaw=yaw), *START_DEVIATIONS)
    fused = SlipFilter(settings, start, float(log.time[0]), memory=latency + 1.0)
    rows, given = [], 0
    for row, now in enumerate(log.time):
        if row:
            rate = None if gyro is None or np.isnan(gyro[row]) else float(gyro[row])
            fused.advance(float(now), float(belts[0, row]), float(belts[1, row]), rate)
        while given < len(times) and times[given] + latency <= now + 1e-9:
            fused.see(float(times[given]), poses[given], deviations[given])
            given += 1
        rows.append(fused_numbers(fused.belief))
        if row % 100 == 0:
            show(row / len(log))
    _check(fused, len(times), origins)
    notes = {**log.provenance.notes, "fused_with": dict(track.provenance.notes)}
    done = log.with_columns(fused_columns(rows))
    done = replace(done, provenance=replace(log.provenance, notes=notes))
    return Fusion(
        log=done, sightings=len(times), rejected=fused.rejected, offset=offset, found=found,
        note=note,
    )  # fmt: skip


def find_clock_offset(log: Log, track: Log, robot: Robot) -> tuple[Estimate | None, str]:
    """Return the clock offset of a track, half a second at most, or None and the reason."""
    begin = "the offset of the clocks was taken as 0:"
    try:
        fit = fit_slip(log, track, robot, finds_offset=True)
    except GrouserError as error:
        return None, f"{begin} {error}"
    if not fit.status.is_trusted:
        return None, f"{begin} its fit is {fit.status}. {' '.join(fit.doubts)}".strip()
    if "time_offset" in fit.parameters:
        return fit.parameters["time_offset"], ""
    cannot = "it is unidentifiable in this drive, as at constant speed; start, stop or turn in it"
    return None, f"{begin} {cannot}, or give --offset"


def _check_numbers(origin: str, columns: dict[str, Array | None]) -> None:
    """Raise if a number is out of range; NaN is allowed."""
    for name, values in columns.items():
        limit = COLUMN_LIMITS.get(name, ANGLE)
        if values is not None and np.any(np.abs(values) > limit):
            largest = float(np.nanmax(np.abs(values)))
            raise InvalidLog(origin, f"column {name} holds {largest:.3g}, at most {limit:g}")


def _check(fused: SlipFilter, sightings: int, origins: tuple[str, str]) -> None:
    """Raise if too many poses were rejected, or a slip ratio is impossible."""
    reasons = "another drive, a clock that is off (--offset), or belts with a wrong sign or scale"
    if fused.rejected > max(1.0, MAX_REJECTED_SHARE * sightings):
        raise InvalidLog(
            origins[1],
            f"{fused.rejected} of {sightings} poses were rejected as outliers, where at most "
            f"{100.0 * MAX_REJECTED_SHARE:.0f} % may be: it does not match the belt speeds of "
            f"{origins[0]}; "
            f"it may be {reasons}",
        )
    for name in ("slip_left", "slip_right"):
        value, deviation = (float(f(name)) for f in (fused.belief.value, fused.belief.deviation))
        beyond = max(SLIP_RANGE[0] - value, value - SLIP_RANGE[1])
        if not beyond <= SLIP_RANGE_SIGMAS * deviation:
            raise InvalidLog(
                origins[1],
                f"{name} came out as {value:.3g} with a deviation of {deviation:.2g}, which no "
                f"robot has ({SLIP_RANGE[0]:g} to {SLIP_RANGE[1]:g}), with the belt speeds of "
                f"{origins[0]}; it may be {reasons}",
            )


def _sightings(track: Log, log: Log, offset: float, origin: str) -> tuple[Array, Array, Array]:
    """Return times, poses (n, 3) and deviations (n, 3) of the track within the log."""
    missing = [name for name in ("time", "x", "y", "yaw") if name not in track]
    if missing:
        raise InvalidLog(origin, f"it has no column {', '.join(missing)}; x, y and yaw are needed")
    times = track.time + offset
    names = ("x", "y", "yaw")
    poses = np.stack([track[name] for name in names], axis=1)
    inside = (times >= log.time[0] - 1e-9) & (times <= log.time[-1] + 1e-9)
    inside &= np.all(np.isfinite(poses), axis=1)
    if not inside.any():
        spans = [f"{t[0]:.6g} to {t[-1]:.6g} s" if len(t) else "nothing" for t in (times, log.time)]
        raise InvalidLog(origin, f"no pose lies within the log: {spans[0]} against {spans[1]}")
    _check_numbers(origin, dict(zip(names, poses.T, strict=True)))
    known = [
        track[f"{name}_deviation"] if f"{name}_deviation" in track else np.full(len(track), usual)
        for name, usual in zip(names, TRACK_DEVIATIONS, strict=True)
    ]
    deviations = np.stack(known, axis=1)[inside]
    if not np.all((deviations > 0.0) & (deviations < COORDINATE)):
        raise InvalidLog(origin, "columns x_deviation to yaw_deviation must be above 0 and finite")
    return times[inside], poses[inside], deviations
