"""`grouser identify`: from logs to parameters, a recommendation, and files for others."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grouser import Simulation, load_course, load_robot, make_model
from grouser.log import Column, Log, read_log, write_log
from grouser.models import command_sides, effective_width
from tests.log.reference_bag import Messages, write_bag


@pytest.fixture
def drive(tmp_path: Path) -> str:
    """Write what a camera and encoders saw of a TP100 whose slip is that of its file."""
    from grouser import Simulation, load_course, make_model
    from grouser.models import command_sides

    robot = load_robot("tp100")
    simulation = Simulation(make_model("slip"), robot, load_course("flat"), dt=0.02)
    generator = np.random.default_rng(1)
    while simulation.time < 60.0:
        left, right = generator.uniform(-0.1, 0.25, 2)
        if generator.random() < 0.3:
            left = right
        for _ in range(75):
            simulation.advance(command_sides(robot, left, right))
    log = simulation.log()
    noise = {"x": 0.002, "y": 0.002, "yaw": 0.005}
    seen = {
        n: Column(log[n] + generator.normal(0.0, s, len(log)), log.unit(n))
        for n, s in noise.items()
    }
    write_log(log.with_columns(seen), tmp_path / "drive.csv")
    return "drive.csv"


def test_it_finds_the_slip_recommends_a_family_and_says_so(grouser, drive):
    answer = grouser(f"identify {drive} --json")
    assert answer.code == 0, answer.err
    found = answer.json
    assert found["recommended"] == "slip"
    slip = found["fits"]["slip"]
    for name, true in (("slip_left", 0.1), ("slip_right", 0.1188), ("width", 0.2742)):
        one = slip["parameters"][name]
        assert one["low"] <= true <= one["high"]
        assert one["value"] == pytest.approx(true, rel=0.05)
    errors = {name: fit["hold_out"]["position_m"]["5 s"] for name, fit in found["fits"].items()}
    assert errors["slip"] < 0.005 < errors["ideal"]
    people = grouser(f"identify {drive} --family slip icr")
    assert "Recommended is slip" in people.out
    assert re.search(r"slip_right +0\.1", people.out)


def test_exports_can_be_read_by_those_they_are_for(grouser, drive, tmp_path):
    answer = grouser(f"identify {drive} --family slip --export r.toml r.yaml r.sdf r.json")
    assert answer.code == 0, answer.err
    text = (tmp_path / "r.toml").read_text()
    assert text.startswith("# Lengths, masses and slip of the TP100")  # comments stay
    robot = load_robot(tmp_path / "r.toml")
    assert robot.slip.right == pytest.approx(0.1188, abs=0.01)
    fit = json.loads((tmp_path / "r.json").read_text())
    width = fit["parameters"]["width"]["value"]
    assert effective_width(robot) == pytest.approx(width, rel=1e-4)
    assert "identified from a log" in tomllib.loads(text)["sources"]["slip.right"]
    yaml = (tmp_path / "r.yaml").read_text()
    multiplier = float(re.search(r"wheel_separation_multiplier: (\S+)", yaml)[1])
    assert multiplier == pytest.approx(width / 0.16, rel=1e-4)
    assert "left_wheel_radius_multiplier" in yaml
    sdf = (tmp_path / "r.sdf").read_text()
    efficiency = float(re.search(r"<steering_efficiency>(\S+)<", sdf)[1])
    slips = [fit["parameters"][f"slip_{side}"]["value"] for side in ("left", "right")]
    assert efficiency == pytest.approx((1.0 - np.mean(slips)) * 0.16 / width, rel=1e-4)


def test_the_page_holds_tables_figures_and_the_replay(grouser, drive, tmp_path):
    assert grouser(f"identify {drive} --family slip ideal --report fit.html").code == 0
    page = (tmp_path / "fit.html").read_text()
    for words in ("What to use", "Correlation of the estimates", "What is left of yaw", "3D replay",
                  "Prediction errors on held-out data", "Path: observed, and predicted",
                  "held-out predictions, slip"):  # fmt: skip
        assert words in page


def test_a_second_log_with_its_own_clock_may_hold_the_poses(grouser, drive, tmp_path):
    log = read_log(tmp_path / drive)
    rare = np.arange(0, len(log), 3)
    camera = {n: Column(log[n][rare], log.unit(n)) for n in ("x", "y", "yaw")}
    write_log(Log({"time": Column(log.time[rare] + 0.12, "s"), **camera}), tmp_path / "camera.csv")
    belts = {n: log.columns[n] for n in log if n.startswith("belt_speed.")}
    write_log(Log({"time": log.columns["time"], **belts}), tmp_path / "belts.csv")
    line = "identify belts.csv --poses camera.csv --robot tp100 --family slip --json"
    found = grouser(f"{line} --report fit.html").json["fits"]["slip"]["parameters"]
    assert found["time_offset"]["value"] == pytest.approx(0.12, abs=0.005)
    assert found["slip_left"]["value"] == pytest.approx(0.1, abs=0.01)
    assert "3D replay" in (tmp_path / "fit.html").read_text()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("identify", "give a log of a drive to learn from, as in: grouser identify drive.csv"),
        ("identify nothing.csv", "nothing.csv"),
        ("identify drive.csv --family slipp", "did you mean 'slip'"),
        ("identify drive.csv --export r.xml", "end in .toml, .yaml, .sdf or .json"),
        ("identify drive.csv --report r.png", "end in .html"),
        ("identify drive.csv --observe smell", "no kind of observation named 'smell'"),
        ("identify drive.csv --gauge 0", "--gauge must be from 1e-06 to 100000 m, not 0.0"),
        ("identify drive.csv --family ideal --export r.toml", "export .json"),
    ],
)
def test_mistakes_are_told_in_one_sentence(grouser, drive, line, sentence):
    answer = grouser(line)
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("\n") == 1


def test_a_log_without_robot_needs_a_gauge(grouser, drive, tmp_path):
    log = read_log(tmp_path / drive)
    write_log(Log(log.columns), tmp_path / "bare.csv")
    assert "--gauge" in grouser("identify bare.csv").err
    assert grouser("identify bare.csv --gauge 0.16 --family icr").code == 0


def test_a_table_of_steady_states_is_read_by_its_column_map(grouser, tmp_path):
    # A robot with centres at +-0.4 m, its belts over a grid, as slip speeds and drift angles.
    generator = np.random.default_rng(0)
    left, right = (v.ravel() for v in np.meshgrid(np.linspace(-60, 60, 9), np.linspace(-60, 60, 8)))
    belts = 0.005 * np.stack([left, right])
    rate = (belts[1] - belts[0]) / 0.8
    slips = belts - (belts.mean(axis=0) + np.array([[-0.3], [0.3]]) * rate)
    slips += generator.normal(0.0, 0.002, slips.shape)
    drift = np.arctan2(-0.05 * rate, belts.mean(axis=0))
    lines = [
        ",".join(f"{v:.6g}" for v in row) for row in zip(left, right, *slips, drift, strict=True)
    ]
    (tmp_path / "grid.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "grid.toml").write_text(
        'headings = ["l", "r", "sl", "sr", "a"]\nsteady = true\n[columns]\n'
        'belt_speed.left = {column = "l", unit = "m/s", scale = 0.005}\n'
        'belt_speed.right = {column = "r", unit = "m/s", scale = 0.005}\n'
        'slip_speed.left = {column = "sl", unit = "m/s"}\n'
        'slip_speed.right = {column = "sr", unit = "m/s"}\n'
        'sideslip = {column = "a", unit = "rad"}\n'
    )
    answer = grouser("identify grid.csv --map grid.toml --gauge 0.6 --json")
    assert answer.code == 0, answer.err
    # With centres alike on both sides, the two laws are the same.
    assert answer.json["recommended"] in ("icr", "turning")
    found = answer.json["fits"]["icr"]["parameters"]
    assert found["left_y"]["value"] == pytest.approx(0.4, abs=0.01)
    assert found["x"]["value"] == pytest.approx(0.05, abs=0.005)


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
    with write_bag(path) as writer:
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


@pytest.mark.parametrize(
    ("command", "said"),
    [("identify", "search of families that are simulated"), ("track", "added to corners"),
     ("identify plan", "robots that may be the true one"), ("run", "Seed of random numbers")],
)  # fmt: skip
def test_each_seed_says_what_it_is_the_seed_of(grouser, command, said):
    words = " ".join(grouser(f"{command} --help").out.replace("│", " ").split())
    assert said in words
    assert ("Seed of random numbers" in words) == (command == "run")
