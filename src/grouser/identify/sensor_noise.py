"""Noise of sensors as a record shows it: a white and a slowly varying part.

Noise = s (white + sqrt(q) Gauss-Markov(tau)). A grid of q and tau is weighted by the likelihood of
the record, its trend and s integrated out, and noise is drawn from all of the grid, so that an
interval made of draws also holds what the record leaves open about the noise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.ndimage import median_filter
from scipy.signal import lfilter

from grouser.geometry import Array

BINS = 60
"""Samples of a stretch are averaged into at most so many bins [1]."""
TIMES, RATIOS = 10, 16
"""Size of the grid: correlation times, and variances of the slow part [1]."""
SLOWEST = 10.0
"""Longest correlation time over the longest stretch: slower noise is a drift in it [1]."""
LEAST_RATIO, LARGEST_RATIO = 0.03, 1e6
"""Variance of the slow part over that of a bin of the white part [1]."""
GROSS = 6.0
"""Standard deviations beyond which a value is a gross error [1]."""
PART = 100
"""Samples of a part of a record whose noise is taken by itself [1]."""
CURVED = 0.1
"""Distance from the median by curvature, over that of two samples [1]."""
MAD = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation [1]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SensorNoise:
    """What a record says about the noise of one kind of channel."""

    period: float
    """Time between two samples [s]."""
    per_bin: int
    """Samples in a bin [1]."""
    time: Array
    """Correlation time of each point of the grid [s]."""
    ratio: Array
    """Variance of the slow part over that of a bin of the white part, at each point [1]."""
    weight: Array
    """Share of each point [1]."""
    squares: Array
    """Sum of squares of the residuals in units of each point [unit of the channel, squared]."""
    freedom: int
    """Residuals in these sums [1]."""

    def draw(self, count: int, samples: int, generator: Generator) -> Array:
        """Return `count` rows of noise of so many samples [unit of the channel]."""
        point = generator.choice(self.weight.size, count, p=self.weight)
        bin_variance = self.squares[point] / generator.chisquare(self.freedom, count)
        white = np.sqrt(bin_variance * self.per_bin)[:, None]
        noise = white * generator.standard_normal((count, samples))
        slow = np.sqrt(bin_variance * self.ratio[point])[:, None]
        for time in np.unique(self.time[point]):
            rows = (self.time[point] == time) & (slow[:, 0] > 0.0)
            kept = np.exp(-self.period / time)
            steps = generator.standard_normal((int(rows.sum()), samples))
            steps[:, 1:] *= np.sqrt(1.0 - kept**2)
            noise[rows] += slow[rows] * np.asarray(lfilter([1.0], [1.0, -kept], steps, axis=1))
        return noise


def estimate_noise(
    stretches: Sequence[Array], period: float, *, degree: int = 0, longest: float | None = None
) -> SensorNoise:
    """Return the noise about polynomials of a degree through stretches of channels (rows, samples).

    `period` is the time between samples, `longest` the longest correlation time that the trend
    leaves visible; `SLOWEST` times the longest stretch if not given [s].
    """
    most = max(stretch.shape[1] for stretch in stretches)
    per_bin = max(1, -(-most // BINS))
    shortest = 2.0 * per_bin * period
    end = max(longest if longest is not None else SLOWEST * most * period, shortest)
    times = np.repeat(np.geomspace(shortest, end, TIMES), RATIOS)
    grid = np.concatenate(([0.0], np.geomspace(LEAST_RATIO, LARGEST_RATIO, RATIOS - 1)))
    ratios = np.tile(grid, TIMES)
    squares, logs, freedom = np.zeros(times.size), np.zeros(times.size), 0
    for stretch in stretches:
        bins = stretch.shape[1] // per_bin
        if bins < degree + 3:
            continue
        values = stretch[:, : bins * per_bin].reshape(stretch.shape[0], bins, per_bin).mean(axis=2)
        for k, time in enumerate(times[::RATIOS]):
            at = slice(k * RATIOS, (k + 1) * RATIOS)
            variances, modes = _modes(bins, degree, per_bin, period / time)
            scaled = 1.0 + grid[:, None] * variances
            squares[at] += np.sum((values @ modes) ** 2 / scaled[:, None], axis=(1, 2))
            logs[at] += stretch.shape[0] * np.sum(np.log(scaled), axis=1)
        freedom += stretch.shape[0] * (bins - degree - 1)
        if per_bin > 1:  # what bins do not show: noise from sample to sample
            thirds = np.diff(stretch, 3, axis=1)[:, ::4]
            scale = _third_difference_variance(period / times, ratios, per_bin)
            squares += np.sum(thirds**2) / scale
            logs += thirds.size * np.log(scale)
            freedom += thirds.size
    freedom = max(freedom, 1)
    score = -0.5 * logs - 0.5 * freedom * np.log(np.maximum(squares, 1e-300))
    return SensorNoise(
        period=period, per_bin=per_bin, time=times, ratio=ratios,
        weight=np.exp(score - float(np.logaddexp.reduce(score))), squares=squares, freedom=freedom,
    )  # fmt: skip


@lru_cache(maxsize=64)
def _modes(bins: int, degree: int, per_bin: int, step: float) -> tuple[Array, Array]:
    """Return variances and independent combinations of bins that no polynomial changes.

    `step` is the time between samples over the correlation time [1].
    """
    trend = np.polynomial.legendre.legvander(np.linspace(-1.0, 1.0, bins), degree)
    free = np.linalg.qr(trend, mode="complete")[0][:, degree + 1 :]
    apart = np.abs(np.subtract.outer(np.arange(bins), np.arange(bins)))
    variances, rotation = eigh(free.T @ _bin_covariance(per_bin, step)(apart) @ free)
    return np.maximum(variances, 0.0), free @ rotation


def _bin_covariance(per_bin: int, step: float) -> Callable[[NDArray[np.intp]], Array]:
    """Return the covariance of means of a Gauss-Markov process by how many bins they are apart."""
    within = np.arange(per_bin)
    same = float(np.mean(np.exp(-step * np.abs(np.subtract.outer(within, within)))))
    next_to = float(np.mean(np.exp(-step * within)) * np.mean(np.exp(step * within)))
    return lambda apart: np.where(apart == 0, same, next_to * np.exp(-step * per_bin * apart))


def _third_difference_variance(step: Array, ratio: Array, per_bin: int) -> Array:
    """Return the variance of a third difference of samples over that of a bin's white part [1]."""
    kept = np.exp(-step)
    slow = 20.0 - 30.0 * kept + 12.0 * kept**2 - 2.0 * kept**3
    return 20.0 * per_bin + ratio * np.maximum(slow, 0.0)


def fast_noise(values: Array) -> float:
    """Return the standard deviation of a channel's noise from sample to sample, gross errors apart.

    By third differences, which a smooth motion leaves near zero.
    """
    if values.size < 8:
        return 0.0
    thirds = np.diff(values, 3)
    return MAD * float(np.median(np.abs(thirds - np.median(thirds)))) / np.sqrt(20.0)


def is_gross_error(values: Array) -> NDArray[np.bool_]:
    """Return which values of a channel lie far from the median of their neighbours."""
    if values.size < 8:
        return np.zeros(values.size, dtype=bool)
    off = np.abs(values - median_filter(values, 5, mode="nearest"))
    curved = CURVED * float(np.quantile(np.abs(np.diff(values)), 0.9))
    parts = np.array_split(values, -(-values.size // PART))
    return off > max(GROSS * max(map(fast_noise, parts)) + curved, 1e-9)
