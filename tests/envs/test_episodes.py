"""Episodes for Stable-Baselines3 are those of single environments that restart by themselves."""

from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence

from grouser.envs import Randomisation, TrackedEnv, TrackedVectorEnv
from grouser.envs.episodes import SHARED, Episodes
from grouser.errors import InvalidValue
from tests.needs_opengl import needs_opengl

COUNT, STEPS = 3, 40
CASES: dict[str, dict[str, Any]] = {
    "time and edge": {"task": "FlatTracking", "model": "slip", "duration": 1.2, "corridor": 0.02,
                      "randomisation": Randomisation(offset=(-0.015, 0.015), yaw=(-0.4, 0.4))},
    "goal": {"task": "FlatTracking", "model": "slip", "goal": 0.06},
    "csm": {"task": "StepClimbing", "model": "csm", "course": "step:height_m=0.05",
            "duration": 0.5},
}  # fmt: skip
"""Episodes end by time, by leaving the course, and at the goal."""


def make(case: dict[str, Any], count: int = COUNT) -> Episodes:
    return Episodes(TrackedVectorEnv(count, autoreset_mode="SameStep", **case))


class Alone:
    """One environment, restarted as Stable-Baselines3 restarts it; and its record of episodes."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.env, self.rewards = TrackedEnv(**options), []
        self.reset_info: dict[str, Any] = {}

    def reset(self, seed: int | None) -> np.ndarray:
        observation, self.reset_info = self.env.reset(seed=seed)
        self.rewards = []
        return observation

    def step(self, action: np.ndarray) -> tuple[np.ndarray, np.float32, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.rewards.append(reward)
        info["TimeLimit.truncated"] = truncated and not terminated
        if terminated or truncated:
            info["terminal_observation"] = observation
            info["episode"] = {"r": round(sum(self.rewards), 6), "l": len(self.rewards)}
            observation = self.reset(None)
        return observation, np.float32(reward), terminated or truncated, info


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_episodes_of_many_equal_those_of_single_ones_bit_for_bit(case: dict[str, Any]):
    many, alone = make(case), [Alone(case) for _ in range(COUNT)]
    seeds, generator, ends = [7, 8, 9], np.random.default_rng(3), []
    assert np.array_equal(
        many.reset(seeds), [one.reset(seed) for one, seed in zip(alone, seeds, strict=True)]
    )
    for _ in range(STEPS):
        actions = generator.uniform(-0.2, 1.2, (COUNT, len(many.envs.actions))).astype(np.float32)
        observations, rewards, over, infos = many.step(actions)
        rows = [one.step(action) for one, action in zip(alone, actions, strict=True)]
        assert np.array_equal(observations, [row[0] for row in rows])
        assert np.array_equal(rewards, [row[1] for row in rows])
        assert over.tolist() == [row[2] for row in rows]
        for info in infos:
            if "episode" in info:
                assert info["episode"].pop("t") > 0.0
                ends.append(info["outcome"])
        assert data_equivalence(infos, [row[3] for row in rows], exact=True)
        assert data_equivalence(many.reset_infos, [one.reset_info for one in alone], exact=True)
    assert len(ends) >= 3
    expected = {"time and edge": {"time", "left the course"}, "goal": {"goal"}, "csm": {"time"}}
    assert set(ends) == expected[next(name for name, known in CASES.items() if known is case)]


def test_numbers_have_the_types_of_stable_baselines():
    many = make(CASES["goal"])
    observations = many.reset([1, 2, 3])
    assert (observations.dtype, observations.shape) == (np.float32, (3, 15))
    observations, rewards, over, infos = many.step(np.zeros((3, 2), np.float32))
    assert [a.dtype for a in (observations, rewards, over)] == [np.float32, np.float32, np.bool_]
    assert rewards.shape == over.shape == (3,)
    assert type(infos) is list
    assert type(infos[0]["is_success"]) is bool
    assert type(infos[0]["draw"]["yaw"]) is float


def test_an_episode_that_was_cut_off_by_a_reset_does_not_count():
    many = make({"task": "FlatTracking", "model": "ideal", "duration": 0.5}, 1)
    still = np.zeros((1, 2), np.float32)
    many.reset([1])
    many.step(still)
    many.reset([None])
    for _ in range(4):
        assert "episode" not in many.step(still)[3][0]
    assert many.step(still)[3][0]["episode"]["l"] == 5


def test_attributes_are_those_of_an_environment_of_one_robot_or_your_own():
    many, alone = make(CASES["goal"]), TrackedEnv(**CASES["goal"])
    assert many.get_attribute("observation_space", [0, 2]) == [alone.observation_space] * 2
    assert many.get_attribute("actions", [1]) == [alone.actions]
    assert all(hasattr(alone, name) for name in SHARED)
    many.set_attribute("level", 3, [0, 2])
    assert many.get_attribute("level", [2, 0]) == [3, 3]
    with pytest.raises(AttributeError, match="no attribute named 'level'; available: action_space"):
        many.get_attribute("level", [0, 1])
    with pytest.raises(InvalidValue, match="be a name of your own"):
        many.set_attribute("loaded", None, [0])
    assert many.call("has_wrapper_attr", [0, 1], "level") == [True, False]
    assert many.call("get_wrapper_attr", [0], "render_mode") == [None]
    with pytest.raises(AttributeError, match="no method named 'simulate'; available: get_wrapper"):
        many.call("simulate", [0])


def test_robots_that_restart_a_step_later_are_not_accepted():
    with pytest.raises(InvalidValue, match="autoreset_mode must be 'SameStep', not 'NextStep'"):
        Episodes(TrackedVectorEnv(2, model="ideal"))


def test_a_picture_before_the_first_episode_is_an_error():
    with pytest.raises(ResetNeeded):
        make({"model": "ideal", "render_mode": "rgb_array"}).call("render", [0])


@needs_opengl
def test_a_picture_is_that_of_the_robot_that_was_named():
    options = {"task": "FlatTracking", "model": "ideal", "render_mode": "rgb_array"}
    many = make(options, 2)
    many.reset([1, 2])
    many.step(np.array([[1.0, -1.0], [0.0, 0.0]], np.float32))
    pictures = many.envs.render()
    assert pictures is not None
    assert not np.array_equal(*pictures)
    (second,) = many.call("render", [1])
    assert np.array_equal(second, pictures[1])
    many.envs.close()
