"""Environments: steps of all robots per second of processor time; what starts and resets cost."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.bench.cases import ENDLESS, WIDE
from grouser.envs import TASKS, TrackedEnv, TrackedVectorEnv

CASES = (*((task, "csm") for task in TASKS), ("FlatTracking", "slip"), ("FlatTracking", "tankbot"))
"""Task and model."""
ROBOTS = (1, 64, 256, 1024)
"""Robots at once; one of them is a `TrackedEnv`."""
SECONDS, STEPS = 0.3, 30
"""Processor time [s] and steps [1] after which a measurement ends; no robot is at its goal by then.
"""
FEW = 8
"""Robots that are reset among all the others."""
BEFORE = {"FlatTracking": 339.0, "StairsUp": 268.0, "StairsDown": 230.0, "StepClimbing": 257.0,
          "RoughTerrain": 251.0}  # fmt: skip
"""Steps per second of 64 robots by csm before robots were computed in lanes (commit 2ec748b, same
measurement on the same two cores) [1/s]."""
OF_BEFORE = 64
"""Robots of `BEFORE`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentRow:
    """One line of the table."""

    task: str
    """Its name."""
    model: str
    """Reference of the model."""
    robots: int
    """How many at once."""
    steps_per_second: float
    """Steps of all robots over processor time [1/s]."""
    before: float | None
    """That before robots were computed in lanes; None if not measured [1/s]."""
    model_share: float
    """Share of the processor time in the model's ticks; the rest is Python and numpy [1]."""
    start: float
    """Processor time in which all robots start, when everything is compiled [s]."""
    reset: float | None
    """Processor time in which `FEW` robots among all the others start again; None if not many
    [s]."""


def measure_environments() -> Iterator[EnvironmentRow]:
    """Yield all lines."""
    for task, model in CASES:
        for robots in ROBOTS:
            yield _measure(task, model, robots)


def _measure(task: str, model: str, robots: int) -> EnvironmentRow:
    options: dict[str, Any] = {"model": model, "duration": ENDLESS, "corridor": WIDE}
    envs: Any = (
        TrackedVectorEnv(robots, task, **options) if robots > 1 else TrackedEnv(task, **options)
    )
    envs.reset(seed=0)  # compiles
    start = _time(lambda: envs.reset(seed=0))
    ticks = _count_time(envs.simulation.plant if robots == 1 else envs._fleet._plant)
    shape = envs.action_space.shape
    actions = np.random.default_rng(0).uniform(0.0, 0.4, shape).astype(np.float32)
    envs.step(actions)
    steps, passed, ticks[0] = 0, 0.0, 0.0
    while passed < SECONDS and steps < STEPS:
        passed += _time(lambda: envs.step(actions))
        steps += 1
    reset = None
    if robots > 1:
        mask = np.arange(robots) % (robots // FEW) == 0
        reset = _time(lambda: envs.reset(options={"reset_mask": mask}))
    return EnvironmentRow(
        task=task,
        model=model,
        robots=robots,
        steps_per_second=robots * steps / passed,
        before=BEFORE.get(task) if model == "csm" and robots == OF_BEFORE else None,
        model_share=ticks[0] / passed,
        start=start,
        reset=reset,
    )


def _time(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return max(time.process_time() - begin, 1e-9)


def _count_time(plant: Any) -> list[float]:
    """Return a list of the time spent in a plant's ticks, which grows with them [s]."""
    world, name = (plant.world, "drive") if hasattr(plant, "world") else (plant, "advance")
    passed, tick = [0.0], getattr(world, name)

    def timed(*arguments: Any) -> None:
        passed[0] += _time(lambda: tick(*arguments))

    setattr(world, name, timed)
    return passed
