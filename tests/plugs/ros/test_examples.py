"""Files of examples/ros that cannot be run here: their syntax, and the names that they use."""

import ast
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from rosbags.typesys import Stores, get_typestore

from grouser import Scenario
from grouser.plugs.ros.settings import SETTINGS
from grouser.plugs.ros.transform_type import NAME, TYPE_HASH

FOLDER = Path(__file__).parents[3] / "examples" / "ros"
PACKAGE = FOLDER / "grouser_example"
FRAMES = {"map", "odom", "base_link"}


def parameters(file: str, node: str) -> dict:
    return yaml.safe_load((PACKAGE / "config" / file).read_text())[node]["ros__parameters"]


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: path.name)
def test_programs_and_launch_files_are_python(path):
    tree = ast.parse(path.read_text())
    if path.name.endswith(".launch.py"):
        names = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        assert "generate_launch_description" in names


def test_follower_is_short():
    lines = (FOLDER / "path_follower.py").read_text().splitlines()
    assert len(lines) <= 75


def test_package_is_described_by_the_same_name_everywhere():
    package = ElementTree.parse(PACKAGE / "package.xml").getroot()
    assert package.findtext("name") == PACKAGE.name
    assert (PACKAGE / "resource" / PACKAGE.name).exists()
    assert f'NAME = "{PACKAGE.name}"' in (PACKAGE / "setup.py").read_text()


def test_parameters_of_the_robot_are_ones_that_it_has():
    known = {setting.name: setting for setting in SETTINGS}
    for name, value in parameters("grouser.yaml", "/grouser").items():
        known[name].check(value)
        assert isinstance(value, type(known[name].default))


def test_scenario_of_the_launch_file_can_be_loaded():
    assert Scenario.read(PACKAGE / "config" / "robot.toml").load().robot.name == "tp100"


def test_filter_uses_topics_and_frames_that_exist():
    ekf = parameters("ekf.yaml", "ekf_filter_node")
    assert {ekf["odom_frame"], ekf["base_link_frame"], ekf["map_frame"]} == FRAMES
    assert ekf["world_frame"] == ekf["odom_frame"]
    assert (ekf["odom0"], ekf["imu0"]) == ("odom/compensated", "imu")
    assert len(ekf["odom0_config"]) == len(ekf["imu0_config"]) == 15
    assert all(isinstance(word, bool) for word in ekf["odom0_config"] + ekf["imu0_config"])
    assert ekf["use_sim_time"]


def test_controller_uses_topics_and_frames_that_exist():
    controller = parameters("nav2_controller.yaml", "controller_server")
    assert controller["odom_topic"] == "odom/compensated"
    for name in controller["controller_plugins"]:
        assert "plugin" in controller[name]
    text = yaml.safe_load((PACKAGE / "config" / "nav2_controller.yaml").read_text())
    costmap = text["local_costmap"]["local_costmap"]["ros__parameters"]
    assert {costmap["global_frame"], costmap["robot_base_frame"]} == {"odom", "base_link"}


def test_hash_of_the_type_of_transforms_is_that_of_its_definition():
    assert get_typestore(Stores.ROS2_JAZZY).hash_rihs01(NAME).endswith(TYPE_HASH[1:].hex())
