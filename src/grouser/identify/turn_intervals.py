"""95 % intervals of what P2 derives from a turn: noise of the record, drawn again and again.

Noise of the observed motion is that of the record's standstills, if the record has one and if the
noise there is as fast as in the turn; otherwise what is left of the turn itself without its trend,
which does not show errors slower than a tenth of the turn. Noise of wheel speeds is always what is
left of the turn: true vibration of a wheel counts as noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.random import Generator

from grouser.geometry import Array
from grouser.identify.sensor_noise import SensorNoise, estimate_noise, fast_noise
from grouser.identify.turn_motion import ObservedMotion
from grouser.laws.turning_experiment import (
    DROPPED,
    apparent_width_range,
    distance_travelled,
    slippage_ratios,
    standard_lengths,
    turning_circle,
)
from grouser.laws.turning_geometry import FourWheels, apparent_speed_difference

Interval: TypeAlias = tuple[float, float]
NoiseSource: TypeAlias = Literal["standstill", "turn"]
"""Where the noise of the observed motion was taken from."""

DRAWS, LEAST_DRAWS = 300, 100
"""Draws of the noise of a turn, and fewest of a long one [1]."""
MOST_VALUES = 4_000_000
"""Values of a channel in all draws, at most [1]."""
LEVEL = 0.95
"""Share of intervals that should hold the true value [1]."""
TREND_DEGREE, POSITION_DEGREE = 3, 7
"""Degrees of the polynomials that follow speeds and headings, and positions, of a turn [1]."""
VISIBLE = 0.1
"""Longest correlation time that is visible beside such a polynomial, over the turn's time [1]."""
FASTER = 1.5
"""Ratio of fast noise in the turn and at rest above which that at rest is not believed [1]."""
SAME_NOISE = ((0, 1), (2,))
"""Channels with the same noise: both coordinates or speeds, and the heading or its rate."""
RADIUS_ERROR = 0.01
"""Relative error of a radius, by noise of the heading, up to which it counts in the mean [1]."""
MOST_DROPPED = 0.25
"""Share of a turn at its start that is left out of the mean radius, at most [1]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnTurn:
    """A turn with many draws of its noise."""

    time: Array
    """Times of the samples [s]."""
    speed: Array
    """Forward speed; with draws in rows, as all that follows [m/s]."""
    leftward: Array
    """Leftward speed [m/s]."""
    yaw: Array
    """Heading, growing [rad]."""
    wheels: FourWheels
    """Speed of each wheel [m/s]."""


def rest_stretches(time: Array, values: Array, rests: Sequence[tuple[float, float]]) -> list[Array]:
    """Return the observed channels during each standstill."""
    found = [values[:, (time >= start) & (time <= end)] for start, end in rests]
    return [stretch for stretch in found if stretch.shape[1] >= 10 * DROPPED]


def observation_noise(
    motion: ObservedMotion, rests: Sequence[Array]
) -> tuple[list[SensorNoise], NoiseSource]:
    """Return the noise of each channel of a turn, and where it was taken from."""
    found: list[SensorNoise] = []
    believed = bool(rests)
    for rows in SAME_NOISE:
        turn = motion.values[list(rows)]
        at_rest = max((fast_noise(row) for rest in rests for row in rest[list(rows)]), default=0.0)
        believed = believed and max(map(fast_noise, turn)) <= FASTER * at_rest
    for rows in SAME_NOISE:
        if believed:
            noise = estimate_noise([rest[list(rows)] for rest in rests], motion.period)
        else:
            is_place = motion.kind == "pose" and rows == (0, 1)
            noise = _noise_of_turn(motion.values[list(rows)], motion.period, is_place=is_place)
        found += [noise] * len(rows)
    return found, "standstill" if believed else "turn"


def _noise_of_turn(values: Array, period: float, *, is_place: bool = False) -> SensorNoise:
    middle = values[:, DROPPED : values.shape[1] - DROPPED]  # without jumps at the ends
    return estimate_noise(
        [middle], period, degree=POSITION_DEGREE if is_place else TREND_DEGREE,
        longest=VISIBLE * values.shape[1] * period,
    )  # fmt: skip


def draw_turn(
    motion: ObservedMotion,
    noises: Sequence[SensorNoise],
    time: Array,
    wheels: FourWheels,
    sign: float,
    generator: Generator,
) -> DrawnTurn:
    """Return draws of a turn at these times; `sign` is +1 if it turns left, -1 right."""
    samples = max(motion.time.size, time.size)
    count = int(np.clip(MOST_VALUES // samples, LEAST_DRAWS, DRAWS))
    noise = np.stack([n.draw(count, motion.time.size, generator) for n in noises])
    u, v, yaw = motion.body_motion(time, noise)
    period = float(np.median(np.diff(time)))
    rims = np.stack([np.broadcast_to(w, time.shape) for w in wheels])
    of_wheels = _noise_of_turn(rims, period)
    drawn = (row + of_wheels.draw(count, time.size, generator) for row in rims)
    return DrawnTurn(
        time=time, speed=u, leftward=sign * v, yaw=sign * yaw, wheels=FourWheels(*drawn)
    )


def count_dropped(yaw: Array, drawn: DrawnTurn) -> int:
    """Return how many radii at the start of a turn the noise of the heading makes useless."""
    error = float(np.median(np.std(drawn.yaw - drawn.yaw[:, :1] - (yaw - yaw[0]), axis=0)))
    unclear = np.abs(yaw - yaw[0]) < error / RADIUS_ERROR
    clear = int(np.argmin(unclear)) if not unclear.all() else yaw.size
    return max(DROPPED, min(clear - 1, int(MOST_DROPPED * yaw.size)))


def turn_quantities(turn: DrawnTurn, width: float, dropped_at_start: int) -> dict[str, Array]:
    """Return what P2 derives from a turn, by name: of each draw."""
    counted = slice(1 + dropped_at_start, turn.time.size - DROPPED)
    duration = float(turn.time[-1] - turn.time[0])
    changes = turn.yaw - turn.yaw[..., :1]
    distances = distance_travelled(turn.speed, turn.time)
    share = (turn.leftward / turn.speed)[..., counted]
    radius, calculated, offset = turning_circle(
        distances[..., counted], changes[..., counted], share, width
    )
    lengths = FourWheels(*(distance_travelled(rim, turn.time)[..., -1] for rim in turn.wheels))
    outer, inner = standard_lengths(radius, width, changes[..., -1])
    narrowest, widest = apparent_width_range(lengths, changes[..., -1])
    speeds = FourWheels(*(length / duration for length in lengths))
    ratios = slippage_ratios(lengths, outer, inner)
    found = {
        "radius": radius,
        **{f"slippage.{wheel}": value for wheel, value in ratios._asdict().items()},
        "calculated_width": calculated,
        "true_difference": (outer - inner) / duration,
        "apparent_difference": apparent_speed_difference(speeds),
        "apparent_width.least": narrowest,
        "apparent_width.largest": widest,
        "offset_ahead": offset,
    }
    return {name: np.asarray(value) for name, value in found.items()}


def find_intervals(
    measured: DrawnTurn, drawn: DrawnTurn, width: float, dropped_at_start: int
) -> dict[str, Interval]:
    """Return the interval of each quantity: where its true value is, by errors of the draws."""
    values = turn_quantities(measured, width, dropped_at_start)
    with np.errstate(all="ignore"):
        draws = turn_quantities(drawn, width, dropped_at_start)
    tail = 0.5 * (1.0 - LEVEL)
    found = {}
    for name, value in values.items():
        low, high = np.nanquantile(draws[name] - value, (tail, 1.0 - tail))
        found[name] = (float(value - high), float(value - low))
    return found
