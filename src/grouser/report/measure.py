"""Numbers from logs: how a run went, and how far two runs are apart."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from grouser.description import Course, Path
from grouser.log import Log
from grouser.report.compare_runs import compare_runs
from grouser.report.divergence import THRESHOLDS, find_divergences
from grouser.report.metric import Metric
from grouser.report.restore_course import restore_course

STANDING_BELT = 1e-3
"""Belt speed below which a slip ratio says nothing [m/s]."""


def measure_run(log: Log, course: Course | None = None) -> tuple[Metric, ...]:
    """Return the numbers that tell how a run went; what the log does not hold is left out.

    Rows that are not finite do not count. Means are taken over rows.

    Args:
        log: The run.
        course: Where it was driven; without it, the course in the log's provenance, if any.
    """
    if course is None:
        course = restore_course(log)
    path = course.path if course else None
    return (
        Metric("duration", log.duration, "s"),
        *_measure_way(log),
        *(_measure_path(log, path) if path else ()),
        *_measure_attitude(log),
        *_measure_belts(log),
    )


def measure_difference(
    log: Log, reference: Log, thresholds: Iterable[float] = THRESHOLDS
) -> tuple[Metric, ...]:
    """Return how far a run is from a reference, and when it parts from it.

    Args:
        log: The run to judge.
        reference: What it is compared with.
        thresholds: Gaps at which the two count as parted [m].

    Returns:
        The numbers; none if one of the two has no poses.

    Raises:
        InvalidValue: The logs do not overlap in time.
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
            Metric(f"first more than {divergence.threshold:g} m apart", divergence.time, "s")
            for divergence in find_divergences(comparison, thresholds)
        ),
    )


def _measure_way(log: Log) -> Iterator[Metric]:
    places = _places(log)
    if not len(places):
        return
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    yield Metric("distance driven", float(steps.sum()), "m")
    for name, value in zip("xyz", places[-1], strict=False):
        yield Metric(f"final {name}", float(value), "m")
    if "yaw" in log and (yaw := _known(log["yaw"])).size:
        yield Metric("final yaw", float(yaw[-1]), "rad")


def _measure_path(log: Log, path: Path) -> Iterator[Metric]:
    places = _places(log)
    if not len(places):
        return
    error = np.asarray(path.distance(places[:, 0], places[:, 1]))
    yield Metric("mean cross-track error", float(error.mean()), "m")
    yield Metric("largest cross-track error", float(error.max()), "m")
    end_x, end_y, _ = path.at(path.length)
    gap = float(np.hypot(places[-1, 0] - end_x, places[-1, 1] - end_y))
    yield Metric("final distance to the end of the path", gap, "m")


def _measure_attitude(log: Log) -> Iterator[Metric]:
    if "pitch" in log and (pitch := _known(log["pitch"])).size:
        yield Metric("largest |pitch|", float(np.abs(pitch).max()), "rad")


def _measure_belts(log: Log) -> Iterator[Metric]:
    for drive in log.drives:
        slip = log[f"slip.{drive}"] if f"slip.{drive}" in log else np.empty(0)
        if f"belt_speed.{drive}" in log and len(slip):
            slip = slip[np.abs(log[f"belt_speed.{drive}"]) >= STANDING_BELT]
        if (slip := _known(slip)).size:
            yield Metric(f"mean slip {drive}", float(slip.mean()), "1")
    columns = [log[name] for name in log if name.startswith("belt_speed.")]
    if (speeds := _known(np.concatenate([*columns, np.empty(0)]))).size:
        yield Metric("largest belt speed", float(np.abs(speeds).max()), "m/s")


def _places(log: Log) -> NDArray[np.float64]:
    """Return the positions (n, 2) or, where the log knows heights, (n, 3) [m]."""
    if "x" not in log or "y" not in log:
        return np.empty((0, 2))
    names = [name for name in "xyz" if name in log]
    places = np.stack([log[name] for name in names], axis=-1)
    return places[np.isfinite(places).all(axis=1)]


def _known(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values[np.isfinite(values)]
