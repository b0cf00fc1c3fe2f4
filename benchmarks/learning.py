"""Steps per second that Stable-Baselines3 gets, beside its own ways to run many environments.

python -m benchmarks.learning [ROBOTS ...]      # needs the extra `learn`; 16 and 128 robots

All run one after the other in one process, with the same task, seeds and actions. A way with a
process for each robot is left out above 32 robots.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from stable_baselines3.common.monitor import Monitor  # pyright: ignore[reportMissingImports]
from stable_baselines3.common.vec_env import (  # pyright: ignore[reportMissingImports]
    DummyVecEnv,
    SubprocVecEnv,
)

from grouser.envs import TrackedEnv
from grouser.envs.sb3 import make_sb3

OPTIONS: dict[str, Any] = {"task": "StepClimbing", "speed": 0.3, "duration": 7.0,
                           "model": "csm:timestep=0.002"}  # fmt: skip
SECONDS, MOST_PROCESSES = 6.0, 32


def make_single() -> Monitor:
    return Monitor(TrackedEnv(**OPTIONS))


WAYS: dict[str, Callable[[int], Any]] = {
    "grouser.envs.sb3": lambda robots: make_sb3(num_envs=robots, **OPTIONS),
    "DummyVecEnv": lambda robots: DummyVecEnv([make_single] * robots),
    "SubprocVecEnv": lambda robots: SubprocVecEnv([make_single] * robots),
}


def measure(way: str, robots: int) -> float:
    """Return the steps of all robots per second of wall time [1/s]."""
    envs = WAYS[way](robots)
    envs.seed(1)
    envs.reset()
    actions = np.full((robots, *envs.action_space.shape), 0.3, np.float32)
    for _ in range(3):
        envs.step(actions)
    steps, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < SECONDS:
        envs.step(actions)
        steps += robots
    envs.close()
    return steps / passed


def main() -> None:
    for robots in [int(word) for word in sys.argv[1:]] or [16, 128]:
        for way in WAYS:
            if way != "SubprocVecEnv" or robots <= MOST_PROCESSES:
                print(f"{robots:5d} robots  {way:18s} {measure(way, robots):8.0f} steps/s")


if __name__ == "__main__":
    main()
