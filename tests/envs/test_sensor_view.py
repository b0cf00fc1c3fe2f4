"""Sensors in observations: their numbers, those of many robots, and names that are wrong."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from grouser.description.find import find_description, read_text
from grouser.envs import TASKS, TrackedEnv, TrackedVectorEnv
from grouser.envs.sensor_view import LARGEST
from grouser.errors import InvalidValue, UnknownName
from grouser.scenario import replay

COUNT = 3
MORE = """
[[sensors.lidar]]
rays = 9
field_of_view_deg = 180.0
range_m = [0.02, 0.6]
noise_m = 0.01
dropout = 0.3
position_m = [0.05, 0.0, 0.05]
[[sensors.lidar]]
name = "cloud"
rays = 5
rings = 3
elevation_deg = [-30.0, 0.0]
range_m = [0.1, 2.0]
position_m = [0.0, 0.0, 0.1]
latency_s = 0.2
[sensors.gnss]
noise_m = 0.02
outage_every_s = 0.3
outage_time_s = 0.3
[sensors.compass]
noise_uT = 0.5
[sensors.motor_current]
torque_constant_N_m_A = 0.01
limit_A = 4.0
noise_A = 0.1
[sensors.bumper]
"""
ALL = ("bumper", "lidar", "imu", "cloud", "gnss", "compass", "encoder", "motor_current")


@pytest.fixture
def robot(tmp_path: Path) -> str:
    """Return the file of a robot with all sensors."""
    return write(tmp_path, MORE)


def write(folder: Path, tables: str) -> str:
    """Write tp100 with more sensors to a file; return its name."""
    before, mark, after = read_text(find_description("robot", "tp100")).partition("\n[sources]")
    (folder / "sensing.toml").write_text(before + tables + mark + after)
    return str(folder / "sensing.toml")


def sensed(env: TrackedEnv, observation: np.ndarray) -> dict[str, float]:
    names = [quantity.name for quantity in env.observations]
    return dict(zip(names, observation.tolist(), strict=True))


def test_numbers_of_sensors_come_last_and_are_those_of_the_reading():
    env = TrackedEnv("FlatTracking", model="slip", observation=("imu", "encoder"))
    plain = TrackedEnv("FlatTracking", model="slip")
    assert env.observations[: len(plain.observations)] == plain.observations
    env.reset(seed=1)
    for _ in range(5):
        observation, *_ = env.step(np.array([0.5, 0.2], np.float32))
    names = [quantity.name for quantity in env.observations[len(plain.observations) :]]
    reading = env.simulation.reading
    shown = {name: value for (name, _), value in zip(reading.columns, reading.values, strict=True)}
    assert names == [f"gyro_{axis}_rate" for axis in ("roll", "pitch", "yaw")] + [
        f"{family}.{side}" for family in ("encoder", "belt_speed_measured")
        for side in ("left", "right")]  # fmt: skip
    found = sensed(env, observation)
    assert [found[name] for name in names] == [np.float32(shown[name]) for name in names]
    assert found["gyro_yaw_rate"] != found["yaw_rate"]
    assert found["gyro_yaw_rate"] == pytest.approx(found["yaw_rate"], abs=0.02)
    limits = {quantity.name: quantity.high for quantity in env.observations}
    assert limits["gyro_yaw_rate"] == np.radians(250.0)
    assert limits["encoder.left"] == LARGEST["1"]


def test_noise_differs_by_episode_and_comes_again_with_the_seed_and_in_a_replay():
    env = TrackedEnv("FlatTracking", model="slip", observation=("imu",))
    starts = [env.reset(seed=seed)[0][-3:] for seed in (1, None, 1)]  # type: ignore[arg-type]
    assert not np.array_equal(starts[0], starts[1])
    assert np.array_equal(starts[0], starts[2])
    env.step(np.zeros(2, np.float32))
    log = env.simulation.log()
    assert np.array_equal(log["gyro_yaw_rate"], replay(log)["gyro_yaw_rate"])


def test_sensors_that_are_observed_do_not_change_the_episode():
    plain, env = (
        TrackedEnv("FlatTracking", model="slip", observation=names) for names in ((), ("imu",))
    )
    first = [one.reset(seed=3)[0] for one in (plain, env)]
    assert np.array_equal(first[0], first[1][: len(first[0])])


def test_rays_are_clipped_to_the_reach_and_lost_ones_are_far(robot: str):
    env = TrackedEnv("FlatTracking", model="slip", robot=robot, observation=("lidar", "cloud"))
    for seed in range(4):
        observation, _ = env.reset(seed=seed)
        ranges = np.array([v for n, v in sensed(env, observation).items() if "lidar_range" in n])
        sample = env.simulation.reading.latest("lidar")
        assert sample is not None
        assert sample.array is not None
        expected = np.where(np.isnan(sample.array), 0.6, np.clip(sample.array, 0.02, 0.6))
        assert ranges == pytest.approx(expected, abs=1e-6)
    cloud = [v for n, v in sensed(env, observation).items() if n.startswith("cloud_range")]
    assert cloud == [2.0] * 15  # no sample is known yet
    for _ in range(3):
        observation, *_ = env.step(np.zeros(2, np.float32))
    cloud = [v for n, v in sensed(env, observation).items() if n.startswith("cloud_range")]
    height = 0.1 + float(env.simulation.motion.pose.z)
    assert cloud[:5] == pytest.approx([height / np.sin(np.radians(30.0))] * 5, abs=0.01)
    assert cloud[10:] == [2.0] * 5  # the highest ring is level


@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)
def test_sensors_of_many_robots_equal_those_of_single_ones_bit_for_bit(
    robot: str, mode: AutoresetMode
):
    options: dict[str, Any] = {"task": "FlatTracking", "model": "csm", "robot": robot,
                               "observation": ALL, "duration": 0.5}  # fmt: skip
    many = TrackedVectorEnv(COUNT, autoreset_mode=mode, **options)
    single = SyncVectorEnv([lambda: TrackedEnv(**options)] * COUNT, autoreset_mode=mode)
    told = [drive(envs, mode) for envs in (many, single)]
    assert all(data_equivalence(a, b, exact=True) for a, b in zip(*told, strict=True))
    assert all(np.isfinite(step[0]).all() for step in told[0])


def drive(envs: Any, mode: AutoresetMode) -> list[tuple[Any, ...]]:
    """Return all that environments returned over several episodes."""
    generator, told = np.random.default_rng(3), [envs.reset(seed=7)]
    for _ in range(14):
        told.append(envs.step(generator.uniform(-1.0, 1.0, (COUNT, 2)).astype(np.float32)))
        over = told[-1][2] | told[-1][3]
        if mode == AutoresetMode.DISABLED and over.any():
            told.append(envs.reset(options={"reset_mask": over}))
    return told


@pytest.mark.parametrize(
    ("names", "kind", "words"),
    [
        (("imu", "sonar"), UnknownName,
         "no sensor of robot 'tp100' named 'sonar'; available: encoder, imu"),
        (("imo",), UnknownName, "did you mean 'imu'"),
        (("camera",), InvalidValue, "name sensors of numbers or distances; pictures are in env"),
        ("imu", InvalidValue, r"""be names of sensors, such as \("imu",\), not 'imu'"""),
        ((1,), InvalidValue, "be names of sensors"),
        (("imu", "imu"), InvalidValue, "name each sensor once"),
    ],
)  # fmt: skip
def test_a_wrong_name_gets_one_sentence(
    names: Any, kind: type[Exception], words: str, tmp_path: Path
):
    which = write(tmp_path, "\n[[sensors.camera]]\n") if "camera" in names else "tp100"
    with pytest.raises(kind, match=words):
        TrackedEnv("FlatTracking", model="slip", robot=which, observation=names)
    with pytest.raises(kind, match=words):
        TrackedVectorEnv(2, "FlatTracking", model="slip", robot=which, observation=names)


def test_a_robot_without_sensors_says_so():
    with pytest.raises(UnknownName, match="no sensor of robot 'quince' named 'imu'; available: no"):
        TrackedEnv("StepClimbing", observation=("imu",))


def test_an_environment_with_sensors_passes_the_checks_of_gymnasium():
    task = replace(TASKS.find("FlatTracking"), observation=["imu", "encoder"])  # type: ignore[arg-type]
    env = gymnasium.make("grouser/FlatTracking-v0", model="slip", observation=("imu", "encoder"))
    assert np.isfinite(env.observation_space.low).all()  # type: ignore[attr-defined]
    check_env(env.unwrapped, skip_render_check=True)
    assert TrackedEnv(task).observation_space == env.observation_space
