"""From commands to belt speeds: gains, limits, delay and first-order lag, in front of any family.

    v' = gain_mean v,  d' = gain_difference d          of the commands: v their mean, d half their
    |d'| <= limit_difference                           difference; V a belt speed
    v', d' scaled down until |v'| + |d'| <= limit
    T dV/dt = V'(t - delay) - V

The limits are those of velocity controllers: of the turn rate, then of the faster wheel. The belts
begin each piece with the speed that was measured there. All numbers are fitted to the measured belt
speeds, without the poses; intervals are jackknifed over blocks. Commands that were made with
another wheel radius or track width than the robot's come back in the gains.

Where only commands were logged, gains and delay cannot be separated from slip and from the offset
of the clocks: then the lag alone is found, by the poses.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.signal import lfilter
from scipy.stats import t as student

from grouser.errors import InvalidLog
from grouser.geometry import Array
from grouser.identify.fit import Estimate
from grouser.identify.pieces import cut_blocks
from grouser.identify.record import Record

STARTS = ((0.05, 0.2), (0.2, 0.2), (0.4, 0.2), (0.05, 0.7), (0.3, 0.7))
"""Delay and lag where the search begins [s, s]."""
LAGS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Lags that are tried where only commands were logged [s]."""
SHORTEST_LAG, LONGEST = 1e-3, 3.0
"""Limits of the lag, and of the delay [s]."""
JACKKNIFE = 6
"""Number of parts of the record that are left out in turn."""
FREE_SHARE = 0.7
"""Share of a limit below which a speed shows the gain [1]."""
MANY_PIECES = 20
"""Number of pieces from which all are followed at once, sample by sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveTrain:
    """How belt speeds follow commands."""

    gain_mean: float = 1.0
    """Mean belt speed over mean command, at rest [1]."""
    gain_difference: float = 1.0
    """Difference of the belt speeds over that of the commands, at rest [1]."""
    limit_difference: float = np.inf
    """Largest half difference of the belt speeds [m/s]."""
    limit: float = np.inf
    """Largest speed of the faster belt [m/s]."""
    delay: float = 0.0
    """Time until belts react [s]."""
    lag: float = SHORTEST_LAG
    """Time constant of the reaction [s]."""
    error: float = float("nan")
    """Root mean square of measured less predicted belt speed [m/s]."""
    intervals: tuple[Estimate, ...] = ()
    """The numbers with 95 % intervals; empty if not known."""

    def to_dict(self) -> dict[str, Any]:
        """Return the drive train as plain JSON values."""
        return {
            "gain_mean": self.gain_mean,
            "gain_difference": self.gain_difference,
            "limit_difference_m_s": self.limit_difference,
            "limit_m_s": self.limit,
            "delay_s": self.delay,
            "lag_s": self.lag,
            "belt_error_m_s": self.error,
            "intervals": {e.name: [e.low, e.high] for e in self.intervals},
        }


NAMES = {
    "gain_mean": "1", "gain_difference": "1", "limit_difference": "m/s", "limit": "m/s",
    "delay": "s", "lag": "s",
}  # fmt: skip
"""The numbers of a drive train, and their units."""


def fit_drive_train(record: Record) -> DriveTrain:
    """Return the drive train of a record with commands and measured belts.

    InvalidLog if no commands were logged.
    """
    if record.commanded is None:
        needed = "belt_speed_commanded.left and belt_speed_commanded.right"
        problem = f"has no commands; --input commanded needs the columns {needed}"
        more = "speed_commanded and yaw_rate_commanded; commands in rad/s need --radius or --robot"
        raise InvalidLog(record.name, f"{problem}, or {more}")
    blocks = cut_blocks(record)
    of_sample = _blocks_of_samples(record, blocks.number)
    whole = _search(record, np.ones(record.time.size, dtype=bool))
    parts = of_sample % min(JACKKNIFE, max(blocks.count, 1))
    count = int(parts.max()) + 1
    if count < 3:
        return whole
    found = [_refine(record, parts != number, whole, 15) for number in range(count)]
    return replace(whole, intervals=_intervals(whole, found))


def _intervals(whole: DriveTrain, found: list[DriveTrain]) -> tuple[Estimate, ...]:
    width = float(student.ppf(0.975, len(found) - 1))
    rows = []
    for name, unit in NAMES.items():
        values = np.array([getattr(one, name) for one in found])
        spread = np.sqrt((len(found) - 1) / len(found) * np.sum((values - values.mean()) ** 2))
        value, half = getattr(whole, name), width * float(spread)
        low = value - half if name.startswith("gain") else max(value - half, 0.0)
        rows.append(Estimate(name=name, value=value, low=low, high=value + half, unit=unit))
    return tuple(rows)


def _blocks_of_samples(record: Record, number: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the block of each belt speed: that of the next observation."""
    known = number >= 0
    at = np.searchsorted(record.observation.time[known], record.time)
    return number[known][np.clip(at, 0, int(known.sum()) - 1)]


def _search(record: Record, used: NDArray[np.bool_]) -> DriveTrain:
    """Return the drive train from several starts."""
    sides, command = _mean_and_half(_measured(record)), _mean_and_half(_commands(record))
    limit = float(np.quantile(np.abs(sides).sum(axis=0), 0.99))
    half = float(np.quantile(np.abs(sides[1]), 0.99))
    gains = []
    for of_sides, of_command, most in zip(sides, command, (limit, half), strict=True):
        slow = used & (np.abs(of_sides) < FREE_SHARE * most)
        square = float(np.sum(of_command[slow] ** 2))
        gains.append(float(np.sum(of_command[slow] * of_sides[slow])) / max(square, 1e-12) or 1.0)
    starts = [
        DriveTrain(
            gain_mean=gains[0], gain_difference=gains[1], limit_difference=half, limit=limit,
            delay=delay, lag=lag,
        )
        for delay, lag in STARTS
    ]  # fmt: skip
    return min((_refine(record, used, start, 40) for start in starts), key=lambda t: t.error)


def _refine(
    record: Record, used: NDArray[np.bool_], start: DriveTrain, evaluations: int
) -> DriveTrain:
    """Return the drive train with the least error from a start."""
    about = np.array([getattr(start, name) for name in NAMES])
    scale = np.where(np.abs(about) > 1e-3, np.abs(about), 0.1)
    low = np.array([-np.inf, -np.inf, 1e-3, 1e-3, 0.0, SHORTEST_LAG]) / scale
    high = np.array([np.inf, np.inf, np.inf, np.inf, LONGEST, LONGEST]) / scale
    measured = _measured(record)[:, used]

    def train(place: Array) -> DriveTrain:
        return DriveTrain(**dict(zip(NAMES, (place * scale).tolist(), strict=True)))

    def errors(place: Array) -> Array:
        return (measured - _followed(record, train(place))[:, used]).ravel()

    found = least_squares(
        errors, np.clip(about / scale, low + 1e-9, high - 1e-9), bounds=(low, high),
        diff_step=0.01, max_nfev=evaluations, xtol=1e-5, ftol=1e-7,
    )  # fmt: skip
    return replace(train(found.x), error=float(np.sqrt(np.mean(errors(found.x) ** 2))))


def _measured(record: Record) -> Array:
    return np.stack([record.left, record.right])


def _commands(record: Record) -> Array:
    if record.commanded is None:
        raise InvalidLog(record.name, "has no commands; record belt_speed_commanded.*")
    return record.commanded


def _mean_and_half(sides: Array) -> Array:
    """Return mean and half difference of left and right (2, sample) [m/s]."""
    return np.stack([0.5 * (sides[0] + sides[1]), 0.5 * (sides[1] - sides[0])])


def _followed(record: Record, train: DriveTrain) -> Array:
    """Return the belt speeds that commands lead to (2, sample) [m/s].

    Before the delay is over, a piece goes on as it began.
    """
    mean, half = _mean_and_half(_commands(record))
    mean, half = train.gain_mean * mean, train.gain_difference * half
    half = np.clip(half, -train.limit_difference, train.limit_difference)
    faster = np.abs(mean) + np.abs(half)
    share = np.minimum(1.0, train.limit / np.maximum(faster, 1e-12))
    target = share * np.stack([mean - half, mean + half])
    first = record.first[record.piece]
    since = record.time - record.time[first]
    source = np.searchsorted(record.time, record.time - train.delay + 1e-9, side="right") - 1
    start = _measured(record)[:, first]
    # The sample in which the delay ends is held for a part of its step.
    step = np.maximum(record.steps, 1e-9)
    moved = np.clip((since - train.delay) / step, 0.0, 1.0)
    target = start + moved * (target[:, np.maximum(source, first)] - start)
    return start + _lagged(record, target - start, np.exp(-record.steps / train.lag))


def _lagged(record: Record, target: Array, share: Array) -> Array:
    """Return the response from 0 at the start of each piece."""
    found, sizes = np.zeros_like(target), record.last - record.first
    if record.first.size < MANY_PIECES:
        kept = float(np.exp(np.log(np.maximum(share[record.steps > 0.0], 1e-300)).mean()))
        for first, last in zip(record.first, record.last, strict=True):
            rows = slice(first + 1, last + 1)
            found[:, rows] = lfilter([1.0 - kept], [1.0, -kept], target[:, rows], axis=1)
        return found
    for number in range(1, int(sizes.max()) + 1):
        rows = record.first[sizes >= number] + number
        found[:, rows] = share[rows] * found[:, rows - 1] + (1.0 - share[rows]) * target[:, rows]
    return found


def apply_drive_train(record: Record, train: DriveTrain) -> Record:
    """Return the record with the belt speeds that its commands lead to."""
    left, right = _followed(record, train)
    return replace(record, left=left, right=right)


def fit_lag(record: Record, loss: Callable[[Record], float]) -> DriveTrain:
    """Return the lag of a record whose belt speeds are commands, by a loss of the poses."""
    commands = np.stack([record.left, record.right])
    record = replace(record, commanded=commands)
    trains = [DriveTrain(lag=float(lag)) for lag in (SHORTEST_LAG, *LAGS)]
    losses = [loss(apply_drive_train(record, train)) for train in trains]
    return trains[int(np.argmin(losses))]
