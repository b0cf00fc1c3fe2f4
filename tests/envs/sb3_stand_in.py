"""The abstract class of Stable-Baselines3 that `grouser.envs.sb3` fills in, without that package.

`make test` does not install Stable-Baselines3, which needs torch. `tests/learn`, run by
`make learn`, compares this class with the real one.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from types import ModuleType
from typing import Any


class Monitor:
    """Stands in for the wrapper that records episodes."""


class VecEnv(ABC):
    """Has the abstract methods of the real class, and those that use its seeds and indices."""

    def __init__(self, num_envs: int, observation_space: Any, action_space: Any) -> None:
        self.num_envs = num_envs
        self.observation_space, self.action_space = observation_space, action_space
        self.reset_infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        self._reset_seeds()
        self._reset_options()
        self.render_mode = self.get_attr("render_mode")[0]

    def _reset_seeds(self) -> None:
        self._seeds: list[int | None] = [None] * self.num_envs

    def _reset_options(self) -> None:
        self._options: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]

    def seed(self, seed: int) -> list[int | None]:
        self._seeds = [seed + index for index in range(self.num_envs)]
        return self._seeds

    def step(self, actions: Any) -> Any:
        self.step_async(actions)
        return self.step_wait()

    def _get_indices(self, indices: Any) -> Iterable[int]:
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, int) else indices

    @abstractmethod
    def reset(self) -> Any: ...

    @abstractmethod
    def step_async(self, actions: Any) -> None: ...

    @abstractmethod
    def step_wait(self) -> Any: ...

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]: ...

    @abstractmethod
    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None: ...

    @abstractmethod
    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]: ...

    @abstractmethod
    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]: ...


def modules() -> dict[str, ModuleType]:
    """Return the modules that `grouser.envs.sb3` imports, by name."""
    names = ("stable_baselines3", "stable_baselines3.common", "stable_baselines3.common.monitor",
             "stable_baselines3.common.vec_env")  # fmt: skip
    made = {name: ModuleType(name) for name in names}
    made[names[2]].__dict__["Monitor"] = Monitor
    made[names[3]].__dict__["VecEnv"] = VecEnv
    return made
