"""Many robots for Stable-Baselines3: a `VecEnv` over the vector environment.

Stable-Baselines3 does not accept vector environments of Gymnasium. All that is computed is in
`grouser.envs.episodes`; this module gives it the methods of a `VecEnv`.
"""

from typing import Any

from grouser.extras import require_extra

require_extra("learning with Stable-Baselines3", "learn", "stable_baselines3")

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor  # pyright: ignore[reportMissingImports]
from stable_baselines3.common.vec_env import VecEnv  # pyright: ignore[reportMissingImports]

from grouser.envs.episodes import Episodes
from grouser.envs.task import Task
from grouser.envs.vector_env import TrackedVectorEnv


class Sb3VecEnv(VecEnv):
    """A vector environment as Stable-Baselines3 uses it.

    Equal, number for number, to its `DummyVecEnv` over as many `Monitor(TrackedEnv(...))`: last
    observations, time limits, and returns and lengths of episodes are in `infos`.
    """

    def __init__(self, envs: TrackedVectorEnv) -> None:
        """Wrap an environment.

        Args:
            envs: The environment, with `autoreset_mode="SameStep"`; `make_sb3` makes one.

        Raises:
            InvalidValue: It has another mode.
        """
        self.episodes = Episodes(envs)
        self._actions: NDArray[np.float32] | None = None
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
        self.metadata = envs.metadata

    def reset(self) -> NDArray[np.float32]:
        """Start an episode of every robot, with the seeds of `seed` if that was called."""
        observations = self.episodes.reset(self._seeds)
        self.reset_infos = self.episodes.reset_infos
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[np.float32]) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Apply the actions; return observations, rewards, ends of episodes and `infos`."""
        assert self._actions is not None, "step_async comes first"
        return self.episodes.step(self._actions)

    def get_images(self) -> list[NDArray[np.uint8] | None]:
        """Return a picture of each robot; None without a render mode."""
        return list(self.episodes.envs.render() or [None] * self.num_envs)

    def close(self) -> None:
        """Close the camera and drop the robots."""
        self.episodes.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute for each robot."""
        return self.episodes.get_attribute(attr_name, list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Keep a value of your own for robots."""
        self.episodes.set_attribute(attr_name, value, list(self._get_indices(indices)))

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Return what a method returns for each robot."""
        robots = list(self._get_indices(indices))
        return self.episodes.call(method_name, robots, *method_args, **method_kwargs)

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """Return whether each robot has a wrapper: `Monitor` only, whose `info` is there."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]


def make_sb3(
    task: str | Task = "FlatTracking",
    num_envs: int = 1,
    *,
    render_mode: str | None = None,
    **changes: Any,
) -> Sb3VecEnv:
    """Return many robots with a task, for Stable-Baselines3.

    Args:
        task: Its name, or a task of your own.
        num_envs: Number of robots [1].
        render_mode: `rgb_array` for pictures.
        changes: Changed fields of the task, as for `TrackedEnv`.
    """
    mode = AutoresetMode.SAME_STEP
    return Sb3VecEnv(
        TrackedVectorEnv(num_envs, task, render_mode=render_mode, autoreset_mode=mode, **changes)
    )
