"""Slip filter over the logs of encoders, gyroscope and camera."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grouser.control import FusionSettings, SlipFilter
from grouser.description import Robot
from grouser.errors import GrouserError, InvalidLog
from grouser.geometry import Pose
from grouser.identify.families import FAMILIES
from grouser.identify.family import Setting
from grouser.identify.fit import Estimate, Fit
from grouser.identify.fit_family import fit_family
from grouser.identify.record import LARGEST, find_belts, read_record
from grouser.limits import ANGLE, COORDINATE, DURATION
from grouser.log import Log
from grouser.scenario.observers import fused_columns, fused_numbers

LONG = 10.0
"""Time of a drive from which on the offset of the clocks is found, too [s]."""


def fit_slip(log: Log, track: Log, robot: Robot, *, finds_offset: bool | None = None) -> Fit:
    """Return slip ratios and slip angles with which odometry follows a track, family `slip`.

    The equivalent wheelbase is taken from the robot, and so is the slope's part. Encoders go before
    belt speeds that only a simulation knows, so that intervals hold the steps that they count in.
    A short drive is taken to have the clock of the track.

    Args:
        log: Time and what belts did.
        track: Time, x, y and yaw.
        robot: Whose wheelbase.
        finds_offset: Whether the clocks may differ; in long drives alone if not given.

    Raises:
        InvalidLog: Belts of a side or poses are missing.
        InvalidValue: The two overlap in too few pictures.
    """
    if any(column.startswith("belt_speed_measured.") for column in log):
        kept = {n: c for n, c in log.columns.items() if not n.startswith("belt_speed.")}
        log = Log(kept, log.provenance)
    record = read_record(log, "log", robot, kind="pose", observed=track)
    known = {"width", "slope_coefficient"}
    if not (record.duration >= LONG if finds_offset is None else finds_offset):
        known.add("time_offset")
    setting = Setting(gauge=robot.gauge, robot=robot)
    return fit_family(FAMILIES["slip"], (record,), setting, known=known, holds_out=False)


START = (0.05, 0.3)
"""Standard deviations of position and yaw at the start: the robot may have moved since the camera
first saw it [m and rad]."""
USUAL = (0.001, 0.001, 0.005)
"""Standard deviations of a track that does not tell them [m and rad]."""
MOST_REJECTED = 0.2
"""Share of the poses that may be outliers; if more are, the track is not of this drive [1]."""
SLIPS = (-0.5, 0.95)
"""Slip ratios that a robot can have [1]."""
SURE = 3.0
"""Standard deviations beyond those from which on a slip is impossible [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """What came of it."""

    log: Log
    """The log with the columns `fused.NAME` and `fused.NAME_deviation`."""
    sightings: int
    """Poses of the track within the time of the log."""
    rejected: int
    """How many of them were outliers."""
    offset: float = 0.0
    """What was added to the times of the track [s]."""
    found: Estimate | None = None
    """By how much the clock of the track was found to be ahead; None if nobody looked, or the
    logs do not tell."""
    note: str = ""
    """Why it was not found, in a sentence; empty if it was, or if nobody looked."""


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
    """Return a log with the pose, bias and slip that sensors and camera together tell.

    Args:
        log: Time, belt speeds and, if there was a gyroscope, `gyro_yaw_rate`.
        track: Time, x, y, yaw and, if known, their `_deviation`.
        robot: Whose sensors these are.
        settings: How well everything is measured; by the robot's file if not given.
        latency: How late each pose became known, as it would have on line [s].
        offset: What to add to the times of the track; None to find it, where the drive tells that
            the clocks differ [s].
        origins: What log and track are called in messages.
        show: Is told which share is done.

    Raises:
        InvalidLog: A column is missing, time does not increase, the two do not overlap, or the
            track does not follow the belts: many poses are outliers, or slip is impossible.
    """
    if "time" not in log:
        raise InvalidLog(origins[0], f"it has no column time; it has {', '.join(log)}")
    sides = [[d.name for d in robot.drives if d.side == side] for side in ("left", "right")]
    belts = find_belts(log, sides[0], sides[1], origins[0])
    gyro = log["gyro_yaw_rate"] if "gyro_yaw_rate" in log.names else None
    if not np.all(np.diff(log.time) > 0.0) or not np.all(np.isfinite(log.time)):
        raise InvalidLog(origins[0], "time must increase from row to row; sort the rows by time")
    found, note = find_clock_offset(log, track, robot) if offset is None else (None, "")
    if log.time[-1] - log.time[0] > DURATION:
        raise InvalidLog(origins[0], f"time may span {DURATION:g} s at most")
    if offset is None:
        offset = 0.0 if found is None or found.holds(0.0) else -found.value
    _check_numbers(origins[0], {"belt_speed": belts, "gyro_yaw_rate": gyro})
    times, poses, deviations = _sightings(track, log, offset, origins[1])
    settings = settings or FusionSettings.of(robot)
    x, y, yaw = poses[0]
    start = settings.start(Pose(x=x, y=y, yaw=yaw), *START)
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
    """Return by how much the clock of a track is ahead, or None and a sentence that says why.

    Args:
        log: Time and what belts did.
        track: Time, x, y and yaw by another clock, half a second off at most.
        robot: Whose wheelbase.
    """
    begin = "the offset of the clocks was taken as 0:"
    try:
        fit = fit_slip(log, track, robot, finds_offset=True)
    except GrouserError as error:
        return None, f"{begin} {error}"
    if not fit.status.is_trusted:
        return None, f"{begin} its fit is {fit.status}. {' '.join(fit.doubts)}".strip()
    if "time_offset" in fit.parameters:
        return fit.parameters["time_offset"], ""
    cannot = "this drive cannot tell it, as one at constant speed; start, stop or turn in it"
    return None, f"{begin} {cannot}, or give --offset"


def _check_numbers(origin: str, columns: dict[str, NDArray[np.float64] | None]) -> None:
    """Refuse numbers that no drive has; gaps may be there."""
    for name, values in columns.items():
        limit = LARGEST.get(name, ANGLE)
        if values is not None and np.any(np.abs(values) > limit):
            largest = float(np.nanmax(np.abs(values)))
            raise InvalidLog(origin, f"column {name} holds {largest:.3g}, at most {limit:g}")


def _check(fused: SlipFilter, sightings: int, origins: tuple[str, str]) -> None:
    """Refuse a result that cannot be one."""
    reasons = "another drive, a clock that is off (--offset), or belts with a wrong sign or scale"
    if fused.rejected > max(1.0, MOST_REJECTED * sightings):
        raise InvalidLog(
            origins[1],
            f"{fused.rejected} of {sightings} poses were rejected as outliers, where at most "
            f"{100.0 * MOST_REJECTED:.0f} % may be: it does not follow the belts of {origins[0]}; "
            f"it may be {reasons}",
        )
    for name in ("slip_left", "slip_right"):
        value, deviation = (float(f(name)) for f in (fused.belief.value, fused.belief.deviation))
        beyond = max(SLIPS[0] - value, value - SLIPS[1])
        if not beyond <= SURE * deviation:
            raise InvalidLog(
                origins[1],
                f"{name} came out as {value:.3g} with a deviation of {deviation:.2g}, which no "
                f"robot has ({SLIPS[0]:g} to {SLIPS[1]:g}), beside the belts of {origins[0]}; it "
                f"may be {reasons}",
            )


def _sightings(
    track: Log, log: Log, offset: float, origin: str
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return times, poses (n, 3) and deviations (n, 3) of the track within the log."""
    missing = [name for name in ("time", "x", "y", "yaw") if name not in track]
    if missing:
        raise InvalidLog(origin, f"it has no column {', '.join(missing)}; it takes x, y and yaw")
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
        for name, usual in zip(names, USUAL, strict=True)
    ]
    deviations = np.stack(known, axis=1)[inside]
    if not np.all((deviations > 0.0) & (deviations < COORDINATE)):
        raise InvalidLog(origin, "columns x_deviation to yaw_deviation must be above 0 and finite")
    return times[inside], poses[inside], deviations
