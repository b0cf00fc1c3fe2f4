"""Every environment is what Gymnasium expects; warnings are errors here."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from grouser.envs import NAMESPACE, TASKS, TrackedEnv
from tests.needs_opengl import needs_opengl

IDS = [f"{NAMESPACE}/{name}-v0" for name in TASKS]


@pytest.mark.parametrize("identifier", IDS)
def test_an_environment_passes_the_checks_of_gymnasium(identifier: str):
    check_env(gymnasium.make(identifier).unwrapped, skip_render_check=True)


@needs_opengl
def test_an_environment_passes_the_checks_of_gymnasium_with_pictures():
    env = gymnasium.make(IDS[0], model="ideal", render_mode="rgb_array")
    check_env(env.unwrapped)


@needs_opengl
def test_a_picture_shows_the_robot_where_it_is():
    env = TrackedEnv("StepClimbing", model="slip", render_mode="rgb_array", course="step")
    env.reset(seed=0)
    first = env.render()
    assert first is not None
    assert first.shape == (360, 640, 3)
    env.step(np.ones(4, np.float32))
    second = env.render()
    assert second is not None
    assert not np.array_equal(first, second)
    env.close()


@needs_opengl
def test_a_program_that_looks_and_does_not_close_ends_without_a_word():
    program = (
        "from grouser.envs import TrackedEnv; env = TrackedEnv(model='ideal', "
        "render_mode='rgb_array'); env.reset(seed=0); print(env.render().shape)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert (done.stdout.strip(), done.stderr) == ("(360, 640, 3)", "")


def test_an_environment_is_found_by_the_name_of_its_package_alone():
    program = (
        "import gymnasium; env = gymnasium.make('grouser.envs:grouser/FlatTracking-v0');"
        "print(env.observation_space.shape)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "(15,)"


def test_without_gymnasium_one_sentence_names_the_command_that_installs_it():
    program = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "from grouser.errors import MissingExtra\n"
        "try:\n    import grouser.envs\nexcept MissingExtra as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "install it with: pip install 'grouser[envs]'" in done.stdout
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("identifier", IDS)
def test_a_seed_gives_the_same_episode_again_and_another_seed_another(identifier: str):
    env = gymnasium.make(identifier).unwrapped
    actions = np.random.default_rng(1).uniform(-1.0, 1.0, (3, *env.action_space.shape))  # type: ignore[misc]
    runs = []
    for seed in (5, 5, 6):
        seen = [env.reset(seed=seed)[0]]
        seen += [env.step(action.astype(np.float32))[0] for action in actions]
        runs.append(np.array(seen))
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])
