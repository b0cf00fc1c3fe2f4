"""The drive at one point of a map."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from grouser.drivers import Plan
from grouser.errors import NotFinite
from grouser.models import Command, Motion
from grouser.simulation import DEFAULT_DT, Simulation
from grouser.sweep.outcome import OUTCOMES, measure_outcomes
from grouser.sweep.setting import Setting
from grouser.sweep.work_meter import WorkMeter

PATIENCE = 5.0
"""Time without progress on a path that ends a drive [s]."""
LEAST = 1e-3
"""Share of a path that counts as progress [1]."""


def drive_point(setting: Mapping[str, Any]) -> dict[str, float]:
    """Return all outcomes by name; where the model has come apart, they are not numbers.

    Args:
        setting: The fields of a `Setting`.
    """
    chosen = Setting(**setting)
    robot, course, model = chosen.load()
    plan = chosen.plan(robot, course)
    simulation = Simulation(model, robot, course, dt=plan.dt or DEFAULT_DT, observers=[WorkMeter()])
    limit = plan.duration if chosen.duration is None else chosen.duration
    driver = plan.driver if plan.progress is None else Impatient(plan, plan.progress)
    try:
        with np.errstate(all="ignore"):
            simulation.run(driver, limit)
    except NotFinite:
        return dict.fromkeys(OUTCOMES, math.nan)
    return measure_outcomes(simulation.log(), course)


class Impatient:
    """A driver that gives up where a robot no longer gets on."""

    def __init__(self, plan: Plan, progress: Callable[[], float]) -> None:
        """Drive as planned, while `progress`, the share of a path, grows."""
        self._plan, self._progress = plan, progress
        self._farthest, self._since = 0.0, 0.0

    def __call__(self, time: float, motion: Motion) -> Command | None:
        """Return the command of the driver; None where it has been stuck for too long."""
        command = self._plan.driver(time, motion)
        along = self._progress()
        if along > self._farthest + LEAST:
            self._farthest, self._since = along, time
        return None if time - self._since > PATIENCE else command
