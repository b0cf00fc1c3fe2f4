"""Outcomes of a run that a sweep can map."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from grouser.description import Course
from grouser.log import Log
from grouser.models import Motion
from grouser.simulation.sensors import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A number that a run has in the end."""

    title: str
    """What it is, with its unit, for the map."""
    measure: Callable[[Log, Course], float]
    """Returns it from a log and its course [unit of the title]."""
    names: tuple[str, str] | None = None
    """What 0 and 1 mean; None if it is not yes or no."""


def measure_outcomes(log: Log, course: Course) -> dict[str, float]:
    """Return all outcomes of a run by name [unit of each outcome's title]."""
    return {name: outcome.measure(log, course) for name, outcome in OUTCOMES.items()}


REACHED = 0.06
"""Distance to the end of the path that counts as reached: twice the tolerance of P0 [m]."""
WORK = "work"
"""Column of a log with the work of all drives."""
UPRIGHT = math.radians(80.0)
"""Tilt from which a robot has tipped over [rad]."""


def _away(log: Log, course: Course) -> float:
    """Return the least distance to the end of the path [m]."""
    if course.path is None:
        return math.nan
    x, y, _ = course.path.at(course.path.length)
    return float(np.hypot(log["x"] - x, log["y"] - y).min())


def _reached(log: Log, course: Course) -> float:
    return math.nan if course.path is None else float(_away(log, course) <= REACHED)


def _progress(log: Log, course: Course) -> float:
    if course.path is None:
        return math.nan
    along = course.path.nearest(float(log["x"][-1]), float(log["y"][-1]))
    return float(along) / course.path.length


def _tilt(log: Log) -> float:
    """Return the largest angle between the body's z axis and the vertical [rad]."""
    upright = np.cos(log["roll"]) * np.cos(log["pitch"])
    return float(np.arccos(upright.clip(-1.0, 1.0)).max())


def _slip(log: Log, course: Course) -> float:
    """Return the mean slip of all drives and rows with running belts [1]."""
    drives = [d for d in log.drives if f"slip.{d}" in log and f"belt_speed.{d}" in log]
    running = [log[f"slip.{d}"][np.abs(log[f"belt_speed.{d}"]) > 1e-3] for d in drives]
    slips = np.concatenate([*running, np.empty(0)])
    slips = slips[np.isfinite(slips)]
    return float(slips.mean()) if slips.size else math.nan


def _error(log: Log, course: Course) -> float:
    if course.path is None:
        return math.nan
    return float(np.max(course.path.distance(log["x"], log["y"])))


def _travelled(log: Log, course: Course) -> float:
    places = np.stack([log[axis] for axis in "xyz"])
    return float(np.linalg.norm(np.diff(places, axis=1), axis=0).sum())


def _energy(log: Log, course: Course) -> float:
    """Return the work of all drives; NaN for models without forces [J]."""
    return float(log[WORK][-1]) if WORK in log else math.nan


OUTCOMES = {
    "reached": Outcome(
        title="reached the end of the path", measure=_reached, names=("fails", "arrives")
    ),
    "progress": Outcome(title="share of the path behind it at the end [1]", measure=_progress),
    "away": Outcome(title="least distance to the end of the path [m]", measure=_away),
    "duration": Outcome(
        title="time until done or given up [s]", measure=lambda log, _: log.duration
    ),
    "travelled": Outcome(title="distance driven [m]", measure=_travelled),
    "height": Outcome(
        title="highest place above the start [m]",
        measure=lambda log, _: float(log["z"].max() - log["z"][0]),
    ),
    "pitch": Outcome(
        title="largest |pitch| [deg]",
        measure=lambda log, _: math.degrees(np.abs(log["pitch"]).max()),
    ),
    "roll": Outcome(
        title="largest |roll| [deg]",
        measure=lambda log, _: math.degrees(np.abs(log["roll"]).max()),
    ),
    "upright": Outcome(
        title="stayed upright", names=("tips over", "stays upright"),
        measure=lambda log, _: float(_tilt(log) < UPRIGHT),
    ),
    "slip": Outcome(title="mean slip of running belts [1]", measure=_slip),
    "error": Outcome(title="largest distance from the path [m]", measure=_error),
    "energy": Outcome(title="work of the belts on the ground [J]", measure=_energy),
}  # fmt: skip
"""The outcomes by name."""


class WorkMeter:
    """Adds the work of all drives since the start to a log."""

    columns: tuple[tuple[str, str], ...] = ((WORK, "J"),)

    def observe(self, time: float, motion: Motion, reading: Reading) -> Sequence[float]:
        """Return the work; NaN for models without forces."""
        return (float(sum(motion.works)) if motion.works else math.nan,)
