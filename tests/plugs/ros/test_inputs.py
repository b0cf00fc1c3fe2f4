from pathlib import Path
from types import SimpleNamespace

import pytest

from grouser import load_robot
from grouser.errors import GrouserError, InvalidValue, UnknownName
from grouser.plugs.ros.inputs import Trajectory, check_stamp, read_trajectory
from grouser.plugs.ros.messages import convert, find_message_class, split_time
from grouser.plugs.ros.run import choose_namespaces
from grouser.plugs.ros.settings import SETTINGS

ABSOLEM = load_robot("absolem")
REST = [0.0] * len(ABSOLEM.flippers)


def duration(seconds: float) -> SimpleNamespace:
    whole, rest = divmod(round(seconds * 1e9), 10**9)
    return SimpleNamespace(sec=whole, nanosec=rest)


def trajectory(*points: tuple[float, list[float]], names=("front-left",), stamp: float = 0.0):
    return SimpleNamespace(
        header=SimpleNamespace(stamp=duration(stamp)),
        joint_names=list(names),
        points=[
            SimpleNamespace(time_from_start=duration(t), positions=angles) for t, angles in points
        ],
    )


def test_trajectory_begins_where_the_flippers_are():
    found = read_trajectory(trajectory((1.0, [0.4])), ABSOLEM, 10.0, REST)
    assert found.at(10.0) == {"front-left": 0.0}
    assert found.at(10.5)["front-left"] == pytest.approx(0.2)
    assert found.at(99.0) == {"front-left": 0.4}


def test_trajectory_is_linear_between_points_and_holds_beyond():
    found = Trajectory(("a", "b"), (1.0, 3.0), ((0.0, 1.0), (2.0, -1.0)))
    assert found.at(0.0) == {"a": 0.0, "b": 1.0}
    assert found.at(2.0) == {"a": 1.0, "b": 0.0}
    assert found.at(3.0) == {"a": 2.0, "b": -1.0}


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (trajectory((1.0, [0.1]), names=("tail",)), "no flipper named 'tail'; available: front"),
        (trajectory((1.0, [0.1, 0.2])), "positions must be finite, one for each of front-left"),
        (trajectory((1.0, [float("nan")])), "positions must be finite"),
        (trajectory((1.0, [0.1]), (1.0, [0.2])), "time_from_start must rise"),
        (trajectory(), "must not be empty"),
    ],
)
def test_trajectories_that_do_not_fit_are_rejected(message, sentence):
    with pytest.raises(GrouserError, match=sentence):
        read_trajectory(message, ABSOLEM, 0.0, REST)


def test_stamps_are_compared_with_simulated_time():
    check_stamp(0.0, 1000.0, 0.5)
    check_stamp(999.6, 1000.0, 0.5)
    for stamp in (999.0, 1001.0, 1.8e9):
        with pytest.raises(InvalidValue, match=r"within 0.5 s of the simulated time, 1000.000 s"):
            check_stamp(stamp, 1000.0, 0.5)


def test_namespaces_are_the_names_of_the_robots_if_there_are_several():
    assert choose_namespaces((), ["tp100"]) == [""]
    assert choose_namespaces((), ["tp100", "zhou-ugv"]) == ["tp100", "zhou_ugv"]
    assert choose_namespaces((), ["tp100", "tp100"]) == ["tp100_1", "tp100_2"]
    assert choose_namespaces(("/a", "b/c"), ["tp100", "tp100"]) == ["a", "b/c"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("a",), "must be 2, one for each robot"),
        (("a", "a"), "must differ from robot to robot"),
        (("a", "b c"), "must have letters, digits, _ and / only"),
    ],
)
def test_namespaces_that_ros_has_not_are_rejected(given, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        choose_namespaces(given, ["tp100", "tp100"])


def test_values_become_what_fields_hold():
    assert convert("double", 1) == 1.0
    assert convert("boolean", 1.0) is True
    assert convert("int8", 2.0) == 2
    assert convert("string", 5) == "5"
    assert convert("sequence<float>", [0.5, 1.0]).typecode == "f"
    assert convert("double[3]", [1, 2, 3]).tolist() == [1.0, 2.0, 3.0]
    assert convert("sequence<string>", ["a"]) == ["a"]


def test_times_are_split_without_a_rounding_error():
    assert split_time(1234.56) == (1234, 560_000_000)
    assert split_time(0.999_999_999_9) == (1, 0)


def test_types_that_are_not_installed_are_named():
    with pytest.raises(GrouserError, match="needs the ROS 2 package 'no_such_msgs'"):
        find_message_class("no_such_msgs/msg/Thing")


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_defaults_of_parameters_are_allowed(setting):
    setting.check(setting.default)


def test_every_parameter_is_in_the_page():
    page = (Path(__file__).parents[3] / "docs" / "ros.md").read_text()
    rows = [f"| `{setting.name}` |" for setting in SETTINGS]
    assert [row for row in rows if row not in page] == []
    assert [setting.text for setting in SETTINGS if setting.text not in page] == []


def test_parameters_that_are_not_numbers_are_rejected():
    rate = next(setting for setting in SETTINGS if setting.name == "publish_rate")
    with pytest.raises(InvalidValue, match="publish_rate must be from 0.1 to 1000, not nan"):
        rate.check(float("nan"))


def test_unknown_flippers_are_an_unknown_name():
    with pytest.raises(UnknownName):
        read_trajectory(trajectory((1.0, [0.1]), names=("x",)), ABSOLEM, 0.0, REST)
