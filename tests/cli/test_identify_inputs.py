"""What a robot may have recorded: each way to tell belts and motion gives the same slip."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grouser import Simulation, load_course, load_robot, make_model
from grouser.log import Column, Log, write_log
from grouser.log.mcap.messages import Messages
from grouser.log.mcap.write import write_bag_file
from grouser.models import command_sides

TRUE = {"slip_left": 0.1, "slip_right": 0.1188, "width": 0.2742}
NOISE = {"x": 0.002, "y": 0.002, "yaw": 0.004, "vx": 0.004, "vy": 0.004, "yaw_rate": 0.02}
ROBOT = load_robot("tp100")
RADIUS = ROBOT.sprocket_radius
MOTION = {"pose": ("x", "y", "yaw"), "position": ("x", "y"), "gyro": ("gyro_yaw_rate",),
          "twist": ("vx", "vy", "yaw_rate")}  # fmt: skip


@pytest.fixture(scope="module")
def whole() -> Log:
    """Return a TP100 driven to and fro, with noise on what is seen of it."""
    simulation = Simulation(make_model("slip"), ROBOT, load_course("flat"), dt=0.02, seed=3)
    generator = np.random.default_rng(5)
    while simulation.time < 70.0:
        left, right = generator.uniform(-0.1, 0.25, 2)
        if generator.random() < 0.3:
            left = right
        for _ in range(60):
            simulation.advance(command_sides(ROBOT, left, right))
    log = simulation.log()
    return log.with_columns(
        {n: Column(log[n] + generator.normal(0.0, s, len(log)), log.unit(n))
         for n, s in NOISE.items()}
    )  # fmt: skip


def turns(log: Log, name: str, unit: str) -> dict[str, Column]:
    """Return what wheels of both sides did: angles, angular speeds or counts."""
    found = {}
    for side in ("left", "right"):
        speed = log[f"belt_speed.{side}"]
        way = np.cumsum(speed * np.diff(log.time, prepend=log.time[0]))
        values = {"rad/s": speed / RADIUS, "rad": way / RADIUS, "m/s": speed, "m": way}
        counts = log[f"encoder.{side}"]
        found[f"{name}.{side}"] = Column(counts if unit == "1" else values[unit], unit)
    return found


def part(log: Log, kind: str, belts: dict[str, Column]) -> Log:
    """Return time, belts and one kind of observation alone, as a robot without a file wrote it."""
    motion = {name: log.columns[name] for name in MOTION[kind]}
    return Log({"time": log.columns["time"], **belts, **motion})


def found(grouser: Callable, line: str) -> dict:
    answer = grouser(f"identify {line} --robot tp100 --family slip --json")
    assert answer.code == 0, answer.err
    return answer.json["fits"]["slip"]


@pytest.mark.parametrize(
    ("name", "unit"),
    [("wheel_speed", "m/s"), ("wheel_speed", "rad/s"), ("encoder", "1"), ("encoder", "rad"),
     ("encoder", "m"), ("joint_speed", "rad/s"), ("joint_position", "rad")],
)  # fmt: skip
def test_wheels_and_encoders_tell_the_slip_beside_poses(grouser, whole, tmp_path, name, unit):
    write_log(part(whole, "pose", turns(whole, name, unit)), tmp_path / "drive.csv")
    parameters = found(grouser, "drive.csv")["parameters"]
    for key, true in TRUE.items():
        assert parameters[key]["low"] <= true <= parameters[key]["high"], key
        assert parameters[key]["value"] == pytest.approx(true, rel=0.1)


@pytest.mark.parametrize("kind", ["position", "twist"])
def test_places_alone_and_velocities_tell_the_slip(grouser, whole, tmp_path, kind):
    write_log(part(whole, kind, turns(whole, "belt_speed", "m/s")), tmp_path / "drive.csv")
    parameters = found(grouser, "drive.csv")["parameters"]
    for key, true in TRUE.items():
        assert parameters[key]["low"] <= true <= parameters[key]["high"], key


def test_a_gyroscope_alone_tells_the_slip_of_a_robot_whose_width_is_known(grouser, whole, tmp_path):
    write_log(part(whole, "gyro", turns(whole, "belt_speed", "m/s")), tmp_path / "drive.csv")
    fit = found(grouser, "drive.csv")
    told = {name: one for name, one in fit["parameters"].items() if name in TRUE}
    assert len(told) == 2  # a yaw rate fixes the two ratios over the width
    for name, one in told.items():
        assert one["low"] <= TRUE[name] <= one["high"], name
    assert any("gyro" in sentence for sentence in fit["advice"])


def write_robots_bag(log: Log, path: Path) -> None:
    """Write a bag as a robot's own programs would: odometry, joints of wheels, commands."""
    with write_bag_file(path) as writer:
        kinds, messages = writer.types.types, Messages(log, writer.types)
        vector = kinds["geometry_msgs/msg/Vector3"]
        for row, time in enumerate(log.time):
            stamp = round(1e9 * (50.0 + time))
            odometry = messages.odometry(row, stamp)
            writer.write("/odom", stamp, odometry)
            speeds = np.array([log[f"belt_speed.{side}"][row] / RADIUS for side in SIDES])
            state = kinds["sensor_msgs/msg/JointState"](
                header=odometry.header, name=[f"{side}_wheel_joint" for side in SIDES],
                velocity=speeds, position=np.empty(0), effort=np.empty(0),
            )  # fmt: skip
            writer.write("/joint_states", stamp, state)
            left, right = (log[f"belt_speed_commanded.{side}"][row] for side in SIDES)
            twist = kinds["geometry_msgs/msg/Twist"](
                linear=vector(x=float(0.5 * (left + right)), y=0.0, z=0.0),
                angular=vector(x=0.0, y=0.0, z=float((right - left) / ROBOT.gauge)),
            )
            writer.write("/cmd_vel", stamp, twist)


SIDES = ("left", "right")


def test_a_bag_of_ros_tells_the_slip(grouser, whole, tmp_path):
    write_robots_bag(whole, tmp_path / "drive.mcap")
    parameters = found(grouser, "drive.mcap")["parameters"]
    for key, true in TRUE.items():
        assert parameters[key]["low"] <= true <= parameters[key]["high"], key


def test_commands_are_taken_where_nothing_was_measured(grouser, whole, tmp_path):
    left, right = (whole[f"belt_speed_commanded.{side}"] for side in SIDES)
    belts = {"speed_commanded": Column(0.5 * (left + right), "m/s"),
             "yaw_rate_commanded": Column((right - left) / ROBOT.gauge, "rad/s")}  # fmt: skip
    write_log(part(whole, "pose", belts), tmp_path / "drive.csv")
    parameters = found(grouser, "drive.csv")["parameters"]
    assert parameters["slip_left"]["value"] == pytest.approx(0.1, abs=0.02)


def test_turns_of_wheels_without_a_robot_are_refused_in_a_sentence(grouser, whole, tmp_path):
    write_log(part(whole, "pose", turns(whole, "encoder", "1")), tmp_path / "drive.csv")
    answer = grouser("identify drive.csv --gauge 0.16")
    assert answer.code == 2
    assert "has encoder in counts" in answer.err
    assert "--robot" in answer.err
