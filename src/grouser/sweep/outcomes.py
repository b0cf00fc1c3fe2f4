"""Outcomes of a run that a sweep can map."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grouser.description import Course
from grouser.errors import UnknownName
from grouser.log import Log
from grouser.models import Motion
from grouser.simulation.sensors import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A number that a drive has in the end."""

    title: str
    """What it is, with its unit."""
    measure: Callable[[Log, Course], float]
    """Finds it in a log [unit of the title]."""
    names: tuple[str, str] | None = None
    """What 0 and 1 mean; None for other numbers."""


def measure_outcomes(log: Log, course: Course) -> dict[str, float]:
    """Return all outcomes of a drive by name [unit of each outcome's title]."""
    return {name: outcome.measure(log, course) for name, outcome in OUTCOMES.items()}


def find_outcome(name: str, known: Mapping[str, Outcome]) -> Outcome:
    """Return an outcome by its name, of those that are known.

    Raises:
        UnknownName: There is none of that name.
    """
    if name not in known:
        raise UnknownName("outcome", name, known)
    return known[name]


REACHED = 0.06
"""Distance to the end of the path that counts as reached: twice the tolerance of P0 [m]."""
WORK = "work"
"""Column of a log with the work of all drives."""
UPRIGHT = math.radians(80.0)
"""A robot that leans more has tipped over [rad]."""


def _away(log: Log, course: Course) -> float:
    """Return how far the robot was from the end of the path when it was nearest [m]."""
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


def _lean(log: Log) -> float:
    """Return the largest angle between the body's z axis and the vertical [rad]."""
    upright = np.cos(log["roll"]) * np.cos(log["pitch"])
    return float(np.arccos(upright.clip(-1.0, 1.0)).max())


def _slip(log: Log, course: Course) -> float:
    """Return the mean slip, over all drives and rows in which belts run [1]."""
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
    """Return the work of all drives; not a number where the model knows no forces [J]."""
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
        measure=lambda log, _: float(_lean(log) < UPRIGHT),
    ),
    "slip": Outcome(title="mean slip of running belts [1]", measure=_slip),
    "error": Outcome(title="largest distance from the path [m]", measure=_error),
    "energy": Outcome(title="work of the belts on the ground [J]", measure=_energy),
}  # fmt: skip
"""The outcomes by name."""


class WorkMeter:
    """Watches a simulation and adds the work of all drives since the start to its log."""

    columns: tuple[tuple[str, str], ...] = ((WORK, "J"),)

    def observe(self, time: float, motion: Motion, reading: Reading) -> Sequence[float]:
        """Return the work; not a number where the model knows no forces."""
        return (float(sum(motion.works)) if motion.works else math.nan,)
