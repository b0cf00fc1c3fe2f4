"""The `VecEnv` on a stand-in of its abstract class; `tests/learn` has the real one."""

import importlib.util
import subprocess
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import grouser.envs
from grouser.envs import TrackedVectorEnv
from grouser.errors import InvalidValue
from tests.envs import sb3_stand_in

SHORT: dict[str, Any] = {"model": "ideal", "duration": 0.3}


@pytest.fixture
def sb3(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the module, made with the stand-in and forgotten afterwards."""
    for name, module in sb3_stand_in.modules().items():
        module.__spec__ = ModuleSpec(name, None)
        monkeypatch.setitem(sys.modules, name, module)
    name = "grouser.envs.sb3"
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_class_has_no_abstract_method_left_and_the_spaces_of_one_robot(sb3: ModuleType):
    envs = sb3.make_sb3("FlatTracking", 2, **SHORT)
    assert isinstance(envs, sb3_stand_in.VecEnv)
    assert envs.num_envs == 2
    assert (envs.observation_space.shape, envs.action_space.shape) == ((15,), (2,))
    assert envs.render_mode is None


def test_a_step_after_the_last_of_an_episode_goes_on_in_the_next(sb3: ModuleType):
    envs = sb3.make_sb3("FlatTracking", 2, **SHORT)
    envs.seed(3)
    first = envs.reset()
    assert envs._seeds == [None, None]
    starts = [dict(info) for info in envs.reset_infos]
    for _ in range(3):
        observations, _, over, infos = envs.step(np.ones((2, 2), np.float32))
    assert over.tolist() == [True, True]
    assert [info["TimeLimit.truncated"] for info in infos] == [True, True]
    assert [info["episode"]["l"] for info in infos] == [3, 3]
    assert [info["draw"] for info in infos] == [info["draw"] for info in starts]
    assert [info["draw"] for info in envs.reset_infos] != [info["draw"] for info in starts]
    ahead = [info["terminal_observation"][4] for info in infos]  # path length to the goal
    assert (observations[:, 4] > ahead).all()
    envs.seed(3)
    assert np.array_equal(envs.reset(), first)


def test_attributes_methods_and_wrappers_take_indices(sb3: ModuleType):
    envs = sb3.make_sb3("FlatTracking", 3, **SHORT)
    envs.set_attr("level", 1, indices=2)
    assert envs.env_method("has_wrapper_attr", "level", indices=[0, 2]) == [False, True]
    assert envs.get_attr("level", 2) == [1]
    assert envs.env_is_wrapped(sb3_stand_in.Monitor) == [True] * 3
    assert envs.env_is_wrapped(object, indices=0) == [False]
    assert envs.get_images() == [None] * 3
    envs.close()


def test_an_environment_of_make_vec_is_accepted_in_the_right_mode_only(sb3: ModuleType):
    many = TrackedVectorEnv(2, autoreset_mode="SameStep", **SHORT)
    assert sb3.Sb3VecEnv(many).reset().shape == (2, 15)
    with pytest.raises(InvalidValue, match="be 'SameStep', not 'NextStep'"):
        sb3.Sb3VecEnv(TrackedVectorEnv(2, **SHORT))


def test_without_stable_baselines_one_sentence_names_the_command_that_installs_it():
    program = (
        "import sys; sys.modules['stable_baselines3'] = None\n"
        "from grouser.errors import MissingExtra\n"
        "try:\n    import grouser.envs.sb3\nexcept MissingExtra as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "install it with: pip install 'grouser[learn]'" in done.stdout
    assert done.stdout.count("\n") == 1
    assert not hasattr(grouser.envs, "Sb3VecEnv")  # the package itself does without torch
