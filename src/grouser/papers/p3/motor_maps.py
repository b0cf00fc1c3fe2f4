"""Motor maps that P3's robot may have had: drawn, then kept by P3's frequencies alone.

P3 eqs 35 to 38 are lost. The text has a dead zone, a jump at its edge and a torque that rises with
the voltage; the ranges below are those of the reconstruction's search, wider where that had a
single value. Kept is what moves as P3's text says of Figs 13 and 14: about 1 Hz along, roughly
0.3 Hz across, overshoots below 100 %, and on the treadmill in all seven manoeuvres. So these four
are calibrated. Table 4, and whatever else P3 says, is not looked at.

The map of `tankbot.toml` (1 V, 1 N m, 4 N m/V, 16 N m) was chosen by the same two frequencies: the
reading of the D gains came from 6 readings times 216 maps, the slope of 4 N m/V from the 1 Hz, and
the limit of 16 N m from a heading that does not spin.
"""

from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.control import PoseGains
from grouser.description import load_robot
from grouser.errors import InvalidValue
from grouser.models.planar.constants import Constants, robot_constants
from grouser.papers.p3.manoeuvre import (
    DURATION,
    MANOEUVRES,
    TREADMILL_SPEED,
    Manoeuvre,
    run_many,
)
from grouser.papers.p3.response import WINDOW_START, measure_step
from grouser.papers.variation import Variation

RANGES = {
    "dead_zone": (0.5, 1.5),
    "jump": (0.0, 2.0),
    "gain": (1.0, 8.0),
    "limit": (10.0, 40.0),
    "inertia": (1.5, 3.5),
    "com_height": (0.10, 0.20),
}
"""Dead zone [V], jump [N m], gain [N m/V] and limit [N m] of a motor, I_z [kg m^2], z_CG [m] [A].

Dead zone and gain as searched before; no jump to twice the usual one; limits from what cruising
takes, 8 N m, to that of the usual gain at 10 V; inertias that all worked; heights by a third.
"""
ALONG, ACROSS = (1.0, 0.25), (0.3, 0.1)
"""P3's frequencies after steps along and across, and how far off one may be [Hz]."""
OVERSHOOT = 100.0
"""Largest overshoot, P3's text on Table 3 [%]."""
HALF_LENGTH, HALF_WIDTH = 0.5 * 12 * 0.3048, 0.5 * 7 * 0.3048
"""Half of P3's treadmill, 12 by 7 feet [m]."""
SIDEWAYS = 0.5 * np.pi
"""Heading from which the robot is lost [rad]."""
BATCH, MOST_DRAWS = 100, 6000
"""Maps drawn at once, and in total before giving up [1]."""
MOTORS = ("left_forward", "left_backward", "right_forward", "right_backward")
"""Maps of the motors by side and sign of the voltage."""


def varied_tankbot(variation: Variation) -> Constants:
    """Return the Tankbot on its treadmill, with friction and mass varied."""
    robot = variation.vary_robot(load_robot("tankbot"))
    constants = robot_constants(robot, treadmill_speed=TREADMILL_SPEED)
    return constants._replace(
        track_limit=variation.friction * constants.track_limit,
        lateral_limit=variation.friction * constants.lateral_limit,
    )


def pick_robots(constants: Constants, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Constants:
    """Return some robots of many."""

    def pick(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(pick(part) for part in value)
        return np.asarray(value)[rows] if np.ndim(value) else value  # pyright: ignore[reportArgumentType, reportCallIssue]

    return Constants(*(pick(value) for value in constants))  # pyright: ignore[reportArgumentType]


def stays(history: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which robots of a history stay on the treadmill, and face up it."""
    limits = (HALF_LENGTH, HALF_WIDTH, SIDEWAYS)
    return np.all(
        [np.abs(history[:, :, k]).max(axis=1) < limit for k, limit in enumerate(limits)], axis=0
    )


def draw_maps(usual: Constants, count: int, generator: Generator) -> Constants:
    """Return robots with motor maps, inertias and heights from `RANGES`."""
    drawn = {name: generator.uniform(*limits, count) for name, limits in RANGES.items()}
    curve = drawn["dead_zone"], drawn["jump"], drawn["gain"], drawn["limit"]
    return usual._replace(
        inertia=drawn["inertia"] * (usual.mass / load_robot("tankbot").mass),
        com_height=drawn["com_height"],
        **dict.fromkeys(MOTORS, curve),
    )


@cache
def find_maps(count: int, variation: Variation) -> tuple[Constants, int]:
    """Return so many robots that move at P3's frequencies, and how many were drawn for them."""
    usual = varied_tankbot(variation)
    generator = np.random.default_rng((variation.seed, 3))
    kept: list[Constants] = []
    found = drawn = 0
    while found < count and drawn < MOST_DRAWS:
        maps = keep_by_frequencies(draw_maps(usual, BATCH, generator))
        drawn += BATCH
        kept.append(maps)
        found += np.size(maps.inertia)
    if not found:
        required = f"leave motor maps with P3's frequencies, of {drawn} that were drawn"
        raise InvalidValue("friction and mass of the variation", variation, required)
    return pick_robots(join_robots(kept), np.arange(min(count, found))), drawn


def keep_by_frequencies(maps: Constants) -> Constants:
    """Return those robots that move at P3's frequencies and stay on the treadmill."""
    for check in (_oscillates_along, _oscillates_across, _stays_everywhere):
        if np.size(maps.inertia):
            maps = pick_robots(maps, check(maps))
    return maps


def join_robots(groups: list[Constants]) -> Constants:
    """Return the robots of several groups, in one; fields that are not drawn as in the first."""

    def join(values: tuple[object, ...]) -> object:
        if isinstance(values[0], tuple):
            return tuple(join(parts) for parts in zip(*values, strict=True))  # pyright: ignore[reportArgumentType]
        return np.concatenate(values) if np.ndim(values[0]) else values[0]  # pyright: ignore[reportArgumentType, reportCallIssue]

    return Constants(*(join(values) for values in zip(*groups, strict=True)))  # pyright: ignore[reportArgumentType]


def _oscillates_along(maps: Constants) -> NDArray[np.bool_]:
    return _oscillates(maps, MANOEUVRES["step-x"], "x", "x_f_from_successive_peaks_Hz", ALONG)


def _oscillates_across(maps: Constants) -> NDArray[np.bool_]:
    return _oscillates(maps, MANOEUVRES["step-y"], "y", "y_f_from_first_peak_Hz", ACROSS)


def _oscillates(
    maps: Constants, manoeuvre: Manoeuvre, axis: str, key: str, wanted: tuple[float, float]
) -> NDArray[np.bool_]:
    """Return which robots have a frequency after a step, and overshoot by less than it is high."""
    count = int(np.size(maps.inertia))
    time, history = run_many(manoeuvre, PoseGains(), maps, count=count, duration=25.0)
    rows = time >= WINDOW_START - 1e-9
    passed = stays(history)
    for k in np.flatnonzero(passed):
        values = history[k, rows, "xy".index(axis)]
        found = measure_step(axis, time[rows] - WINDOW_START, values)
        frequency, overshoot = found[key], found[f"{axis}_overshoot_pct"]
        passed[k] = (
            frequency is not None
            and abs(frequency - wanted[0]) <= wanted[1]
            and overshoot is not None
            and overshoot < OVERSHOOT
        )
    return passed


def _stays_everywhere(maps: Constants) -> NDArray[np.bool_]:
    count = int(np.size(maps.inertia))
    runs = (
        run_many(manoeuvre, PoseGains(), maps, count=count, duration=DURATION, every=5)[1]
        for manoeuvre in MANOEUVRES.values()
    )
    return np.all([stays(history) for history in runs], axis=0)
