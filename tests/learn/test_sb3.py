"""The `VecEnv` with the real Stable-Baselines3: run by `make learn`, not by `make test`."""

import inspect
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecMonitor, VecNormalize

from grouser.envs import TASKS, TrackedEnv
from grouser.envs.sb3 import Sb3VecEnv, make_sb3
from tests.envs import sb3_stand_in
from tests.needs_opengl import needs_opengl

COUNT = 3
OPTIONS: dict[str, Any] = {"task": "FlatTracking", "model": "slip", "duration": 1.2,
                           "corridor": 0.02}  # fmt: skip


def make_both(**changes: Any) -> tuple[Sb3VecEnv, DummyVecEnv]:
    options = OPTIONS | changes
    single = [lambda: Monitor(TrackedEnv(**options)) for _ in range(COUNT)]
    return make_sb3(num_envs=COUNT, **options), DummyVecEnv(single)  # type: ignore[arg-type]


def drive(envs: VecEnv, steps: int = 40) -> list[Any]:
    """Return all that an environment returned, without the wall time of episodes."""
    generator, told = np.random.default_rng(3), []
    envs.seed(5)
    told.append(envs.reset())
    for _ in range(steps):
        shape = (envs.num_envs, *envs.action_space.shape)  # type: ignore[misc]
        told.append(envs.step(generator.uniform(-1.0, 1.0, shape).astype(np.float32)))
        told.append(list(envs.reset_infos))
    for step in told:
        for info in step[3] if isinstance(step, tuple) else ():
            info.get("episode", {}).pop("t", None)
    return told


@pytest.mark.parametrize("observation", [(), ("imu", "encoder")])
def test_it_equals_a_dummy_of_single_environments_number_for_number(observation: tuple[str, ...]):
    ours, theirs = (drive(envs) for envs in make_both(observation=observation))
    assert sum("episode" in info for step in ours[1::2] for info in step[3]) >= 3
    for a, b in zip(ours, theirs, strict=True):
        assert data_equivalence(a, b, exact=True)


def test_seeds_are_used_once_and_differ_by_robot():
    envs = make_both()[0]
    assert list(envs.seed(4)) == [4, 5, 6]
    first, second = envs.reset(), envs.reset()
    envs.seed(4)
    assert np.array_equal(first, envs.reset())
    assert not np.array_equal(first, second)
    assert not np.array_equal(first[0], first[1])


def test_attributes_and_methods_have_the_indices_of_a_vec_env():
    ours, theirs = make_both()
    for indices in (None, 1, [0, 2]):
        assert ours.get_attr("actions", indices) == theirs.get_attr("actions", indices)
        for wrapper in (Monitor, gymnasium.wrappers.TimeLimit):
            assert ours.env_is_wrapped(wrapper, indices) == theirs.env_is_wrapped(wrapper, indices)
    ours.set_attr("level", 2, indices=[1])
    assert ours.env_method("has_wrapper_attr", "level") == [False, True, False]
    assert (ours.has_attr("spec"), ours.has_attr("nothing")) == (True, False)


@pytest.mark.parametrize("task", TASKS)
def test_a_single_environment_passes_the_checks_of_stable_baselines(task: str):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(TrackedEnv(task, model="csm"))
        if task == "FlatTracking":
            check_env(TrackedEnv(task, model="slip", observation=("imu", "encoder")))


def test_wrappers_of_stable_baselines_work_on_it():
    envs = VecNormalize(make_both()[0])
    told = drive(envs, 5)
    assert np.abs(told[-2][0]).max() <= envs.clip_obs
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        VecMonitor(make_both()[0])


@pytest.mark.parametrize("kind", [PPO, SAC])
def test_a_learner_reads_returns_lengths_and_successes(kind: Any):
    envs = make_both(goal=0.03, corridor=0.15)[0]
    options = {"n_steps": 16, "batch_size": 16} if kind is PPO else {"learning_starts": 30}
    model = kind("MlpPolicy", envs, seed=1, device="cpu", policy_kwargs={"net_arch": [16]},
                 **options)  # fmt: skip
    model.learn(96)
    assert len(model.ep_info_buffer) >= 3
    assert {"r", "l", "t"} == set(model.ep_info_buffer[0])
    assert len(model.ep_success_buffer) == len(model.ep_info_buffer)


def test_a_policy_is_evaluated_without_a_warning():
    envs = make_both()[0]
    model = PPO("MlpPolicy", envs, n_steps=8, batch_size=8, device="cpu")
    returns, lengths = evaluate_policy(model, envs, 6, return_episode_rewards=True)
    assert len(returns) == len(lengths) == 6  # type: ignore[arg-type]
    assert max(lengths) <= 12  # type: ignore[type-var]


@needs_opengl
def test_pictures_are_tiled():
    envs = make_both(render_mode="rgb_array")[0]
    envs.reset()
    picture = envs.render()
    assert picture is not None
    assert picture.shape == (2 * 360, 2 * 640, 3)
    envs.close()


def test_the_stand_in_of_other_tests_has_the_methods_of_the_real_class():
    real, stand_in = VecEnv, sb3_stand_in.VecEnv
    assert stand_in.__abstractmethods__ == real.__abstractmethods__
    for name in ("__init__", "seed", "_reset_seeds", "_reset_options", "_get_indices",
                 *real.__abstractmethods__):  # fmt: skip
        parameters = [
            list(inspect.signature(getattr(kind, name)).parameters) for kind in (real, stand_in)
        ]
        assert parameters[0] == parameters[1], name
