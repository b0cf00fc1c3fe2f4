"""Whether a fit can be believed: signs that the family, the columns or the clocks are wrong.

Intervals say how far noise may have moved a parameter. They do not say that an encoder is dead, a
sign is turned, or that the track is that of another drive: then parameters run to their limits, or
much of the motion stays unexplained, however sure they look.
"""

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import wrap_angle
from grouser.identify.middle_angle import middle_angle
from grouser.identify.record import Record
from grouser.identify.soft_loss import soft_weights
from grouser.identify.solve_robustly import Solution
from grouser.identify.windows import Windows

Array = NDArray[np.float64]
OUTLIER = 4.0
"""Residual over its scale from which on it counts as a gross error [1]."""
MOST_OUTLIERS = 0.2
"""Share of gross errors from which on a fit is not believed [1]."""
MOST_UNEXPLAINED = 0.3
"""Share of the motion that a family may leave unexplained, rms [1]."""
AT_LIMIT = 1e-6
"""Distance from a limit, over the span, that is none [1]."""
ADVICE = "check the columns, signs and clocks of the log, or take another family"


def share_of_outliers(solution: Solution) -> float:
    """Return the share of the numbers that are gross errors [1]."""
    measured = solution.residuals[solution.misfit.measured]
    return float(np.mean(np.abs(measured) > OUTLIER)) if measured.size else 0.0


def find_doubts(solution: Solution, free: list[int]) -> tuple[str, ...]:
    """Return in sentences why a fit should not be believed; nothing if it may be.

    Args:
        solution: The fit.
        free: Places of the parameters that were found.
    """
    if not free:
        return ()
    found = []
    for place in free:
        parameter, value = solution.misfit.parameters[place], float(solution.values[place])
        if min(value - parameter.low, parameter.high - value) <= AT_LIMIT * parameter.span:
            found.append(
                f"{parameter.name} ran to {value:.4g} {_unit(parameter.unit)}, the end of its "
                f"range: {ADVICE}."
            )
    if (outliers := share_of_outliers(solution)) > MOST_OUTLIERS:
        found.append(
            f"{100.0 * outliers:.0f} % of the numbers do not fit the others (gross errors; at most "
            f"{100.0 * MOST_OUTLIERS:.0f} % are believed): {ADVICE}."
        )
    if (left := share_unexplained(solution)) > MOST_UNEXPLAINED:
        found.append(
            f"{100.0 * left:.0f} % of the motion stays unexplained (at most "
            f"{100.0 * MOST_UNEXPLAINED:.0f} % are believed): {ADVICE}."
        )
    return tuple(found)


def share_unexplained(solution: Solution) -> float:
    """Return what is left of the motion, over the motion that was observed or that belts made.

    Root mean squares, gross errors left out; angles count by half the gauge, so that one number
    holds for straights and for turns [1].
    """
    misfit = solution.misfit
    raw = solution.residuals * solution.scale[misfit.channel]
    weights = np.where(misfit.measured, soft_weights(solution.residuals), 0.0)
    lever = 0.5 * misfit.setting.gauge
    left = motion = belts = total = 0.0
    begin = 0
    for record, windows in zip(misfit.records, misfit.windows, strict=True):
        rows = windows.rows.size
        for name, seen in zip(record.observation.channels, _motions(record, windows), strict=True):
            scale = lever if "yaw" in name else 1.0
            weight = weights[begin : begin + rows]
            left += float(np.sum(weight * (scale * raw[begin : begin + rows]) ** 2))
            motion += float(np.sum(weight * (scale * seen) ** 2))
            total += float(np.sum(weight)) / len(record.observation.channels)
            begin += rows
        belts += rows * _belt_motion(record, windows)
    count = max(sum(windows.rows.size for windows in misfit.windows), 1)
    known = max(motion / max(total, 1e-12), belts / count)
    return float(np.sqrt(left / max(total, 1e-12) / known)) if known > 0.0 else 0.0


def _motions(record: Record, windows: Windows) -> list[Array]:
    """Return what was observed, for each channel: places and headings about those of a window."""
    seen = record.observation
    if seen.kind in ("twist", "gyro"):
        return [np.nan_to_num(row) for row in seen.values[:, windows.rows]]
    found = []
    for name, row in zip(seen.channels, seen.values[:, windows.rows], strict=True):
        about = np.zeros(row.size)
        for window in range(len(windows)):
            inside = (windows.number == window) & np.isfinite(row)
            if inside.any():
                part = row[inside]
                about[inside] = (
                    wrap_angle(part - middle_angle(part)) if name == "yaw" else part - part.mean()
                )
        found.append(about)
    return found


def _belt_motion(record: Record, windows: Windows) -> float:
    """Return the mean square of what belts alone would have moved: speeds, or ways in a window."""
    speed = float(np.mean(np.square((record.left, record.right))))
    if record.observation.kind in ("twist", "gyro") or not windows.rows.size:
        return speed
    times = record.observation.time[windows.rows]
    ends = np.append(windows.starts[1:], times.size) - 1
    return speed * float(np.mean(np.square(times[ends] - times[windows.starts]))) / 12.0


def _unit(unit: str) -> str:
    return "" if unit == "1" else unit
