"""The layout, checked by the structure of what Foxglove exports."""

import json
import re

import pytest

from grouser.description import load_robot
from grouser.log import Declaration
from grouser.models import track_icrs
from grouser.plugs.foxglove.controls import SERVICES
from grouser.plugs.foxglove.layout import make_layout
from grouser.plugs.foxglove.publisher import OWN
from grouser.plugs.foxglove.state import state_schema

PANELS = {"3D", "Plot", "Image", "Teleop", "Parameters", "RawMessages", "CallService"}
"""Panels of Foxglove that are used, by the first word of their ids."""
CAMERA = (
    Declaration(topic="front/image_raw", kind="sensor_msgs/msg/Image", array="data"),
    Declaration(topic="front/camera_info", kind="sensor_msgs/msg/CameraInfo"),
)
LIDAR = (Declaration(topic="scan", kind="sensor_msgs/msg/LaserScan", array="ranges"),)


def placed(node):
    """Return the panels below a node."""
    if isinstance(node, str):
        return [node]
    assert node["direction"] in ("row", "column")
    assert 0.0 < node["splitPercentage"] < 100.0
    assert set(node) == {"first", "second", "direction", "splitPercentage"}
    return placed(node["first"]) + placed(node["second"])


@pytest.fixture(params=["absolem", "tp100"])
def robot(request):
    return load_robot(request.param)


@pytest.fixture
def layout(robot):
    return json.loads(json.dumps(make_layout(robot, {"front": CAMERA, "lidar": LIDAR}, 0.3)))


def test_it_has_the_fields_of_an_exported_layout(layout):
    assert set(layout) == {
        "configById", "globalVariables", "userNodes", "playbackConfig", "layout",
    }  # fmt: skip


def test_every_panel_is_placed_once_and_of_a_known_kind(layout):
    every = placed(layout["layout"])
    assert sorted(every) == sorted(layout["configById"])
    assert {name.partition("!")[0] for name in every} == PANELS
    assert all(re.fullmatch(r"\w+!\w+", name) for name in every)


def test_plots_show_fields_that_the_state_has(layout, robot):
    schema = state_schema(robot)
    lines = [
        line
        for name, panel in layout["configById"].items()
        if name.startswith("Plot!")
        for line in panel["paths"]
    ]
    assert len(lines) >= 8
    for line in lines:
        topic, *path = line["value"].split(".")
        assert topic == "/state"
        kind = schema
        for name in path:
            kind = kind["properties"][name]
        assert kind["type"] == "number"


def test_topics_and_services_are_those_of_the_server(layout):
    panels = layout["configById"]
    assert set(panels["3D!scene"]["topics"]) <= {*OWN, "/scan"}
    assert "/scan" in panels["3D!scene"]["topics"]
    assert panels["3D!scene"]["followTf"] == "base_link"
    assert panels["RawMessages!state"]["topicPath"] in OWN
    buttons = [p["serviceName"] for name, p in panels.items() if name.startswith("CallService!")]
    assert {name.lstrip("/") for name in buttons} <= set(SERVICES)
    image = panels["Image!front_image_raw"]["imageMode"]
    assert image == {
        "imageTopic": "/front/image_raw", "calibrationTopic": "/front/camera_info",
    }  # fmt: skip


def test_the_panel_to_drive_drives(layout, robot):
    panel = layout["configById"]["Teleop!drive"]
    assert panel["topic"] == "/cmd_vel"
    assert panel["publishRate"] > 2.0  # faster than commands are too old
    assert panel["upButton"] == {"field": "linear-x", "value": 0.3}
    assert panel["leftButton"]["value"] == pytest.approx(0.6 / track_icrs(robot).width, rel=1e-2)


def test_a_robot_without_camera_has_no_panel_for_images(robot):
    layout = make_layout(robot, {}, 0.3)
    assert not [name for name in layout["configById"] if name.startswith("Image!")]
    assert sorted(placed(layout["layout"])) == sorted(layout["configById"])
