"""Body motion in a turn from what was observed, and how its noise enters.

Positions are differentiated, and the heading is smoothed, over the time at which a local parabola
has the least error by noise and by curvature together. The polynomial of positions is a cubic: over
that time, a parabola would shorten the path of a turn by up to 0.1 %.
"""

from dataclasses import dataclass

import numpy as np
from scipy.signal import savgol_filter

from grouser.geometry import Array, rotate
from grouser.identify.record import MAX_BELT_GAP, Observation, Record
from grouser.identify.sensor_noise import fast_noise, is_gross_error

LEAST_JERK = 0.05
"""Least third derivative of the position that smoothing must follow [m/s^3]."""
LEAST_SAMPLES = 5
"""Least samples of a local polynomial [1]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ObservedMotion:
    """Evenly sampled observations within a range of belt speeds, without gross errors."""

    kind: str
    """Kind of the observation, `pose` or `twist`."""
    time: Array
    """Times of the samples [s]."""
    values: Array
    """Rows of the channels: x, y, yaw (unwrapped) or vx, vy, yaw rate [unit of the channel]."""
    period: float
    """Time between samples [s]."""
    samples: int
    """Samples of a local polynomial, odd [1]."""

    def body_motion(self, at: Array, noise: Array | None = None) -> tuple[Array, Array, Array]:
        """Return forward speed, leftward speed [m/s] and heading [rad] at times within the range.

        `noise` (channels, draws, samples) is added to the samples; results are then (draws, times).
        """
        values = self.values if noise is None else self.values[:, None, :] + noise
        if self.kind == "twist":
            u, v, rate = (_interpolate(row, self.time, at) for row in values)
            return u, v, np.cumsum(rate * np.diff(at, prepend=at[0]), axis=-1)
        vx, vy = (
            savgol_filter(row, self.samples, 3, deriv=1, delta=self.period) for row in values[:2]
        )
        yaw = np.asarray(savgol_filter(values[2], self.samples, 2))
        u, v = rotate(np.asarray(vx), np.asarray(vy), -yaw)
        u, v, yaw = (_interpolate(np.asarray(row), self.time, at) for row in (u, v, yaw))
        return u, v, yaw


def clean_observation(seen: Observation) -> tuple[Array, Array]:
    """Return times and channels of the complete samples, yaw unwrapped.

    Of poses gross errors are left out; a velocity may jump.
    """
    known = np.isfinite(seen.values).all(axis=0)
    time, values = seen.time[known], seen.values[:, known]
    if seen.kind == "twist":
        return time, values
    values = np.stack([values[0], values[1], np.unwrap(values[2])])
    kept = ~np.any([is_gross_error(row) for row in values], axis=0)
    return time[kept], values[:, kept]


def observe_motion(
    record: Record, rows: slice, seen: tuple[Array, Array], gauge: float
) -> ObservedMotion | None:
    """Return what was observed within these rows of belt speeds; None if it has a gap there.

    `seen` are clean times and channels; `gauge` is the distance of the sides [m].
    """
    at = record.time[rows]
    time, values = seen
    # Smoothing across the ends would mix the turn with what is beside it.
    inside = slice(*np.searchsorted(time, (at[0] - 1e-9, at[-1] + 1e-9)))
    time, values = time[inside], values[:, inside]
    reach = np.concatenate(([at[0]], time, [at[-1]]))
    if time.size < LEAST_SAMPLES or np.max(np.diff(reach)) > MAX_BELT_GAP:
        return None
    period = float(np.median(np.diff(time)))
    even = np.linspace(time[0], time[-1], 1 + round((time[-1] - time[0]) / period))
    period = float(even[1] - even[0])
    values = np.stack([np.interp(even, time, row) for row in values])
    noise = max(fast_noise(values[0]), fast_noise(values[1]))
    speed = 0.5 * (record.left[rows] + record.right[rows])
    rate = (record.right[rows] - record.left[rows]) / gauge
    jerk = max(float(np.median(np.abs(speed))) * float(np.median(rate)) ** 2, LEAST_JERK)
    return ObservedMotion(
        kind=record.observation.kind, time=even, values=values, period=period,
        samples=smoothing_samples(noise, period, jerk, even.size),
    )  # fmt: skip


def smoothing_samples(noise: float, period: float, jerk: float, available: int) -> int:
    """Return the samples of the parabola whose slope has the least mean square error, odd [1].

    Over a time T the slope has the variance 12 noise^2 period / T^3 and the error jerk T^2 / 40:
    T^7 = 14400 noise^2 period / jerk^2. Noise in [m], period in [s], jerk in [m/s^3].
    """
    length = (14400.0 * noise**2 * period / jerk**2) ** (1.0 / 7.0)
    count = max(LEAST_SAMPLES, 2 * (round(length / period) // 2) + 1)
    return min(count, 2 * ((available - 1) // 2) + 1)


def _interpolate(values: Array, time: Array, at: Array) -> Array:
    """Return rows of values, evenly sampled in time, at other times."""
    place = np.clip((at - time[0]) / (time[1] - time[0]), 0.0, time.size - 1.0)
    below = np.minimum(place.astype(np.intp), time.size - 2)
    share = place - below
    return values[..., below] * (1.0 - share) + values[..., below + 1] * share
