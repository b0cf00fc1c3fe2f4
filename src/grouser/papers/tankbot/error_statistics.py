"""Errors of a model against a robot, in the layout of P3's Table 4."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grouser.errors import InvalidValue
from grouser.log import Log

STATES = {
    "x": ("x", "m", 1.0),
    "dx/dt": ("x_rate", "m/s", 1.0),
    "y": ("y", "m", 1.0),
    "dy/dt": ("y_rate", "m/s", 1.0),
    "psi": ("yaw", "deg", float(np.rad2deg(1.0))),
    "omega": ("yaw_rate", "rad/s", 1.0),
}
"""Column of a log, unit as printed and factor to it, by P3's name of the state."""
STATISTICS = ("max", "mean", "rms")
"""Largest, mean and root mean square of the error's size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsRow:
    """One row of the table: one statistic of one state, for every manoeuvre."""

    state: str
    """P3's name of the state."""
    statistic: str
    """Which of `STATISTICS`."""
    unit: str
    """Unit of the numbers."""
    values: Mapping[str, float]
    """The numbers by manoeuvre [unit as `unit` says]."""

    @property
    def largest(self) -> str:
        """The manoeuvre with the largest number, which P3 marks."""
        return max(self.values, key=lambda name: self.values[name])


def error_statistics(
    models: Mapping[str, Log], robots: Mapping[str, Log]
) -> tuple[StatisticsRow, ...]:
    """Return the table for logs of a model and of a robot, both by manoeuvre.

    Raises:
        InvalidValue: Two logs of a manoeuvre have different times.
    """
    errors: dict[str, dict[str, np.ndarray]] = {}
    for name, model in models.items():
        robot = robots[name]
        if len(robot) != len(model) or not np.allclose(robot.time, model.time, atol=1e-9):
            raise InvalidValue(f"log of {name!r}", len(robot), "have the times of the model's log")
        errors[name] = {
            state: np.abs(model[column] - robot[column]) * factor
            for state, (column, _, factor) in STATES.items()
        }
    reduce = {"max": np.max, "mean": np.mean, "rms": lambda e: np.sqrt(np.mean(e * e))}
    return tuple(
        StatisticsRow(
            state=state,
            statistic=statistic,
            unit=unit,
            values={name: float(reduce[statistic](of[state])) for name, of in errors.items()},
        )
        for state, (_, unit, _) in STATES.items()
        for statistic in STATISTICS
    )
