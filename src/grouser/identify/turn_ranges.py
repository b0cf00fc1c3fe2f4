"""Where a record turns steadily, and where it stands: from wheel speeds with noise.

The difference of the sides is averaged over as many samples as its noise requires. A turn begins
and ends where this mean leaves the noise; its steady part, which is evaluated, is where it has
reached its level.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from grouser.geometry import Array
from grouser.identify.record import MAX_BELT_GAP, Record
from grouser.identify.sensor_noise import fast_noise

MIN_TURN_TIME = 2.0
"""Shortest steady part that is processed [s]."""
CLEARANCE = 8.0
"""Smallest difference of a turn over the noise of its mean [1]."""
STEADY_SHARE = 0.9
"""Share of its level that the difference has in the steady part of a turn [1]."""
SIGMAS = 3.0
"""Standard deviations by which noise may fall below a threshold [1]."""
REST_SPEED = 0.01
"""Speed of wheels that stand, over the fastest of the record [1]."""
MIN_REST_TIME = 5.0
"""Shortest standstill from which noise is taken [s]."""
SETTLING_TIME = 1.0
"""Time after stopping and before starting that does not count as standstill [s]."""


def cut_pieces(time: Array) -> list[slice]:
    """Return the ranges of rows without a gap in time."""
    edges = np.flatnonzero(np.diff(time) > MAX_BELT_GAP) + 1
    return [slice(int(a), int(b)) for a, b in pairwise((0, *edges, time.size)) if b - a > 1]


def find_steady_turns(record: Record, smallest: float) -> Iterator[tuple[float, slice]]:
    """Yield direction (+1 left, -1 right) and rows of the steady part of each forward turn.

    `smallest` is the least difference of the sides' speeds that counts as a turn [m/s].
    """
    for rows in cut_pieces(record.time):
        time, left, right = record.time[rows], record.left[rows], record.right[rows]
        rolls = np.maximum(np.abs(left), np.abs(right)) > REST_SPEED * _fastest(record)
        noise = fast_noise((right - left)[rolls])  # a sensor has none while its wheel stands
        period = float(np.median(np.diff(time)))
        most = max(1, int(0.5 * MIN_TURN_TIME / period))
        count = int(np.clip(np.ceil((CLEARANCE * noise / smallest) ** 2), 1, most))
        means = [
            np.asarray(uniform_filter1d(side, count, mode="nearest")) for side in (left, right)
        ]
        forward = (means[0] > 0.0) & (means[1] > 0.0)
        spread = SIGMAS * noise / np.sqrt(count)
        for sign in (1.0, -1.0):
            difference = sign * (means[1] - means[0])
            for first, end in _steady_ranges(difference, forward, smallest, spread, count // 2):
                if time[end - 1] - time[first] >= MIN_TURN_TIME:
                    yield sign, slice(rows.start + first, rows.start + end)


def _steady_ranges(
    difference: Array, forward: NDArray[np.bool_], smallest: float, spread: float, blurred: int
) -> Iterator[tuple[int, int]]:
    """Yield first row and end of the steady part of each turn; `blurred` rows at ends are mixed."""
    least = smallest * (1.0 - 1e-9)  # rounding does not end a turn
    for first, end in true_ranges(forward & (difference >= least - spread)):
        level = float(np.median(difference[first:end]))
        if level < least - spread / SIGMAS:
            continue
        reached = np.flatnonzero(difference[first:end] >= STEADY_SHARE * level - spread)
        begin, stop = first + int(reached[0]) + blurred, first + int(reached[-1]) + 1 - blurred
        if stop - begin > 1:
            yield begin, stop


def find_rests(record: Record) -> list[tuple[float, float]]:
    """Return start and end of each standstill long enough to show the sensors' noise [s]."""
    fastest = _fastest(record)
    stands = np.maximum(np.abs(record.left), np.abs(record.right)) <= REST_SPEED * fastest
    found = []
    for rows in cut_pieces(record.time):
        time = record.time[rows]
        for first, end in true_ranges(stands[rows]):
            start, stop = float(time[first]), float(time[end - 1])
            start += SETTLING_TIME if first else 0.0
            stop -= SETTLING_TIME if end < time.size else 0.0
            if fastest > 0.0 and stop - start >= MIN_REST_TIME:
                found.append((start, stop))
    return found


def _fastest(record: Record) -> float:
    return max(float(np.max(np.abs(side))) for side in (record.left, record.right))


def true_ranges(used: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first row and end (exclusive) of each range of rows that are True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], used, [False]))))
    return [(int(a), int(b)) for a, b in list(pairwise(edges))[::2]]
