"""P0's ramp tests with robots in three dimensions: slip against slope, fitted and held out.

P0's measured ratios are lost with its figure: what is left is that slip rises about linearly. That
is tested on `csm` with the shear law, which knows nothing of a line: a tread of modulus K on firm
ground mobilises the share q = tan(slope) / friction of its strength at the slip i with

    q = 1 - K / (i l) (1 - exp(-i l / K)),   l the contact length                  (Janosi; Wong)

P0's line, base + k slope, and that law, with as many free numbers each, are fitted to three slopes
and judged on the three between and beyond.
"""

from collections.abc import Callable, Sequence

import numpy as np

from grouser.description import load_robot
from grouser.geometry import Array
from grouser.laws.slope import DEFAULT_COEFFICIENT
from grouser.laws.terramechanics import mobilised_share
from grouser.papers.p0.robots import (
    CAMERA_NOISE,
    COUNT,
    DrawnRobot,
    draw_robots,
    find_interval,
    share_interval,
)
from grouser.papers.paper import Findings
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Panel, Series
from grouser.report.colours import REFERENCE, line_colour

SLOPES = (8.0, 12.0, 16.0, 20.0, 24.0, 28.0)
"""Slopes of P0's ramp tests [deg]."""
FITTED = (8.0, 16.0, 24.0)
"""Slopes that are fitted [deg]; the others are held out."""
PAIR = (12.0, 24.0)
"""Two slopes from which base and rise of the line are found together [deg]."""
SPEED, LENGTH = 0.1, 6.0
"""Speed of the belts by the encoders [m/s] (P0), and length of a drive, whose first half is left
out [s]."""
REPEATS = 3
"""Drives of each slope, seen by a noisy camera (P0)."""
FRICTION = 0.8
"""Friction that a fit of the shear law takes for granted: that of the shipped courses [1]."""
CLEAR_RISE = 0.005
"""Rise of slip from 8 to 28 degrees that three noisy drives show: five standard deviations [1]."""


def climb_slopes(variation: Variation = AS_STATED) -> Findings:
    """Return how slip rises with slope for drawn robots, and how well a line predicts it."""
    robots = draw_robots(COUNT, variation)
    noise = np.random.default_rng([variation.seed, 1])
    slips = np.array([measure_slope_slips(robot, SLOPES, noise) for robot in robots])
    return judge_slopes(slips, [robot.shear_modulus for robot in robots], noise)


def measure_slope_slips(
    robot: DrawnRobot, slopes: Sequence[float], noise: np.random.Generator
) -> Array:
    """Return the slip ratio of the robot's encoders on each slope, mean of both tracks [1]."""
    sigma = np.sqrt(2.0 / REPEATS) * CAMERA_NOISE / (0.5 * LENGTH)
    slips = []
    for slope in slopes:
        log = robot.drive(robot.prepare("slope", angle_deg=slope), SPEED, SPEED, LENGTH)
        speed = float(np.mean(log["vx"][len(log.time) // 2 :]))
        slips.append(1.0 - (speed + sigma * noise.standard_normal()) / SPEED)
    return np.array(slips)


def judge_slopes(slips: Array, moduli: Sequence[float], noise: np.random.Generator) -> Findings:
    """Return the numbers of claims from slips (robots, slopes)."""
    count = len(slips)
    rises = int(np.sum(slips[:, -1] - slips[:, 0] > CLEAR_RISE))
    straightness = [_explained(row) for row in slips]
    errors = {feature: _held_out(slips, feature, FITTED) for feature in FEATURES}
    constant = errors["constant"]
    found = np.array([fit_slip("shear law", FITTED, _at(row, FITTED))[1] for row in slips])
    pairs = _held_out(slips, "line", PAIR) / _held_out(slips, "constant", PAIR)
    slopes_per_degree = [fit_slip("line", SLOPES, row)[1] for row in slips]
    samples = {
        "share of the variance of slip that a line over the slope explains": straightness,
        "error of a line on slopes held out, over that of constant slip": errors["line"] / constant,
        "error of the shear law on slopes held out, over that of constant slip":
            errors["shear law"] / constant,
        "error of a line from two slopes on others, over that of constant slip": pairs,
        "shear modulus found over the true one": found / np.asarray(moduli),
        "rise of slip per degree": slopes_per_degree,
    }  # fmt: skip
    values = {key: float(np.median(sample)) for key, sample in samples.items()}
    intervals = {key: find_interval(sample) for key, sample in samples.items()}
    share = "share of robots whose slip rises from 8 to 28 degrees"
    values[share], intervals[share] = rises / count, share_interval(rises, count)
    for name, error in errors.items():
        key = f"RMSE of slip on slopes held out, {name}"
        values[key] = float(np.sqrt(np.mean(error**2)))
        intervals[key] = _bootstrap(error, noise)
    return Findings(values=values, intervals=intervals, panels=(_draw_slips(slips),))


def shear_slip(slopes: Array) -> Array:
    """Return slip over the shear modulus on slopes in degrees, of an evenly loaded track [1/m]."""
    length = load_robot("tp100").contact_length
    shares = np.tan(np.deg2rad(slopes)) / FRICTION
    # The share rises with slip: interpolate its inverse.
    slips = np.geomspace(1e-4, 1e3, 20000)
    return np.asarray(np.interp(shares, mobilised_share(1.0, slips, 1.0), slips)) / length


FEATURES: dict[str, Callable[[Array], Array]] = {
    "constant": lambda slopes: 0.0 * slopes,
    "line": lambda slopes: slopes,
    "shear law": shear_slip,
}
"""What slip rises with, for slopes in degrees."""


def fit_slip(feature: str, slopes: Sequence[float], slips: Array) -> Array:
    """Return base slip and rise per feature by least squares over several slopes."""
    rises = FEATURES[feature](np.array(slopes))
    found, *_ = np.linalg.lstsq(np.column_stack((np.ones(len(slopes)), rises)), slips, rcond=None)
    return np.asarray(found, dtype=np.float64)


def _at(row: Array, slopes: Sequence[float]) -> Array:
    return row[[SLOPES.index(slope) for slope in slopes]]


def _misses(feature: str, row: Array, fitted: Sequence[float], judged: Sequence[float]) -> Array:
    """Return predicted less measured slip on some slopes, fitted to others."""
    base, rise = fit_slip(feature, fitted, _at(row, fitted))
    return base + rise * FEATURES[feature](np.array(judged)) - _at(row, judged)


def _held_out(slips: Array, feature: str, fitted: Sequence[float]) -> Array:
    """Return the error of each robot on the slopes that were not fitted, root mean square."""
    others = [slope for slope in SLOPES if slope not in fitted]
    errors = [_misses(feature, row, fitted, others) for row in slips]
    return np.sqrt(np.mean(np.square(errors), axis=1))


def _explained(row: Array) -> float:
    misses = _misses("line", row, SLOPES, SLOPES)
    return float(1.0 - np.sum(misses**2) / np.sum((row - row.mean()) ** 2))


def _bootstrap(errors: Array, random: np.random.Generator) -> tuple[float, float]:
    """Return the 90 % interval of the root mean square over robots, drawn again and again."""
    chosen = random.integers(0, len(errors), (1000, len(errors)))
    return find_interval(np.sqrt(np.mean(errors[chosen] ** 2, axis=1)))


def _draw_slips(slips: Array) -> Panel:
    slopes, rises = np.array(SLOPES), slips - slips[:, :1]
    lines = [
        Series(name="" if number else "drawn robots", x=slopes, y=row, colour=line_colour(0),
               faint=True)
        for number, row in enumerate(rises)
    ]  # fmt: skip
    middle = np.median(rises, axis=0)
    lines.append(Series(name="median", x=slopes, y=middle, colour=line_colour(3)))
    # P0's figure is lost: this is the line that the file of TP100 assumes in its place.
    assumed = DEFAULT_COEFFICIENT * np.deg2rad(slopes - slopes[0])
    lines.append(
        Series(name="assumed for P0", x=slopes, y=assumed, colour=REFERENCE, dash="dashed")
    )
    return Panel(
        key="slope-slip", title="Slip over the slope, less that at 8 degrees",
        x_label="slope [deg]", y_label="slip ratio [1]", series=tuple(lines),
    )  # fmt: skip
