"""What the drive itself tells of parameters, without what only noise of the belts seems to tell.

Steps of encoders and noise of belt speeds vary as fast as they can: beside them a robot that drives
on at one speed looks as if it changed its speed all the time. What parameters that explain such
changes are worth is worse than nothing, so directions count only in which slow belts tell more
than the ripple about them does.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grouser.identify.families.kinematic import average_sides
from grouser.identify.intervals import safe_inverse
from grouser.identify.misfit import Misfit
from grouser.identify.record import Record
from grouser.identify.soft_loss import curvature
from grouser.identify.solve_robustly import Solution, solve_robustly

Array = NDArray[np.float64]


def excited_deviations(solution: Solution, free: list[int]) -> Array:
    """Return the standard error of each free parameter, over its span, by slow belts alone [1].

    The offset of clocks, which lives of fast changes, has 0 here; so have parameters of families
    that are simulated, whose bodies are slow by themselves.

    Args:
        solution: Where.
        free: Places of the parameters.
    """
    misfit, found = solution.misfit, np.zeros(len(free))
    rows = [k for k, p in enumerate(free) if misfit.parameters[p].name != "time_offset"]
    if misfit.family.is_simulated or not rows:
        return found
    calm = Misfit(misfit.family, tuple(map(_calm, misfit.records)), misfit.windows, misfit.setting)
    places = [free[row] for row in rows]
    slow = solve_robustly(calm, solution.values, places, most_steps=0)
    slopes = slow.jacobian * (slow.scale / solution.scale)[misfit.channel, None]
    ripple = solution.jacobian[:, rows] - slopes
    curved = np.maximum(curvature(solution.residuals), 0.0)[:, None]
    told = slopes.T @ (curved * slopes) - ripple.T @ (curved * ripple)
    values, vectors = np.linalg.eigh(told)
    inverse = safe_inverse((vectors * np.maximum(values, 0.0)) @ vectors.T)
    found[rows] = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    return found


def _calm(record: Record) -> Record:
    left, right = average_sides(record)
    return replace(record, left=left, right=right)
