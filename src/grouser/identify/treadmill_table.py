"""P3's parameters from a table of steady states on a tilted treadmill."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from grouser.description import Robot
from grouser.errors import InvalidLog, InvalidValue
from grouser.geometry import Array
from grouser.identify.fit import Estimate, Fit, Residuals, Status
from grouser.identify.judge import HoldOut
from grouser.identify.treadmill import (
    SHAPE,
    TRACK_SHAPE,
    Sweep,
    VoltageStep,
    derive_factor,
    identify_friction,
    identify_lateral,
    identify_longitudinal,
    identify_step,
    lateral_force,
    pool_estimates,
    track_force,
)
from grouser.laws.slope import GRAVITY
from grouser.log import Log

MIN_CURVE_POINTS = 6
ADVICE = {
    "roll": "The lateral force is unidentifiable: this log has no steady states on a rolled "
    "treadmill; next, roll it from -10 to 10 deg and hold the speed.",
    "pitch": "The force of a track is unidentifiable: this log has no steady states on a pitched "
    "treadmill, or no pulls with locked tracks; next, pitch it from -6 to 6 deg, and pull.",
}

POSITIVE = ("C_alpha", "D", "C_lambda", "D_l", "mu", "J")
"""Parameters that are positive for any robot."""
UNIDENTIFIABLE = (
    "{} is unidentifiable in this log: its interval includes zero; next, tilt farther, until the "
    "robot slips."
)


def is_tilt_table(log: Log) -> bool:
    """Return whether a log is a table of steady states on a tilted treadmill."""
    return "time" not in log and bool({"roll", "pitch", "pull_force"} & set(log))


def is_lifted_step(log: Log) -> bool:
    """Return whether a log is a voltage step with lifted tracks, without motion of the body."""
    has_voltage = any(column.startswith("motor_voltage_commanded.") for column in log)
    return has_voltage and not {"x", "vx", "yaw_rate", "gyro_yaw_rate"} & set(log)


def _has_curve(sweep: Sweep) -> bool:
    """Return whether a curve can be fitted: enough points, and not all forces zero."""
    return sweep.slip.size >= MIN_CURVE_POINTS and bool(np.any(sweep.force != 0.0))


def fit_tilt_table(log: Log, name: str, robot: Robot, steps: Sequence[Log] = ()) -> Fit:
    """Return P3's Tables 1 and 2, friction and inertia, as far as they are identifiable.

    Every third point of each sweep is held out. Rolled rows need `yaw`, pitched ones (nose down
    positive) `slip.left` and `slip.right`, pulls with locked tracks `pull_force`; `steps` are logs
    of voltage steps with lifted tracks. InvalidLog if neither force is identifiable.
    """
    lateral, track, pulls = read_sweeps(log, robot.mass)
    found: dict[str, Estimate] = {}
    errors: dict[str, tuple[Array, Array]] = {}
    if _has_curve(lateral):
        found |= identify_lateral(_fitted(lateral))
        found["B"] = derive_factor("B", found["C_alpha"], found["D"], SHAPE, "1/rad")
        by = lateral_force(lateral.slip, *(found[n].value for n in ("C_alpha", "D", "E")))
        errors["lateral_force"] = _split(lateral.force - by)
    if _has_curve(track) and pulls.size >= 2:
        found |= identify_longitudinal(_fitted(track), pulls)
        found["B_l"] = derive_factor("B_l", found["C_lambda"], found["D_l"], TRACK_SHAPE, "1")
        found["mu"] = identify_friction(pulls, robot.mass)
        by = track_force(track.slip, *(found[n].value for n in ("C_lambda", "S_h", "D_l")))
        errors["track_force"] = _split(track.force - by)
    if not found:
        problem = "has too few rolled rows with yaw and force, and pitched rows with slip and pulls"
        raise InvalidLog(name, problem)
    gains, inertia = identify_steps(steps, robot)
    if inertia is not None:
        found["J"] = inertia
    missing = [ADVICE[k] for k, key in (("roll", "D"), ("pitch", "D_l")) if key not in found]
    return _fit(found, errors, missing, {"motor_gains": {e.name: e.value for e in gains}})


def read_sweeps(log: Log, mass: float) -> tuple[Sweep, Sweep, Array]:
    """Return points of the lateral force, of the force of one track, and the pulls [N].

    F_L = m g sin(roll) cos(yaw) over alpha = -yaw; F = m g sin(slope) / 2 over the slip ratio.
    """
    unknown = np.full(len(log), np.nan)
    given = {column: log[column] for column in log}
    roll, pitch = given.get("roll", unknown), given.get("pitch", unknown)
    yaw = given.get("yaw", unknown)
    slips = [given[column] for column in log if column.startswith("slip.")] or [unknown]
    slip, pull = np.mean(slips, axis=0), given.get("pull_force", unknown)
    pulled = np.isfinite(pull)
    rolled = np.isfinite(roll) & np.isfinite(yaw) & ~pulled & ~(np.abs(pitch) > 0.0)
    pitched = np.isfinite(pitch) & np.isfinite(slip) & ~pulled & ~(np.abs(roll) > 0.0)
    weight = mass * GRAVITY
    return (
        Sweep(slip=-yaw[rolled], force=weight * np.sin(roll[rolled]) * np.cos(yaw[rolled])),
        Sweep(slip=slip[pitched], force=0.5 * weight * np.sin(-pitch[pitched])),
        pull[pulled],
    )


def identify_steps(logs: Sequence[Log], robot: Robot) -> tuple[list[Estimate], Estimate | None]:
    """Return K(V) of each step, and the inertia J pooled over the steps that moved."""
    damping = robot.drive.motor.damping if robot.drive.motor else 1.0
    gains, inertias = [], []
    for log in logs:
        for drive in robot.drives:
            voltage = log[f"motor_voltage_commanded.{drive.name}"]
            if len(log) < MIN_CURVE_POINTS or not np.isfinite(voltage[-1]) or voltage[-1] == 0.0:
                problem = f"be a voltage step in at least {MIN_CURVE_POINTS} rows"
                raise InvalidValue(f"motor_voltage_commanded.{drive.name}", len(log), problem)
            speed = log[f"belt_speed.{drive.name}"] / robot.sprocket_radius
            step = VoltageStep(
                side=drive.side, voltage=float(voltage[-1]), time=log.time - log.time[0],
                speed=speed,
            )  # fmt: skip
            gain, inertia = identify_step(step, damping)
            gains.append(gain)
            inertias += [inertia] if inertia is not None else []
    return gains, pool_estimates(inertias, "J") if inertias else None


def _split(values: Array) -> tuple[Array, Array]:
    """Return the values of the fitted and of the held-out points."""
    held = np.arange(values.size) % 3 == 2
    return values[~held], values[held]


def _fitted(sweep: Sweep) -> Sweep:
    return Sweep(slip=_split(sweep.slip)[0], force=_split(sweep.force)[0])


def _correlation(found: Mapping[str, Estimate]) -> Array:
    """Return correlations: 0 between sweeps, NaN where mu and the track share pulls."""
    matrix = np.eye(len(found))
    for row, one in enumerate(found):
        for column, other in enumerate(found):
            known = found[one].correlation.get(other, found[other].correlation.get(one))
            if known is not None:
                matrix[row, column] = known
            elif "mu" in (one, other) and "C_lambda" in (*found[one].correlation,
                                                         *found[other].correlation):  # fmt: skip
                matrix[row, column] = np.nan
    return matrix


def _fit(
    found: dict[str, Estimate],
    errors: dict[str, tuple[Array, Array]],
    missing: list[str],
    details: dict[str, Any],
) -> Fit:
    held = np.concatenate([of_held for _, of_held in errors.values()])
    zero = [name for name in POSITIVE if name in found and not found[name].low > 0.0]
    missing = [*missing, *(UNIDENTIFIABLE.format(name) for name in zero)]
    return Fit(
        family="tankbot",
        model="tankbot",
        status=Status.PARTIAL if missing else Status.COMPLETE,
        unidentifiable={name: () for name in zero},
        parameters=found,
        fixed={},
        correlation=_correlation(found),
        residuals=tuple(
            Residuals(
                channel=name, unit="N", time=np.arange(left.size, dtype=float), values=left,
                scale=float(np.std(left)),
            )
            for name, (left, _) in errors.items()
        ),
        hold_out=HoldOut(
            position={}, heading={}, per_metre=float("nan"), starts=held.size,
            errors=np.abs(held), horizon=0.0, quantity="force",
        ),
        advice=tuple(missing),
        samples=sum(left.size for left, _ in errors.values()),
        windows=sum(left.size for left, _ in errors.values()),
        details=details,
    )  # fmt: skip
