"""The gyroscope at rest."""

import math

import numpy as np

from grouser.description import Robot
from grouser.errors import InvalidValue, LinkBroken
from grouser.hil.calibrate.board_session import BoardSession
from grouser.hil.calibrate.calibration import Calibration, Item
from grouser.hil.messages import GYRO_STEP, Fault

WAKING = 0.3
"""Time that the sensor may take to wake after a start of the board [s]."""
LARGEST = math.radians(20.0)
"""Offset beyond which no gyroscope is, so that the robot turned [rad/s]."""
STEADY = 6.0
"""Standard deviations by which two stretches may differ; gyroscopes drift a little [1]."""
DRIFT = math.radians(0.02)
"""By how much an offset may drift from one stretch to the next [rad/s]."""
RESTLESS = math.radians(0.5)
"""Spread of readings above which somebody moved the robot [rad/s]."""


def measure_gyro(session: BoardSession, robot: Robot, seconds: float = 5.0) -> Calibration:
    """Return what the gyroscope shows while the robot stands.

    The error is that of the yaw rate on a second stretch of the same length, which the offset
    was not computed from.

    Args:
        session: A board that is not driven.
        robot: Whose file is to be changed.
        seconds: How long to watch, twice [s].

    Raises:
        InvalidValue: The robot has no such sensor, or was moved.
        LinkBroken: The sensor does not answer.
    """
    if robot.sensors.imu is None:
        raise InvalidValue("robot", robot.name, "have [sensors.imu] to calibrate a gyroscope")
    session.watch(WAKING)
    rates = _rates(session, seconds)
    offset = rates.mean(axis=0)
    known = robot.sensors.imu.gyro_offset
    before = np.zeros(3) if known is None else np.array(known)
    fresh = _rates(session, seconds).mean(axis=0)
    deviation = _deviations(rates)
    _check(offset, fresh, deviation)
    degrees = [round(math.degrees(rate), 4) for rate in offset]
    key = "sensors.imu.gyro_offset_deg_s"
    return Calibration(
        method=f"mean of {len(rates)} readings at rest",
        items=(
            Item(
                key=key,
                before=None if known is None else [math.degrees(rate) for rate in known],
                after=degrees,
                deviation=[round(math.degrees(part), 4) for part in deviation],
            ),
        ),
        error="yaw rate at rest, on fresh readings",
        unit="deg/s",
        error_before=math.degrees(abs(fresh[2] - before[2])),
        error_after=abs(math.degrees(fresh[2]) - degrees[2]),
    )


def _deviations(rates: np.ndarray) -> np.ndarray:
    """Return the standard deviation of each mean: noise and steps of readings, and drift."""
    noise = np.hypot(rates.std(axis=0, ddof=1), GYRO_STEP / math.sqrt(12.0))
    return np.hypot(noise / math.sqrt(len(rates)), DRIFT / STEADY)


def _check(offset: np.ndarray, fresh: np.ndarray, deviation: np.ndarray) -> None:
    """Refuse means that cannot be an offset."""
    if np.any(np.abs(offset) > LARGEST):
        shown = f"{math.degrees(float(np.abs(offset).max())):.3g} deg/s"
        required = f"be below {math.degrees(LARGEST):g} deg/s at rest: did the robot turn?"
        raise InvalidValue("reading of the gyroscope", shown, required)
    gap = np.abs(fresh - offset)
    if np.any(gap > STEADY * math.sqrt(2.0) * deviation):
        shown = f"a change of {math.degrees(float(gap.max())):.3g} deg/s"
        required = "be the same in both stretches: let the robot stand, and the sensor warm up"
        raise InvalidValue("mean of the gyroscope", shown, required)


def _rates(session: BoardSession, seconds: float) -> np.ndarray:
    """Return the rates about x, y, z of each state [rad/s]."""
    states = session.watch(seconds)
    if len(states) < 10:
        raise InvalidValue("time at rest", seconds, f"give 10 states, not {len(states)}")
    if any(state.faults & Fault.IMU for state in states):
        raise LinkBroken(session.name, "the gyroscope does not answer; check its wiring")
    turned = {(state.encoder_left, state.encoder_right) for state in states}
    rates = GYRO_STEP * np.array([(s.gyro_x, s.gyro_y, s.gyro_z) for s in states], dtype=float)
    if len(turned) > 1 or rates.std(axis=0).max() > RESTLESS:
        raise InvalidValue("robot", "moving", "stand still while its gyroscope is measured")
    return rates
