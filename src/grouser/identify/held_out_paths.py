"""A sample of held-out predictions as paths from a common start, observed and predicted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Array, rotate
from grouser.identify.fit import Fit
from grouser.identify.judge import TURNED_SHARE, Cases, HoldOut

SHOWN = 12
"""Number of paths of a sample."""
MOST_POINTS = 120
"""Largest number of points of a path."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldOutPath:
    """One prediction; both paths begin at the origin, the observed one towards +x."""

    observed: Array
    """Observed x and y (2, point) [m]."""
    predicted: Array
    """Predicted x and y (2, point) [m]."""
    length: float
    """Time from start to end [s]."""
    error: float
    """Distance of the ends as judged [m]."""
    heading_error: float
    """Size of the heading error as judged; NaN if headings were not observed [rad]."""


def sample_paths(fit: Fit, count: int = SHOWN) -> tuple[HeldOutPath, ...]:
    """Return predictions at the longest horizon, from the least error to the largest.

    They are spread evenly over the order of the errors. There are none if positions were not
    observed, or for steady states.
    """
    hold, cases = fit.hold_out, fit.hold_out.cases
    if cases is None or not hold.predicted.size:
        return ()
    judged = np.flatnonzero((cases.horizon == cases.judged) & np.isfinite(hold.position_errors))
    if not judged.size:
        return ()
    order = judged[np.argsort(hold.position_errors[judged])]
    rows = np.unique(np.linspace(0, order.size - 1, min(count, order.size)).round().astype(int))
    return tuple(_path(hold, cases, int(case)) for case in order[rows])


def _path(hold: HoldOut, cases: Cases, case: int) -> HeldOutPath:
    observed, predicted = hold.observed, hold.predicted
    rows = np.arange(cases.start[case, 0], cases.end[case, 0] + 1)
    rows = rows[np.isfinite(observed[:2, rows]).all(axis=0)]
    rows = rows[np.isfinite(predicted[:2, rows]).all(axis=0)]
    begin = cases.start[case][cases.start[case] >= 0]
    heading = _heading(observed, rows, begin)
    to = begin if np.isfinite(observed[2, begin]).all() else _first_part(rows)
    turn = _turn(observed, predicted, to)
    ours = np.stack(rotate(observed[0], observed[1], -heading))
    theirs = np.stack(rotate(predicted[0], predicted[1], turn - heading))
    shown = rows[:: max(rows.size // MOST_POINTS, 1)]
    ours, theirs = (
        path[:, shown] - np.median(path[:, begin], axis=1)[:, None] for path in (ours, theirs)
    )
    return HeldOutPath(
        observed=ours, predicted=theirs, length=float(cases.length[case]),
        error=float(hold.position_errors[case]),
        heading_error=abs(float(hold.heading_errors[case])),
    )  # fmt: skip


def _first_part(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    return rows[: max(int(TURNED_SHARE * rows.size), 2)]


def _heading(observed: Array, rows: NDArray[np.intp], begin: NDArray[np.intp]) -> float:
    """Return the observed heading at the start, or the direction of the path without one [rad]."""
    if np.isfinite(observed[2, begin]).all():
        return float(np.angle(np.mean(np.exp(1j * observed[2, begin]))))
    x, y = observed[:2, _first_part(rows)]
    return float(np.arctan2(y[-1] - y[0], x[-1] - x[0]))


def _turn(observed: Array, predicted: Array, rows: NDArray[np.intp]) -> float:
    """Return the angle that rotates the predicted start onto the observed one [rad]."""
    if np.isfinite(observed[2, rows]).all():
        return float(np.angle(np.mean(np.exp(1j * (observed[2, rows] - predicted[2, rows])))))
    ours, theirs = (path[0, rows] + 1j * path[1, rows] for path in (observed, predicted))
    return float(np.angle(np.vdot(theirs - theirs.mean(), ours - ours.mean())))
