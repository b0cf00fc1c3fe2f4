"""Environments: rewards, ends of episodes, what is drawn, Gymnasium's checks, and their page."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from grouser.control import PathFollower
from grouser.drawing.at_rest import PlacedRobot
from grouser.drawing.picture import draw_scene
from grouser.envs import NAMESPACE, TASKS, Randomisation, TrackedEnv, Weights, describe_task
from grouser.envs.camera import SIZE, VIEW
from grouser.envs.reward import GOING_ON, TIPPED, TIPPED_OVER, Reward
from grouser.envs.task import PERIOD
from grouser.errors import InvalidValue, TickFailed, UnknownName, Unsupported
from grouser.models.contact.scene import make_scene
from grouser.models.contact.tracks import belts
from grouser.scenario import replay
from tests.breaking import MESSAGE, PLACE, register
from tests.needs_opengl import needs_opengl

START = Randomisation(offset=(0.0, 0.0), yaw=(0.0, 0.0))


def straight(**changes: Any) -> TrackedEnv:
    """Return an environment whose belts never slip, on a straight path of 4.5 m at 0.2 m/s."""
    options: dict[str, Any] = {"model": "ideal", "randomisation": START}
    return TrackedEnv("RoughTerrain", **options | changes)


def act(env: TrackedEnv, **asked: float) -> np.ndarray:
    """Return the action that asks for some quantities, in their units."""
    action = np.zeros(len(env.actions), np.float32)
    for number, quantity in enumerate(env.actions):
        action[number] = asked.get(quantity.name, 0.0) / quantity.high
    return action


def seen(env: TrackedEnv, observation: np.ndarray) -> dict[str, float]:
    names = [quantity.name for quantity in env.observations]
    return dict(zip(names, observation.tolist(), strict=True))


def test_the_reference_speed_on_the_path_is_worth_one_standing_nothing_and_backing_less():
    env = straight()
    env.reset(seed=0)
    env.step(act(env, belt_left=0.2, belt_right=0.2))  # up to speed
    rewards = []
    for speed in (0.2, 0.1, 0.0, 0.0, 0.4, 0.4):
        rewards.append(env.step(act(env, belt_left=speed, belt_right=speed))[1])
    assert rewards[0] == pytest.approx(1.0, abs=1e-6)
    assert rewards[3] == pytest.approx(0.0, abs=1e-6)
    assert rewards[5] == pytest.approx(0.0, abs=1e-6)
    assert 0.4 < rewards[1] < 0.7


def test_offset_and_heading_cost_what_is_stated():
    env = straight(randomisation=Randomisation(offset=(0.4, 0.4), yaw=(0.3, 0.3)))
    observation, _ = env.reset(seed=0)
    assert seen(env, observation)["offset"] == pytest.approx(0.4)
    assert seen(env, observation)["heading"] == pytest.approx(0.3)
    _, reward, *_ = env.step(act(env))
    assert reward == pytest.approx(-0.5 * (0.4 / 0.8) ** 2 - 0.2 * 0.3**2, abs=1e-6)


def run(env: TrackedEnv, action: np.ndarray) -> tuple[float, bool, bool, dict[str, Any]]:
    while True:
        _, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            return reward, terminated, truncated, info


def test_an_episode_ends_at_the_goal_beside_the_path_and_with_time():
    env = straight(goal=0.5, duration=5.0)
    env.reset(seed=0)
    reward, terminated, truncated, info = run(env, act(env, belt_left=0.2, belt_right=0.2))
    assert (terminated, truncated, info["outcome"], info["is_success"]) == (
        True,
        False,
        "goal",
        True,
    )
    assert reward > 10.0
    env.reset(seed=0)
    reward, terminated, truncated, info = run(env, act(env))
    assert (terminated, truncated, info["outcome"]) == (False, True, "time")
    env = straight(randomisation=Randomisation(yaw=(1.5, 1.5)))
    env.reset(seed=0)
    reward, terminated, truncated, info = run(env, act(env, belt_left=0.4, belt_right=0.4))
    assert (terminated, info["outcome"], info["is_success"]) == (True, "left the course", False)
    assert reward < -9.0


@pytest.mark.parametrize(
    ("roll", "pitch", "outcome"),
    [(0.0, -1.2, GOING_ON), (0.0, -1.4, TIPPED_OVER), (3.1, 0.0, TIPPED_OVER), (1.0, 1.0, GOING_ON),
     (1.1, 1.1, TIPPED_OVER)],
)  # fmt: skip
def test_a_robot_whose_axis_lies_down_has_tipped_over(roll: float, pitch: float, outcome: int):
    env = straight()
    env.reset(seed=0)
    motion = env.simulation.motion
    tilted = replace(motion, pose=replace(motion.pose, roll=roll, pitch=pitch))
    one = np.ones(1, dtype=np.int64)
    result = Reward(env.loaded).evaluate(tilted, np.zeros(1), np.full(1, 0.2), one)
    assert result.outcome.tolist() == [outcome]
    assert result.terminated.tolist() == [outcome == TIPPED_OVER]


def test_flippers_go_where_an_action_sends_their_tips():
    env = TrackedEnv("StepClimbing", model="slip", course="step", duration=10.0)
    env.reset(seed=0)
    for _ in range(30):
        observation, *_ = env.step(act(env, tips_front=0.7, tips_rear=-0.4))
    told = seen(env, observation)
    assert told["tip_front-left"] == told["tip_front-right"] == pytest.approx(0.7, abs=1e-6)
    assert told["tip_rear-left"] == told["tip_rear-right"] == pytest.approx(-0.4, abs=1e-6)
    assert env.simulation.motion.flipper_angles == pytest.approx((-0.7, -0.7, -0.4, -0.4), abs=1e-6)


def test_the_heights_ahead_show_the_step():
    env = TrackedEnv("StepClimbing", model="slip", course="step:height_m=0.3")
    observation, _ = env.reset(seed=0)
    rows = [(q, v) for q, v in zip(env.observations, observation, strict=True)
            if q.name.startswith("height_")]  # fmt: skip
    for quantity, value in rows:
        ahead = float(quantity.meaning.split()[3])
        if abs(ahead - 0.8) > 0.01:  # the edge itself may be either
            assert value == pytest.approx(0.3 if ahead > 0.8 else 0.0, abs=1e-6), quantity


def test_a_path_follower_earns_nearly_one_a_step_so_the_task_can_be_done():
    env = TrackedEnv("FlatTracking", model="slip")
    env.reset(seed=4)
    loaded = env.loaded
    speed = loaded.speed * env.reset(seed=4)[1]["draw"]["speed"]
    follow = PathFollower(loaded.robot, loaded.path, speed=speed)
    rewards, over, info = [], False, {}
    while not over:
        command = follow(env.simulation.time, env.simulation.motion)
        assert command is not None
        speeds = dict(zip(("belt_left", "belt_right"), command.belt_speeds, strict=True))
        _, reward, over, _, info = env.step(act(env, **speeds))  # type: ignore[arg-type]
        rewards.append(reward)
    assert info["outcome"] == "goal"
    assert np.mean(rewards[:-1]) > 0.85


def test_what_is_drawn_stands_in_info_and_moves_the_robot():
    ranges = {"friction": (0.5, 0.5), "mass": (1.3, 1.3), "gain": (0.9, 1.1)}
    env = TrackedEnv("FlatTracking", randomisation=ranges)
    draws = [env.reset(seed=seed)[1]["draw"] for seed in (1, 2)]
    assert draws[0]["friction"] == 0.5
    assert draws[0]["mass"] == 1.3
    assert 0.9 <= draws[0]["gain_left"] != draws[0]["gain_right"] <= 1.1
    assert draws[0]["gain_left"] != draws[1]["gain_left"]
    assert env.simulation.model.friction_factor == 0.5  # type: ignore[attr-defined]
    assert env.simulation.model.mass_factor == 1.3  # type: ignore[attr-defined]
    for _ in range(3):
        _, _, _, _, info = env.step(act(env, belt_left=0.1, belt_right=0.1))
    left, right = env.simulation.motion.belt_speeds_commanded
    assert (left, right) == pytest.approx(
        (0.1 * draws[1]["gain_left"], 0.1 * draws[1]["gain_right"])
    )
    assert info["draw"] == draws[1]


def test_draws_fill_their_ranges_evenly():
    ranges = Randomisation(friction=(0.5, 1.5))
    generator = np.random.default_rng(0)
    drawn = np.array([ranges.draw([generator])[0] for _ in range(4000)])[:, 3]
    assert drawn.min() >= 0.5
    assert drawn.max() <= 1.5
    assert drawn.mean() == pytest.approx(1.0, abs=4.0 / np.sqrt(12.0 * 4000))


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"task": "Flat"}, UnknownName, "no task named 'Flat'"),
        ({"robots": "tp100"}, UnknownName, "did you mean 'robot'"),
        ({"robot": "tp200"}, UnknownName, "no robot named 'tp200'"),
        ({"course": "flat"}, InvalidValue, "have a path to follow"),
        ({"course": "staircase", "model": "slip"}, Unsupported, "models that can: csm"),
        ({"model": "ideal", "randomisation": {"mass": (0.9, 1.1)}}, Unsupported, "mass_factor"),
        ({"randomisation": {"weight": (0.9, 1.1)}}, UnknownName, "no range named 'weight'"),
        ({"randomisation": {"mass": (1.1, 0.9)}}, InvalidValue, "the smaller one first"),
        ({"randomisation": {"gain": (0.0, 1.0)}}, InvalidValue, "be from 0.001 to 1000, as"),
        ({"speed": 5.0}, InvalidValue, "the limit of robot 'tp100'"),
        ({"duration": 0.0}, InvalidValue, "duration must be from 1e-06 to"),
        ({"render_mode": "human"}, InvalidValue, "render_mode must be rgb_array"),
    ],
)  # fmt: skip
def test_a_mistake_gets_one_sentence(changes: dict[str, Any], kind: type[Exception], words: str):
    with pytest.raises(kind, match=words):
        TrackedEnv(**changes)


def test_actions_that_are_not_finite_or_too_few_are_refused_and_too_large_ones_are_clipped():
    env = straight()
    env.reset(seed=0)
    with pytest.raises(InvalidValue, match="be 4 finite numbers"):
        env.step(np.full(4, np.nan, np.float32))
    with pytest.raises(InvalidValue, match="be 4 finite numbers"):
        env.step(np.zeros(3, np.float32))
    env.step(np.full(4, 9.0, np.float32))
    assert max(env.simulation.motion.belt_speeds_commanded) == env.loaded.top_speed


@pytest.mark.parametrize("task", TASKS)
def test_a_description_has_a_row_for_each_number(task: str):
    env, text = TrackedEnv(task), describe_task(task)
    for quantity in (*env.actions, *env.observations):
        row = f"| `{quantity.name}` | {quantity.unit} | {quantity.low:.4g} | {quantity.high:.4g} |"
        assert row in text


def test_the_log_of_an_episode_is_run_again_with_the_same_bits():
    ranges = {"friction": (0.5, 0.5), "mass": (1.3, 1.3), "gain": (0.9, 1.1)}
    env = TrackedEnv("FlatTracking", model="csm", randomisation=ranges)
    env.reset(seed=1)
    for _ in range(4):
        env.step(act(env, belt_left=0.1, belt_right=0.15))
    log = env.simulation.log()
    again = replay(log)
    assert [name for name in log.columns if not np.array_equal(log[name], again[name])] == [
        "wall_time"
    ]
    assert log.provenance.scenario["variation"]["friction"] == 0.5


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
def test_a_picture_has_the_look_of_grouser_render():
    env = TrackedEnv("FlatTracking", model="ideal", render_mode="rgb_array")
    env.reset(seed=0)
    motion, loaded = env.simulation.motion, env.loaded
    scene = make_scene(loaded.robot, loaded.course, belts(patches=2))
    placed = PlacedRobot(
        scene=scene,
        pose=motion.pose,
        belt_travels=motion.belt_travels,
        flipper_angles=motion.flipper_angles,
    )
    assert np.array_equal(env.render(), draw_scene(placed, view=VIEW, size=SIZE))
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


PAGE = Path(__file__).parents[2] / "docs" / "environments.md"


def tables() -> str:
    """Return what stands between the marks of the page."""
    sections = [f"### {NAMESPACE}/{name}-v0\n\n{describe_task(name)}" for name in TASKS]
    return "\n\n".join(sections)


def test_the_page_has_the_tables_of_every_environment():
    found = re.search(r"<!-- tasks:begin -->\n(.*)\n<!-- tasks:end -->", PAGE.read_text(), re.S)
    assert found is not None
    assert found[1] == tables()


def test_the_page_lists_every_environment_with_what_is_to_be_done():
    page = PAGE.read_text()
    for name, task in TASKS.items():
        assert f"| `{NAMESPACE}/{name}-v0` | {task.summary} |" in page


def test_the_page_states_the_weights_of_the_reward():
    page, weights = PAGE.read_text(), Weights()
    assert f"(reference speed × {PERIOD:g} s)" in page
    assert f"- {weights.offset:g} (offset / corridor)² - {weights.heading:g} heading²" in page
    assert f"- {weights.shaking:g} (roll rate² + pitch rate²)" in page
    assert f"+ {weights.goal:g} at the goal, - {weights.failure:g} for tipping over" in page
    assert f"by more than {TIPPED:g} rad" in page


def test_a_tick_that_raises_names_its_place_and_a_reset_helps(monkeypatch):
    register(monkeypatch)
    env = TrackedEnv(model="breaking", speed=0.3, robot="tp100")
    env.reset(seed=1)
    fastest = np.ones_like(env.action_space.low)
    with pytest.raises(TickFailed, match=f"{PLACE}.*{MESSAGE}"):
        env.step(fastest)
    with pytest.raises(ResetNeeded):
        env.step(fastest)
    observation, _ = env.reset(seed=1)
    assert np.isfinite(observation).all()
    env.step(np.zeros_like(fastest))


def test_flippers_that_are_auto_or_in_a_posture_are_no_action_and_follow_it():
    env = TrackedEnv("StairsUp", flippers="auto", randomisation=START)
    env.reset(seed=1)
    assert [quantity.name for quantity in env.actions] == ["belt_left", "belt_right"]
    angles = []
    for _ in range(60):
        env.step(act(env, belt_left=0.3, belt_right=0.3))
        angles.append(env.simulation.motion.flipper_angles[0])
    assert min(angles) < -0.55  # ready, 45 deg above the line of the belts
    assert max(angles[10:]) > -0.2  # lowered on the stairs
    flat = straight(flippers="flat")
    flat.reset(seed=0)
    for _ in range(15):
        flat.step(act(flat))
    expected = flat.loaded.robot.posture_angles("flat")
    assert flat.simulation.motion.flipper_angles == pytest.approx(expected, abs=1e-6)
    with pytest.raises(UnknownName, match="no posture of robot 'absolem' named 'fly'"):
        straight(flippers="fly")
    with pytest.raises(InvalidValue, match="flippers must be True, False, 'auto' or a posture"):
        straight(flippers=1.5)
