"""Hills that the Tankbot climbs indirectly and not directly: P3's observation in the field.

Two tests on slopes of `SLOPES`, straight up and at `OBLIQUE` to the fall line:

- From rest at full voltage, heading held by P3's gains, on ground that stands still. A belt that
  starts is past the peak of its curve at once, so what counts is the force at full slip. By hand,
  with P3's curves and its friction ellipse: 2 x 34.6 N straight up, 8.7 degrees; at 45 degrees the
  lateral force helps, and 93 N or 11.7 degrees are held.
- On the treadmill in closed loop, from level cruise, with P3's steps across of 10 cm: which
  slopes it stays on. By hand, without transients: 122 N or 15.4 degrees straight up, and 95 N or
  11.9 degrees at 45 degrees, where the ellipse is narrower.

So the hand calculations differ in which way is better, and either test can fail. An isotropic
friction would have the same limit in all directions.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grouser.control import PoseGains
from grouser.laws.slope import grade_forces
from grouser.models.planar.constants import SHIFT_WIDTH, Constants, pack_constants
from grouser.papers.p3.manoeuvre import LONGEST_STEP, MANOEUVRES, run_many
from grouser.papers.p3.motor_maps import find_maps, pick_robots, stays
from grouser.papers.p3.shares import Interval, middle_of, share_of
from grouser.papers.p3.stand_ins import HYPOTHESES
from grouser.papers.variation import Variation

SLOPES = np.deg2rad(np.arange(4.0, 18.01, 0.5))
"""Slopes that are tried [rad]."""
OBLIQUE = 0.25 * np.pi
"""Heading against the fall line of an indirect climb, half-way to level [rad] [A]."""
CLIMB_TIME, CLIMB = 15.0, 0.60
"""How long a climb may take [s], and how far up counts: the length of its contact [m] [A]."""
FULL = 10.0
"""Voltage of a driver in a hurry: P3's limit [V]."""
HOLD_TIME = 25.0
"""On the treadmill: two edges of the steps [s]."""


def tilt(slope: NDArray[np.float64], heading: float) -> tuple[NDArray[np.float64], ...]:
    """Return pitch, uphill positive, and roll of the ground for a robot that heads so.

    Args:
        slope: Slope of the ground along its fall line [rad].
        heading: Heading of the robot, left of straight up [rad].
    """
    pitch = np.arcsin(np.sin(slope) * np.cos(heading))
    # Uphill is ahead and to its right: the weight pulls to its left.
    roll = np.arcsin(-np.sin(slope) * np.sin(heading) / np.cos(pitch))
    return pitch, roll


def steepest(passed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the slope up to which all slopes were passed, by robot; zero if none was [rad]."""
    count = np.cumprod(passed, axis=1).sum(axis=1)
    return np.concatenate(([0.0], SLOPES))[count]


def climb_from_rest(robots: Constants, count: int, heading: float) -> NDArray[np.float64]:
    """Return the steepest slope that each robot climbs from rest, at a heading [rad]."""
    from grouser.models.planar.integrate import run_loops

    # Almost no feedback of x: the voltage of a large error is constant.
    small = 1e-6
    gains = PoseGains(x_p=small, x_d=0.0, y_p=0.0, y_d=0.0)
    field = robots._replace(ground_speed=0.0, shift_width=SHIFT_WIDTH)
    rows, slopes = _pair(count)
    field = pick_robots(field, rows)
    states = np.zeros((rows.size, 8))
    states[:, 2] = heading
    references = np.tile([FULL / small, 0.0, heading], (round(CLIMB_TIME / gains.period) + 1, 1))
    grades = np.stack(grade_forces(field.mass, -slopes, 0.0 * slopes), axis=1)
    packed = pack_constants(field, rows.size)
    history = run_loops(
        states, np.zeros((rows.size, 2)), references, np.tile(gains.effective, (rows.size, 1)),
        grades, packed.records, packed.curves, gains.keep, gains.voltage_limit, 0, gains.period,
        LONGEST_STEP, 10,
    )  # fmt: skip
    return steepest((history[:, -1, 0] >= CLIMB).reshape(count, SLOPES.size))


def hold_on_treadmill(robots: Constants, count: int, heading: float) -> NDArray[np.float64]:
    """Return the steepest slope on which each robot follows steps across, at a heading [rad]."""
    rows, slopes = _pair(count)
    pitch, roll = tilt(slopes, heading)
    manoeuvre = replace(MANOEUVRES["step-y"], slope=pitch, roll=roll)  # pyright: ignore[reportArgumentType]
    _, history = run_many(
        manoeuvre, PoseGains(), pick_robots(robots, rows), count=rows.size, duration=HOLD_TIME,
        every=5,
    )  # fmt: skip
    return steepest(stays(history).reshape(count, SLOPES.size))


def _pair(count: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return robot and slope of all pairs of them."""
    return np.repeat(np.arange(count), SLOPES.size), np.tile(SLOPES, count)


def find_limits(count: int, variation: Variation) -> dict[str, NDArray[np.float64]]:
    """Return the steepest slopes of robots that differ from the model in everything [rad]."""
    maps, _ = find_maps(count, variation)
    count = int(np.size(maps.inertia))
    generator = np.random.default_rng((variation.seed, 5))
    robots = HYPOTHESES["all"].draw(maps, count, generator)
    return {
        "from rest, direct": climb_from_rest(robots, count, 0.0),
        "from rest, indirect": climb_from_rest(robots, count, OBLIQUE),
        "on the treadmill, direct": hold_on_treadmill(robots, count, 0.0),
        "on the treadmill, indirect": hold_on_treadmill(robots, count, OBLIQUE),
    }


def score_hills(
    limits: dict[str, NDArray[np.float64]],
) -> tuple[dict[str, float], dict[str, Interval]]:
    """Return steepest slopes [deg], and for which share of robots indirect is steeper."""
    found = {
        f"steepest slope {name}": middle_of(np.rad2deg(values)) for name, values in limits.items()
    }
    for where in ("from rest", "on the treadmill"):
        steeper = limits[f"{where}, indirect"] > limits[f"{where}, direct"]
        found[f"steeper indirectly than directly {where}"] = share_of(steeper)
    return {key: value for key, (value, _) in found.items()}, {
        key: interval for key, (_, interval) in found.items()
    }
