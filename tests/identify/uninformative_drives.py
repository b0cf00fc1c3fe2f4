"""Drives with little excitation, and faulty records, of robots with known parameters."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grouser.identify import FAMILIES, KnownRobot, Observation, Record
from grouser.identify.record import Kind

Array = NDArray[np.float64]
SETTING = KnownRobot(gauge=0.4)
TRUE = {
    "ideal": (),
    "slip": (0.1, 0.12, 0.01, 0.004, 0.66),
    "icr": (0.33, -0.27, 0.03),
    "turning": (0.55, 0.01, 0.02),
    "icr-varying": (0.33, -0.27, 0.03, 0.1, -0.05, 0.05, -0.04, 0.02),
}
"""True parameters, none of them where a search begins."""
PERIOD, STEP = 0.05, 0.00042
"""Of samples [s], and what a count of an encoder is worth [m]."""
NOISE = {"x": 0.002, "y": 0.002, "yaw": 0.003, "vx": 0.01, "vy": 0.01, "yaw_rate": 0.01}
NAMES = {
    "pose": ("x", "y", "yaw"),
    "position": ("x", "y"),
    "twist": ("vx", "vy", "yaw_rate"),
    "gyro": ("yaw_rate",),
}


def belts(speeds: Iterable[tuple[float, float]], each: float = 2.0) -> Array:
    """Return belt speeds, left and right, each pair held for some seconds."""
    return np.repeat(np.array(list(speeds), dtype=float).T, round(each / PERIOD), axis=1)


MIXED = belts([(0.3, 0.3), (0.4, 0.2), (-0.3, 0.3), (0.2, 0.4), (0.3, 0.1), (0.1, 0.4)] * 3)
STRAIGHTS = belts([(0.4, 0.4), (0.2, 0.2), (0.3, 0.3), (-0.2, -0.2)] * 5)
STRAIGHT, TURN = belts([(0.2, 0.2)] * 15), belts([(0.2, 0.3)] * 15)


def record(
    family: str,
    kind: Kind,
    driven: Array,
    *,
    measured: Array | None = None,
    noise: float = 1.0,
    counts: bool = False,
    late: float = 0.0,
) -> Record:
    """Return what sensors saw of a drive.

    Args:
        family: How the robot moves, with its true parameters.
        kind: What was observed.
        driven: What the belts did.
        measured: What the log says they did; the same if not given.
        noise: Of what was observed, over the usual [1].
        counts: Whether encoders count steps.
        late: By how much the clock of what observes is ahead [s].
    """
    time = PERIOD * np.arange(driven.shape[1])
    empty = Observation(kind="pose", time=time[:1], values=np.zeros((3, 1)))
    true = Record(name="drive", time=time, left=driven[0], right=driven[1], observation=empty)
    moved = FAMILIES[family].predict(np.array(TRUE[family])[None], true, SETTING)
    rows = np.stack([np.interp(time - late, time, getattr(moved, n)[0]) for n in NAMES[kind]])
    scale = np.array([[noise * NOISE[name]] for name in NAMES[kind]])
    rows = rows + scale * np.random.default_rng(5).normal(size=rows.shape)
    said = driven if measured is None else measured
    if counts:
        ways = STEP * np.floor(np.cumsum(said * PERIOD, axis=1) / STEP)
        said = np.diff(ways, axis=1, prepend=0.0) / PERIOD
    seen = Observation(kind=kind, time=time, values=rows)
    return replace(true, left=said[0], right=said[1], observation=seen)


def _change(found: Record, change: Callable[[Array], Array]) -> Record:
    values = change(found.observation.values.copy())
    return replace(found, observation=replace(found.observation, values=values))


def _holes(values: Array) -> Array:
    values[:, 200:400] = np.nan
    values[0, ::3] = np.nan
    return values


def _first_lost(values: Array) -> Array:
    values[0] = np.nan
    return values


def _one_exact(family: str, kind: Kind) -> Record:
    exact = record(family, kind, MIXED, noise=0.0).observation.values

    def take(values: Array) -> Array:
        values[-1] = exact[-1]
        return values

    return _change(record(family, kind, MIXED), take)


def _side(driven: Array, factor: float) -> Array:
    return driven * np.array([[factor], [1.0]])


DATA: dict[str, Callable[[str, Kind], Record]] = {
    "standstill": lambda f, k: record(f, k, belts([(0.0, 0.0)] * 15)),
    "standstill, exact": lambda f, k: record(f, k, belts([(0.0, 0.0)] * 15), noise=0.0),
    "straight": lambda f, k: record(f, k, STRAIGHT),
    "straight, exact": lambda f, k: record(f, k, STRAIGHT, noise=0.0),
    "straight, counts": lambda f, k: record(f, k, STRAIGHT, noise=0.05, counts=True),
    "straights, counts": lambda f, k: record(f, k, STRAIGHTS, noise=0.05, counts=True),
    "turn": lambda f, k: record(f, k, TURN),
    "turn, exact": lambda f, k: record(f, k, TURN, noise=0.0),
    "turn, counts": lambda f, k: record(f, k, TURN, noise=0.05, counts=True),
    "on the spot": lambda f, k: record(f, k, belts([(-0.2, 0.2)] * 15)),
    "one track": lambda f, k: record(f, k, belts([(0.0, 0.2), (0.0, 0.3), (0.0, -0.2)] * 5)),
    "1 row": lambda f, k: record(f, k, TURN[:, :1]),
    "2 rows": lambda f, k: record(f, k, TURN[:, :2]),
    "5 rows": lambda f, k: record(f, k, TURN[:, :5]),
    "4 s": lambda f, k: record(f, k, TURN[:, :80]),
    "mixed, exact": lambda f, k: record(f, k, MIXED, noise=0.0),
    "one exact channel": _one_exact,
    "gaps": lambda f, k: _change(record(f, k, MIXED), _holes),
    "no x": lambda f, k: _change(record(f, k, MIXED), _first_lost),
    "poses identical": lambda f, k: _change(record(f, k, MIXED), np.ones_like),
    "encoder dead": lambda f, k: record(f, k, MIXED, measured=_side(MIXED, 0.0)),
    "encoder mirrored": lambda f, k: record(f, k, MIXED, measured=_side(MIXED, -1.0)),
    "both mirrored": lambda f, k: record(f, k, MIXED, measured=-MIXED),
    "another drive": lambda f, k: _change(record(f, k, MIXED), lambda v: v[:, ::-1].copy()),
    "clock 3 s off": lambda f, k: record(f, k, MIXED, late=3.0),
}
"""Records by what is wrong with them: of a family's robot, observed in some way."""
