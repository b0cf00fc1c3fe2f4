"""Steps per second of environments: many at once beside a loop over single ones."""

import time
from dataclasses import dataclass

import numpy as np

from grouser.envs import TrackedEnv, TrackedVectorEnv

ROBOTS = 16
STEPS = 10
REPEATS = 3
CASES = (
    ("FlatTracking", "slip"),
    ("FlatTracking", "tankbot"),
    ("FlatTracking", "csm:boxes=1"),
    ("StairsUp", "csm:boxes=1"),
)
"""Task and model; the simplest model first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvRow:
    """One line of the table."""

    case: str
    """Task and model."""
    robots: int
    """How many at once."""
    single_steps_per_second: float
    """Steps of all robots in a Python loop over single environments [1/s]."""
    vector_steps_per_second: float
    """Steps of all robots in one vector environment [1/s]."""

    @property
    def ratio(self) -> float:
        """The second over the first [1]."""
        return self.vector_steps_per_second / self.single_steps_per_second


def measure_envs() -> list[EnvRow]:
    """Return all lines; loop and vector take turns, so that both share the noise."""
    return [_measure(task, model) for task, model in CASES]


def _measure(task: str, model: str) -> EnvRow:
    endless = {"duration": 1e6, "corridor": 1e3}
    envs = TrackedVectorEnv(ROBOTS, task, model=model, **endless)
    singles = [TrackedEnv(task, model=model, **endless) for _ in range(ROBOTS)]
    actions = np.random.default_rng(0).uniform(0.0, 0.4, envs.action_space.shape)  # type: ignore[arg-type]
    actions = actions.astype(np.float32)
    envs.reset(seed=0)
    for number, env in enumerate(singles):
        env.reset(seed=number)
    best = [0.0, 0.0]
    for _ in range(REPEATS):
        begin = time.perf_counter()
        for _ in range(STEPS):
            envs.step(actions)
        vector = ROBOTS * STEPS / (time.perf_counter() - begin)
        begin = time.perf_counter()
        for _ in range(STEPS):
            for env, action in zip(singles, actions, strict=True):
                env.step(action)
        single = ROBOTS * STEPS / (time.perf_counter() - begin)
        best = [max(best[0], single), max(best[1], vector)]
    return EnvRow(
        case=f"{task}, {model}",
        robots=ROBOTS,
        single_steps_per_second=best[0],
        vector_steps_per_second=best[1],
    )
