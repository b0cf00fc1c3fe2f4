"""Environments: many at once beside a Python loop over single ones."""

import time
from collections.abc import Callable

import numpy as np

from grouser.bench.case import Case, Probe, Sample
from grouser.bench.choice import Choice

ROBOTS = 16
STEPS = 10
"""Actions of each robot in one measurement."""
TASKS = (
    ("FlatTracking", "slip"),
    ("FlatTracking", "tankbot"),
    ("FlatTracking", "csm:boxes=1"),
    ("StairsUp", "csm:boxes=1"),
)
"""Task and model; the simplest model first."""
ENDLESS, WIDE = 1e6, 1e3
"""Nothing ends while it is measured: time [s], and way off the path [m]."""


def environment_cases(choice: Choice) -> list[Case]:
    """Return a loop and a vector environment for each task and model."""
    cases, steps = [], max(round(choice.share * STEPS), 1)
    for task, model in TASKS:
        for words, start in ((f"{ROBOTS} in a loop", _loop), (f"vector of {ROBOTS}", _vector)):
            cases.append(
                Case(
                    name=f"{task}, {model}: {words}",
                    reference=f"{task}, {model}: {ROBOTS} in a loop",
                    start=lambda start=start, task=task, model=model: start(task, model, steps),
                )
            )
    return cases


def _loop(task: str, model: str, steps: int) -> Probe:
    from grouser.envs import TrackedEnv

    singles = [
        TrackedEnv(task, model=model, duration=ENDLESS, corridor=WIDE) for _ in range(ROBOTS)
    ]
    for number, env in enumerate(singles):
        env.reset(seed=number)
    actions = _actions((ROBOTS, *(singles[0].action_space.shape or ())))

    def act() -> None:
        for env, action in zip(singles, actions, strict=True):
            *_, ended, stopped, _ = env.step(action)
            if ended or stopped:  # many at once begin anew by themselves
                env.reset()

    return _probe(act, steps)


def _vector(task: str, model: str, steps: int) -> Probe:
    from grouser.envs import TrackedVectorEnv

    envs = TrackedVectorEnv(ROBOTS, task, model=model, duration=ENDLESS, corridor=WIDE)
    envs.reset(seed=0)
    actions = _actions(envs.action_space.shape or ())
    return _probe(lambda: envs.step(actions), steps)


def _actions(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).uniform(0.0, 0.4, shape).astype(np.float32)


def _probe(act: Callable[[], object], steps: int) -> Probe:
    def measure() -> Sample:
        begin = time.perf_counter()
        for _ in range(steps):
            act()
        passed = max(time.perf_counter() - begin, 1e-9)
        return Sample(value=ROBOTS * steps / passed, step=passed / (ROBOTS * steps))

    return measure
