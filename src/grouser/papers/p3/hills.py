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

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from grouser.control import PoseGains
from grouser.laws.slope import grade_forces
from grouser.models.planar.constants import SHIFT_WIDTH, Constants, pack_constants
from grouser.papers.p3.manoeuvre import LONGEST_STEP, MANOEUVRES, run_many
from grouser.papers.p3.motor_maps import find_maps, pick_robots, stays
from grouser.papers.p3.shares import Estimates, middle_of, share_of
from grouser.papers.p3.stand_ins import HYPOTHESES
from grouser.papers.variation import Variation

SLOPES = np.deg2rad(np.arange(0.5, 18.01, 0.5))
"""Slopes that are tried [rad]."""
OBLIQUE = 0.25 * np.pi
"""Heading against the fall line of an indirect climb, half-way to level [rad] [A]."""
CLIMB_TIME, CLIMB = 15.0, 0.60
"""How long a climb may take [s], and how far up counts: the length of its contact [m] [A]."""
FULL = 10.0
"""Voltage of a driver in a hurry: P3's limit [V]."""
HOLD_TIME = 25.0
"""On the treadmill: two edges of the steps [s]."""


def tilt(slope: float, heading: float) -> tuple[float, float]:
    """Return pitch, uphill positive, and roll of the ground for a robot that heads so.

    Args:
        slope: Slope of the ground along its fall line [rad].
        heading: Heading of the robot, left of straight up [rad].
    """
    pitch = np.arcsin(np.sin(slope) * np.cos(heading))
    # Uphill is ahead and to its right: the weight pulls to its left.
    roll = np.arcsin(-np.sin(slope) * np.sin(heading) / np.cos(pitch))
    return float(pitch), float(roll)


Passes = Callable[[Constants, int, float], NDArray[np.bool_]]
"""Which of so many robots pass a test on a slope [rad]."""


def steepest(robots: Constants, count: int, passes: Passes) -> NDArray[np.float64]:
    """Return the slope up to which each robot passes on all slopes; zero if on none [rad]."""
    limits, going = np.zeros(count), np.arange(count)
    for slope in SLOPES:
        held = passes(pick_robots(robots, going), going.size, float(slope))
        going = going[held]
        if not going.size:
            break
        limits[going] = slope
    return limits


def climb_from_rest(
    robots: Constants, count: int, slope: float, heading: float
) -> NDArray[np.bool_]:
    """Return which robots climb a slope from rest at full voltage, at a heading [rad]."""
    from grouser.models.planar.integrate import run_loops

    # Almost no feedback of x: the voltage of a large error is constant.
    small = 1e-6
    gains = PoseGains(x_p=small, x_d=0.0, y_p=0.0, y_d=0.0)
    states, grades = np.zeros((count, 8)), np.empty((count, 3))
    states[:, 2] = heading
    grades[:, 0], grades[:, 1], grades[:, 2] = grade_forces(robots.mass, -slope, 0.0)
    references = np.tile([FULL / small, 0.0, heading], (round(CLIMB_TIME / gains.period) + 1, 1))
    field = robots._replace(ground_speed=0.0, shift_width=SHIFT_WIDTH)
    packed = pack_constants(field, count)
    history = run_loops(
        states, np.zeros((count, 2)), references, np.tile(gains.effective, (count, 1)), grades,
        packed.records, packed.curves, gains.keep, gains.voltage_limit, 0, gains.period,
        LONGEST_STEP, 10,
    )  # fmt: skip
    return history[:, -1, 0] >= CLIMB


def hold_on_treadmill(
    robots: Constants, count: int, slope: float, heading: float
) -> NDArray[np.bool_]:
    """Return which robots follow steps across on a sloping treadmill, at a heading [rad]."""
    pitch, roll = tilt(slope, heading)
    manoeuvre = replace(MANOEUVRES["step-y"], slope=pitch, roll=roll)
    _, history = run_many(manoeuvre, PoseGains(), robots, count=count, duration=HOLD_TIME, every=5)
    return stays(history)


def find_limits(count: int, variation: Variation) -> dict[str, NDArray[np.float64]]:
    """Return the steepest slopes of robots that differ from the model in everything [rad]."""
    maps, _ = find_maps(count, variation)
    count = int(np.size(maps.inertia))
    generator = np.random.default_rng((variation.seed, 5))
    robots = HYPOTHESES["all"].draw(maps, count, generator)
    return {
        f"{where}, {way}": steepest(robots, count, partial(test, heading=heading))
        for where, test in (
            ("from rest", climb_from_rest),
            ("on the treadmill", hold_on_treadmill),
        )
        for way, heading in (("direct", 0.0), ("indirect", OBLIQUE))
    }


def score_hills(
    limits: dict[str, NDArray[np.float64]],
) -> Estimates:
    """Return steepest slopes [deg], and for which share of robots indirect is steeper."""
    found = {
        f"steepest slope {name}": middle_of(np.rad2deg(values)) for name, values in limits.items()
    }
    for where in ("from rest", "on the treadmill"):
        steeper = limits[f"{where}, indirect"] > limits[f"{where}, direct"]
        found[f"steeper indirectly than directly {where}"] = share_of(steeper)
    return found
