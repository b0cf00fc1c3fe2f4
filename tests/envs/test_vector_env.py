"""Many environments at once are as many single ones, bit for bit."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from grouser.envs import Randomisation, TrackedEnv, TrackedVectorEnv
from grouser.errors import InvalidValue, TickFailed
from tests.breaking import MESSAGE, register

COUNT, STEPS = 3, 14
EVERYTHING = Randomisation(
    friction=(0.6, 1.2), mass=(0.7, 1.4), gain=(0.9, 1.1), speed=(0.5, 1.0), offset=(-0.05, 0.05)
)
CASES: dict[str, dict[str, Any]] = {
    "csm": {"task": "StepClimbing", "model": "csm", "course": "step:height_m=0.05",
            "randomisation": EVERYTHING},
    "flippers by themselves": {"task": "StairsUp", "flippers": "auto"},
    "frictionless": {"task": "StairsUp", "model": "frictionless",
                     "randomisation": Randomisation(mass=(0.7, 1.4))},
    "csm with the engine's friction": {
        "task": "RoughTerrain", "model": "csm:engine=mujoco",
        "randomisation": EVERYTHING},
    "slip over a step": {"task": "FlatTracking", "model": "slip", "course": "behaviour-3",
                         "randomisation": Randomisation(gain=(0.9, 1.1))},
    "tankbot with a kick": {"task": "FlatTracking", "model": "tankbot", "course": "behaviour-2",
                            "robot": "tankbot",
                            "randomisation": Randomisation(friction=(0.6, 1.2))},
}  # fmt: skip
"""Episodes are short, so that each begins anew several times."""


def make_both(mode: AutoresetMode, case: dict[str, Any]) -> tuple[Any, Any]:
    options = case | {"duration": 0.5}
    ours = TrackedVectorEnv(COUNT, autoreset_mode=mode, **options)
    return ours, SyncVectorEnv([lambda: TrackedEnv(**options)] * COUNT, autoreset_mode=mode)


def same(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> bool:
    return all(data_equivalence(a, b, exact=True) for a, b in zip(ours, theirs, strict=True))


def drive(envs: Any, mode: AutoresetMode) -> list[tuple[Any, ...]]:
    """Return all that environments said, with a robot that is one step ahead of the others."""
    generator = np.random.default_rng(3)
    told = [envs.reset(seed=7)]
    first = np.array([True, False, False])
    told.append(envs.reset(options={"reset_mask": first}))
    for number in range(STEPS):
        actions = generator.uniform(-0.2, 1.2, envs.action_space.shape).astype(np.float32)
        told.append(envs.step(actions))
        if number == 1:
            told.append(envs.reset(options={"reset_mask": first}))
        over = told[-1][2] | told[-1][3] if len(told[-1]) == 5 else ~first & False
        if mode == AutoresetMode.DISABLED and over.any():
            told.append(envs.reset(options={"reset_mask": over}))
    return told


@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_vector_equals_single_ones_bit_for_bit(case: dict[str, Any], mode: AutoresetMode):
    ours, theirs = (drive(envs, mode) for envs in make_both(mode, case))
    different = [k for k, (a, b) in enumerate(zip(ours, theirs, strict=True)) if not same(a, b)]
    assert different == []


def test_make_vec_takes_the_vector_by_itself_and_says_how_it_begins_anew():
    envs = gymnasium.make_vec("grouser/FlatTracking-v0", num_envs=2, model="slip")
    assert isinstance(envs, TrackedVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, infos = envs.reset(seed=[3, 3])
    assert observations in envs.observation_space
    assert np.array_equal(observations[0], observations[1])
    assert infos["draw"]["speed"][0] == infos["draw"]["speed"][1]


def test_an_episode_that_is_over_is_not_driven_on():
    envs = TrackedVectorEnv(
        2, "FlatTracking", model="ideal", duration=0.1, autoreset_mode="Disabled"
    )
    with pytest.raises(ResetNeeded):
        envs.step(np.zeros((2, 2), np.float32))
    envs.reset(seed=0)
    envs.step(np.zeros((2, 2), np.float32))
    with pytest.raises(ResetNeeded):
        envs.step(np.zeros((2, 2), np.float32))


def test_a_mask_or_seeds_that_do_not_fit_are_refused():
    envs = TrackedVectorEnv(2, "FlatTracking", model="ideal")
    envs.reset()
    with pytest.raises(InvalidValue, match="be 2 booleans"):
        envs.reset(options={"reset_mask": np.array([1, 0])})
    with pytest.raises(InvalidValue, match="one for each of 2 robots"):
        envs.reset(seed=[1, 2, 3])
    with pytest.raises(InvalidValue, match="num_envs must be at least 1"):
        TrackedVectorEnv(0)


def test_a_tick_that_raises_names_the_robots_and_a_reset_helps(monkeypatch):
    register(monkeypatch)
    envs = TrackedVectorEnv(3, model="breaking", speed=0.3, robot="tp100")
    envs.reset(seed=1)
    fastest = np.ones(envs.action_space.shape, np.float32)
    with pytest.raises(TickFailed, match=f"robots 0 to 2 .*{MESSAGE}"):
        envs.step(fastest)
    with pytest.raises(ResetNeeded):
        envs.step(fastest)
    observations, _ = envs.reset(seed=1)
    assert np.isfinite(observations).all()
    envs.step(0.0 * fastest)


@pytest.mark.parametrize("seed", [1.5, [1, 2], "many"])
def test_seeds_that_are_none_are_one_sentence(seed):
    with pytest.raises(InvalidValue, match="seed must be one number, or one for each of 3 robots"):
        TrackedVectorEnv(3).reset(seed=seed)
