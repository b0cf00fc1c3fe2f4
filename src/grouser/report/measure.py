"""Metrics of logs: errors, slip, and when two runs diverge."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.control import STATE_NAMES, STATE_UNITS
from grouser.description import Course, Path
from grouser.log import NEEDED, Column, Comparison, Log, compare
from grouser.report.colours import line_colour
from grouser.report.panel import Mark
from grouser.scenario import course_of_log
from grouser.units import format_quantity


@dataclass(frozen=True, slots=True)
class Metric:
    """A number with a name and a unit."""

    name: str
    value: float | None
    """Value; None for an event that did not occur [unit as `unit` says]."""
    unit: str
    """SI unit; "1" for a ratio or a count."""

    @property
    def text(self) -> str:
        """Value for people with its unit, angles in degrees."""
        return "never" if self.value is None else format_quantity(self.value, self.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTable:
    """A table of words, with sentences below it."""

    title: str
    """What it holds."""
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Cells."""
    lines: tuple[str, ...] = ()
    """Sentences below."""
    words: int = 1
    """How many columns at the left hold words; the others hold numbers."""


def compare_runs(log: Log, reference: Log) -> Comparison | None:
    """Return the errors of a run against a reference in finite rows; None without poses."""
    if not all(name in run for name in NEEDED for run in (log, reference)):
        return None
    known = np.all([np.isfinite(log[name]) for name in NEEDED], axis=0)
    if not known.any() or not len(reference):
        return None
    poses = {name: Column(log[name][known], log.unit(name)) for name in NEEDED}
    return compare(Log(poses), reference)


THRESHOLDS = (0.01, 0.05)
"""Default distances at which two runs count as diverged [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Time at which a run first was farther from its reference than a threshold."""

    threshold: float
    """Threshold of the distance [m]."""
    time: float | None
    """Time of divergence; None if there is none [s]."""


def find_divergences(
    comparison: Comparison, thresholds: Iterable[float] = THRESHOLDS
) -> tuple[Divergence, ...]:
    """Return, for each threshold [m], when the distance of two runs first exceeded it."""
    gap = comparison.position_error
    found: list[Divergence] = []
    for threshold in thresholds:
        beyond = np.flatnonzero(gap > threshold)
        time = float(comparison.time[beyond[0]]) if beyond.size else None
        found.append(Divergence(threshold=threshold, time=time))
    return tuple(found)


MIN_BELT_SPEED = 1e-3
"""Belt speed below which a slip ratio is not meaningful [m/s]."""


LEARNT = ("gyro_bias", "slip_left", "slip_right", "slip_angle")
"""States that are unknown before a drive."""
LEARNT_SHARE = 0.5
"""Deviation over that at the start below which such a state is known [1]."""


def measure_run(log: Log, course: Course | None = None) -> tuple[Metric, ...]:
    """Return the metrics of a run, as far as the log has the columns.

    Rows that are not finite are left out. Means are taken over rows. `course` is by default that in
    the provenance of the log.
    """
    return measure_blocks([log], course_of_log(log) if course is None else course)


def measure_blocks(blocks: Iterable[Log], course: Course | None) -> tuple[Metric, ...]:
    """Return the metrics of `measure_run` for a log in blocks of rows, one in memory at a time."""
    begin, end = math.nan, math.nan
    motion, belts = _MotionMetrics(course.path if course else None), _BeltMetrics()
    for block in blocks:
        if len(block):
            begin = float(block.time[0]) if math.isnan(end) else begin
            end = float(block.time[-1])
            motion.add(block)
            belts.add(block)
    duration = Metric("duration", 0.0 if math.isnan(end) else end - begin, "s")
    return (duration, *motion.metrics(), *belts.metrics())


def measure_difference(
    log: Log, reference: Log, thresholds: Iterable[float] = THRESHOLDS
) -> tuple[Metric, ...]:
    """Return the distance of a run from a reference, and when it diverges.

    `thresholds` are distances at which the two count as diverged [m]. The result is empty if one of
    the two has no poses; InvalidValue if they do not overlap in time.
    """
    comparison = compare_runs(log, reference)
    if comparison is None:
        return ()
    position, yaw = comparison.position, comparison.yaw
    return (
        Metric("largest gap to the reference run", position.max, "m"),
        Metric("mean gap to the reference run", position.mean, "m"),
        Metric("final gap to the reference run", position.final, "m"),
        Metric("rms difference of yaw", yaw.rms, "rad"),
        *(
            Metric(f"diverged by {100 * found.threshold:g} cm at", found.time, "s")
            for found in find_divergences(comparison, thresholds)
        ),
    )


def is_fused(log: Log) -> bool:
    """Return whether a log holds the states of a Kalman filter."""
    return any(name.startswith("fused.") for name in log)


def fused_states(log: Log) -> dict[str, dict[str, Any]]:
    """Return value and standard deviation of each state at the end of a fused log.

    A state that only the drive shows is `known` once its deviation is half that at the start.
    """
    found = {}
    for name in STATE_NAMES:
        deviations = log[f"fused.{name}_deviation"]
        first, last = float(deviations[0]), float(deviations[-1])
        found[name] = {
            "value": float(log[f"fused.{name}"][-1]),
            "deviation": last,
            "unit": STATE_UNITS[name],
            "known": name not in LEARNT or last <= LEARNT_SHARE * first,
        }
    return found


@dataclass
class _Mean:
    """Running sum, maximum and count."""

    total: float = 0.0
    largest: float = 0.0
    count: int = 0

    def add(self, values: NDArray[np.float64]) -> None:
        if values.size:
            self.total += float(values.sum())
            self.largest = max(self.largest, float(values.max()))
            self.count += values.size

    @property
    def mean(self) -> float:
        return self.total / self.count


class _MotionMetrics:
    """Metrics of the motion of the body."""

    def __init__(self, path: Path | None) -> None:
        self._path, self._error, self._pitch = path, _Mean(), _Mean()
        self._distance, self._yaw = 0.0, np.empty(0)
        self._last: NDArray[np.float64] | None = None

    def add(self, log: Log) -> None:
        places = _places(log)
        if len(places):
            line = places if self._last is None else np.concatenate((self._last[None], places))
            self._distance += float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
            self._last = places[-1].copy()
            if self._path is not None:
                self._error.add(np.asarray(self._path.distance(places[:, 0], places[:, 1])))
        if "yaw" in log and (yaw := _known(log["yaw"])).size:
            self._yaw = yaw[-1:].copy()
        if "pitch" in log:
            self._pitch.add(np.abs(_known(log["pitch"])))

    def metrics(self) -> Iterator[Metric]:
        if self._last is not None:
            yield Metric("distance driven", self._distance, "m")
            for name, value in zip("xyz", self._last, strict=False):
                yield Metric(f"final {name}", float(value), "m")
            if self._yaw.size:
                yield Metric("final yaw", float(self._yaw[0]), "rad")
        if self._path is not None and self._last is not None:
            yield Metric("mean cross-track error", self._error.mean, "m")
            yield Metric("largest cross-track error", self._error.largest, "m")
            end_x, end_y, _ = self._path.at(self._path.length)
            gap = float(np.hypot(self._last[0] - end_x, self._last[1] - end_y))
            yield Metric("final distance to the end of the path", gap, "m")
        if self._pitch.count:
            yield Metric("largest |pitch|", self._pitch.largest, "rad")


class _BeltMetrics:
    """Metrics of the belts."""

    def __init__(self) -> None:
        self._slips: dict[str, _Mean] = {}
        self._speed = _Mean()

    def add(self, log: Log) -> None:
        for drive in log.drives:
            slip = log[f"slip.{drive}"] if f"slip.{drive}" in log else np.empty(0)
            if f"belt_speed.{drive}" in log and len(slip):
                slip = slip[np.abs(log[f"belt_speed.{drive}"]) >= MIN_BELT_SPEED]
            self._slips.setdefault(drive, _Mean()).add(_known(slip))
        for name in log:
            if name.startswith("belt_speed."):
                self._speed.add(np.abs(_known(log[name])))

    def metrics(self) -> Iterator[Metric]:
        for drive, slip in self._slips.items():
            if slip.count:
                yield Metric(f"mean slip {drive}", slip.mean, "1")
        if self._speed.count:
            yield Metric("largest belt speed", self._speed.largest, "m/s")


def _places(log: Log) -> NDArray[np.float64]:
    """Return the positions (n, 2) or, if the log has heights, (n, 3) [m]."""
    if "x" not in log or "y" not in log:
        return np.empty((0, 2))
    names = [name for name in "xyz" if name in log]
    places = np.stack([log[name] for name in names], axis=-1)
    return places[np.isfinite(places).all(axis=1)]


def _known(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values[np.isfinite(values)]


def divergence_mark(
    divergence: Divergence, x: float, y: float, name: str, names: Sequence[str]
) -> Mark:
    """Return a mark for the divergence of a run from the first of `names`, in its colour."""
    gaps = " and ".join(f"{threshold:g}" for threshold in THRESHOLDS)
    return Mark(
        symbol="divergence",
        x=x,
        y=y,
        colour=line_colour(names.index(name)),
        name=f"{gaps} m from {names[0]}",
        words=f"{name}: {divergence.threshold:g} m from {names[0]} at {divergence.time:.4g} s",
    )
