"""Episodes of a vector environment in the form of Stable-Baselines3, without that package.

A robot whose episode ends restarts in the same step: its row is the first observation of its next
episode, the last one of the old episode is `terminal_observation` of its `info`.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from grouser.envs.vector_env import TrackedVectorEnv
from grouser.errors import InvalidValue

SHARED = {
    "action_space": "single_action_space",
    "actions": "actions",
    "loaded": "loaded",
    "metadata": "metadata",
    "observation_space": "single_observation_space",
    "observations": "observations",
    "render_mode": "render_mode",
    "spec": "spec",
}
"""Attributes of an environment of one robot, and of the vector environment that holds them."""


class Episodes:
    """Steps of all robots with an `info` for each, and the return and length of each episode."""

    def __init__(self, envs: TrackedVectorEnv) -> None:
        """Wrap an environment.

        Args:
            envs: The environment; its robots must restart in the step in which an episode ends.

        Raises:
            InvalidValue: They restart at another time.
        """
        if envs.autoreset_mode != AutoresetMode.SAME_STEP:
            mode = AutoresetMode.SAME_STEP.value
            raise InvalidValue("autoreset_mode", envs.autoreset_mode.value, f"be {mode!r}")
        self.envs, count = envs, envs.num_envs
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(count)]
        """`info` of the start of each robot's episode."""
        self._own: list[dict[str, Any]] = [{} for _ in range(count)]
        self._returns, self._lengths = np.zeros(count), np.zeros(count, dtype=np.int64)
        self._began = time.perf_counter()

    def reset(self, seeds: Sequence[int | None]) -> NDArray[np.float32]:
        """Start an episode of every robot; return the observations.

        Args:
            seeds: One per robot; None goes on with the random numbers of its last episode.
        """
        observations, infos = self.envs.reset(seed=seeds)
        self.reset_infos = split_infos(infos)
        self._returns[:], self._lengths[:] = 0.0, 0
        return observations

    def step(
        self, actions: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Apply actions for a period; return observations, rewards, ends of episodes and `info`."""
        observations, rewards, terminated, truncated, told = self.envs.step(actions)
        final = {name: told.pop(name, None) for name in ("final_obs", "final_info")}
        infos, over = split_infos(told), terminated | truncated
        self._returns += rewards
        self._lengths += 1
        for info in infos:
            info["TimeLimit.truncated"] = False
        if over.any():
            lasts = split_infos(final["final_info"])  # type: ignore[arg-type]
            for robot in np.flatnonzero(over).tolist():
                self.reset_infos[robot] = infos[robot]
                del infos[robot]["TimeLimit.truncated"]
                infos[robot] = lasts[robot] | {
                    "TimeLimit.truncated": bool(truncated[robot] and not terminated[robot]),
                    "terminal_observation": final["final_obs"][robot],  # type: ignore[index]
                    "episode": self._finish(robot),
                }
        return observations, rewards.astype(np.float32), over, infos

    def _finish(self, robot: int) -> dict[str, float | int]:
        """Return the return, the length and the time of an episode that ended [1, steps, s]."""
        passed = time.perf_counter() - self._began
        done: dict[str, float | int] = {
            "r": round(float(self._returns[robot]), 6),
            "l": int(self._lengths[robot]),
            "t": round(passed, 6),
        }
        self._returns[robot], self._lengths[robot] = 0.0, 0
        return done

    def get_attribute(self, name: str, robots: Sequence[int]) -> list[Any]:
        """Return an attribute for each of some robots.

        Raises:
            AttributeError: There is none of that name.
        """
        if name in SHARED:
            return [getattr(self.envs, SHARED[name]) for _ in robots]
        for robot in robots:
            if name not in self._own[robot]:
                known = ", ".join(sorted({*SHARED, *self._own[robot]}))
                raise AttributeError(f"no attribute named {name!r}; available: {known}")
        return [self._own[robot][name] for robot in robots]

    def set_attribute(self, name: str, value: Any, robots: Sequence[int]) -> None:
        """Keep a value of your own for some robots.

        Raises:
            InvalidValue: It is an attribute that all robots share.
        """
        if name in SHARED:
            required = "be a name of your own: robots of a vector environment share this one"
            raise InvalidValue("attr_name", name, required)
        for robot in robots:
            self._own[robot][name] = value

    def call(self, name: str, robots: Sequence[int], *arguments: Any, **options: Any) -> list[Any]:
        """Return what a method returns for each of some robots.

        Raises:
            AttributeError: An environment of one robot has it, this one does not.
        """
        methods = {
            "get_wrapper_attr": lambda robot, of: self.get_attribute(of, [robot])[0],
            "has_wrapper_attr": lambda robot, of: of in SHARED or of in self._own[robot],
            "render": lambda robot: self.envs.render_robot(robot),
        }
        if name not in methods:
            raise AttributeError(f"no method named {name!r}; available: {', '.join(methods)}")
        return [methods[name](robot, *arguments, **options) for robot in robots]


def split_infos(infos: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the `info` of each robot, from arrays by name; masks `_name` are left out."""
    values = {name: value for name, value in infos.items() if not name.startswith("_")}
    columns = [
        split_infos(value) if isinstance(value, Mapping) else value.tolist()
        for value in values.values()
    ]
    return [dict(zip(values, row, strict=True)) for row in zip(*columns, strict=True)]
