"""A random drive as sensors see it: noise, gross errors, other rates, gaps, another clock."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from grouser.identify.family import Family, Setting
from grouser.identify.record import CHANNELS, Kind, Observation, Record

Array = NDArray[np.float64]
BELT_PERIOD, CAMERA_PERIOD = 0.02, 1.0 / 30.0
"""Of belt speeds, and of what observes [s]."""
RAMP = 0.3
"""Time in which belts change their speed [s]."""
MANOEUVRES, LONGEST = 45, 2.0
"""How many straights, arcs and turns a drive has, and how long one is at most, both in the middle
[1, s]: what a log tells is told by few of them."""
NOISE = {
    "x": 0.003, "y": 0.003, "yaw": 0.006, "vx": 0.01, "vy": 0.01, "yaw_rate": 0.02,
    "gyro_yaw_rate": 0.01,
}  # fmt: skip
"""Standard deviation of what is observed [unit of the channel]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Troubles:
    """What is wrong with the data."""

    belt_noise: float = 0.02
    """Standard deviation of a belt speed, over the fastest [1]."""
    outliers: float = 0.05
    """Share of observations with gross errors [1]."""
    outlier_size: float = 30.0
    """Gross errors over the usual noise [1]."""
    gap: float = 1.5
    """Length of a gap in the observations [s]."""
    largest_offset: float = 0.2
    """Offset of the clocks at most [s]."""
    gyro_bias: float = 0.01
    """Of a gyroscope, at most [rad/s]."""


def random_drive(
    family: Family,
    values: Array,
    setting: Setting,
    generator: Generator,
    *,
    kind: Kind = "pose",
    duration: float = 90.0,
    troubles: Troubles | None = None,
) -> tuple[Record, float]:
    """Return what sensors saw of a random drive, and the offset of their clocks [s].

    Args:
        family: How the robot moves.
        values: Its true parameters.
        setting: What is known before.
        generator: Of all chance.
        kind: What is observed.
        duration: Of the drive [s].
        troubles: What is wrong with the data.
    """
    troubles = troubles or Troubles()
    fastest = setting.robot.drive.speed_limit * 0.8 if setting.robot else 0.6
    time, left, right = _belts(generator, duration, fastest)
    nothing = Observation(kind="pose", time=time[:1], values=np.zeros((3, 1)))
    truth = Record(name="truth", time=time, left=left, right=right, observation=nothing)
    offset = float(generator.uniform(-1.0, 1.0)) * troubles.largest_offset
    seen = family.predict(values[None], truth, setting)
    names = {"gyro_yaw_rate": "yaw_rate"}
    at = _times(generator, duration, troubles)
    rows = [getattr(seen, names.get(c, c))[0] for c in CHANNELS[kind]]
    observed = np.stack([np.interp(at - offset, time, row) for row in rows])
    _spoil(observed, kind, generator, troubles)
    record = Record(
        name="random drive",
        time=time,
        left=left + generator.normal(0.0, troubles.belt_noise * fastest, time.size),
        right=right + generator.normal(0.0, troubles.belt_noise * fastest, time.size),
        observation=Observation(kind=kind, time=at, values=observed),
    )
    return record, offset


def _belts(generator: Generator, duration: float, fastest: float) -> tuple[Array, Array, Array]:
    """Return times and belt speeds: straights, arcs and turns on the spot, forward and back."""
    time = np.arange(0.0, duration + 0.5 * BELT_PERIOD, BELT_PERIOD)
    sides = np.zeros((2, time.size))
    begin, each = 0, min(duration / MANOEUVRES, LONGEST)
    while begin < time.size:
        end = begin + round(generator.uniform(0.5, 1.5) * each / BELT_PERIOD)
        speed = generator.uniform(0.3, 1.0) * fastest * generator.choice([1.0, 1.0, 1.0, -1.0])
        slower = speed * generator.uniform(0.1, 0.85)
        pairs = ((speed, speed), (-speed, speed), (slower, speed), (speed, slower))
        sides[:, begin:end] = np.array(pairs[int(generator.integers(4))])[:, None]
        begin = end
    smooth = uniform_filter1d(sides, round(RAMP / BELT_PERIOD), axis=1)
    return time, smooth[0], smooth[1]


def _times(generator: Generator, duration: float, troubles: Troubles) -> Array:
    """Return when observations come: not quite regularly, and not at all during a gap."""
    margin = 0.5 + troubles.largest_offset
    times = np.arange(margin, duration - margin, CAMERA_PERIOD)
    times = times + generator.uniform(-0.002, 0.002, times.size)
    begin = generator.uniform(0.1, 0.8) * duration
    return times[(times < begin) | (times > begin + troubles.gap)]


def _spoil(observed: Array, kind: Kind, generator: Generator, troubles: Troubles) -> None:
    """Add noise, gross errors and a bias."""
    wrong = generator.random(observed.shape[1]) < troubles.outliers
    for row, channel in zip(observed, CHANNELS[kind], strict=True):
        row += generator.normal(0.0, NOISE[channel], row.size)
        gross = troubles.outlier_size * NOISE[channel]
        row[wrong] += generator.normal(0.0, gross, int(wrong.sum()))
    if kind == "gyro":
        observed += generator.uniform(-1.0, 1.0) * troubles.gyro_bias
