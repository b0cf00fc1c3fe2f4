"""Noise of sensors: white, random walk and correlated noise, quantisation, and Allan deviation.

Densities follow IEEE Std 952: N of white noise (for a rate, [unit/sqrt(Hz)] = [unit sqrt(s)]) and
K of a random walk [unit/sqrt(s)]. Their Allan deviations over an averaging time tau are

    white noise  N / sqrt(tau)        random walk  K sqrt(tau / 3)
"""

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from grouser.geometry import Array


def sample_deviation(density: float, rate: float) -> float:
    """Return the standard deviation of samples of white noise: N sqrt(rate) [unit].

    Args:
        density: Noise density N [unit/sqrt(Hz)].
        rate: Samples per second; each is a mean over its own interval [1/s].
    """
    return density * math.sqrt(rate)


class RandomWalk:
    """A bias that wanders: b(t + dt) = b(t) + K sqrt(dt) n, n normal [unit]."""

    def __init__(self, density: float, generator: Generator, size: int = 1) -> None:
        """Start at zero.

        Args:
            density: Density K [unit/sqrt(s)].
            generator: Source of random numbers.
            size: Number of independent walks.
        """
        self._density, self._generator = density, generator
        self.value: Array = np.zeros(size)
        """Current bias of each [unit]."""

    def advance(self, duration: float) -> Array:
        """Return the biases after a time [s]; no random number is drawn without a density."""
        if self._density > 0.0:
            step = self._density * math.sqrt(duration)
            self.value = self.value + step * self._generator.standard_normal(len(self.value))
        return self.value


class CorrelatedNoise:
    """First-order Gauss-Markov noise of constant spread: correlation exp(-t / time).

    x(t + dt) = a x(t) + sigma sqrt(1 - a^2) n, a = exp(-dt / time), n normal; x(0) is drawn with
    the same spread, so that there is no transient.
    """

    def __init__(self, deviation: float, time: float, generator: Generator, size: int = 1) -> None:
        """Draw the first values.

        Args:
            deviation: Standard deviation sigma [unit].
            time: Correlation time [s].
            generator: Source of random numbers.
            size: Number of independent values.
        """
        self._deviation, self._time, self._generator = deviation, time, generator
        self.value: Array = deviation * generator.standard_normal(size)
        """Current values [unit]."""

    def advance(self, duration: float) -> Array:
        """Return the values after a time [s]."""
        kept = math.exp(-duration / self._time)
        fresh = self._deviation * math.sqrt(max(0.0, 1.0 - kept * kept))
        self.value = kept * self.value + fresh * self._generator.standard_normal(len(self.value))
        return self.value


def saturate_and_quantise(values: ArrayLike, limit: float, bits: int) -> Array:
    """Return what a converter shows: within -limit to limit, in steps of 2 limit / 2^bits [unit].

    Not numbers stay so.
    """
    step = 2.0 * limit / 2.0**bits
    return np.round(np.clip(values, -limit, limit) / step) * step


def allan_deviation(samples: ArrayLike, rate: float, times: ArrayLike) -> Array:
    """Return the overlapping Allan deviation of evenly spaced samples [unit].

    sigma^2(tau) = mean of (x[k + 2 m] - 2 x[k + m] + x[k])^2 / (2 tau^2), x the integral of the
    samples, tau = m / rate (IEEE Std 952, annex C; D. Allan 1966).

    Args:
        samples: Samples [unit].
        rate: Samples per second [1/s].
        times: Averaging times tau, rounded to whole samples [s].
    """
    integral = np.concatenate(([0.0], np.cumsum(np.asarray(samples, np.float64)))) / rate
    deviations = []
    for time in np.atleast_1d(np.asarray(times, np.float64)):
        count = max(1, round(time * rate))
        second = integral[2 * count :] - 2.0 * integral[count:-count] + integral[: -2 * count]
        deviations.append(math.sqrt(float(np.mean(second**2)) / 2.0) * rate / count)
    return np.array(deviations)
