"""A layout to open in Foxglove: scene, plots, images, driving, controls and messages.

It has the form that Foxglove exports and imports: panels by id in `configById`, and a tree of
splits that places them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from grouser.description import Robot
from grouser.log import Declaration
from grouser.models import track_icrs
from grouser.plugs.foxglove.state import word
from grouser.plugs.frames import BODY, MAP

Node: TypeAlias = str | dict[str, Any]
"""A panel by its id, or a split of two nodes."""
COLOURS = ("#4e98e2", "#f5774d", "#f7df71", "#5cd6a9", "#61cbff", "#a395e2")
"""Colours of lines, one after another."""
TELEOP_RATE = 20.0
"""Commands per second while a button is held; well within the command's timeout [1/s]."""
SECONDS = 30.0
"""Time that plots show [s]."""
BUTTONS = ("reset", "pause", "resume", "step")
"""Services that have a button."""
SHOWN = ("LaserScan", "PointCloud2")
"""Types of messages of sensors that the scene shows."""


def make_layout(
    robot: Robot, declarations: Mapping[str, tuple[Declaration, ...]], speed: float
) -> dict[str, Any]:
    """Return the layout for a robot.

    Args:
        robot: The robot.
        declarations: Messages of each sensor, by its name.
        speed: Forward speed while a button to drive is held [m/s].
    """
    every = [one for many in declarations.values() for one in many]
    panels: dict[str, dict[str, Any]] = {
        "3D!scene": _scene(every),
        "Teleop!drive": _teleop(robot, speed),
        "Parameters!parameters": {"title": "Parameters"},
        "RawMessages!state": _raw("/state", "State"),
        "RawMessages!diagnostics": _raw("/diagnostics", "Diagnostics"),
        **_plots(robot),
        **{f"CallService!{name}": _button(name) for name in BUTTONS},
    }
    images = _images(every)
    panels |= images
    left: Node = "3D!scene"
    if images:
        left = split("column", left, stack("row", list(images)), 70.0)
    plots = [name for name in panels if name.startswith("Plot!")]
    buttons = stack("row", [f"CallService!{name}" for name in BUTTONS])
    messages = split("row", "RawMessages!state", "RawMessages!diagnostics", 50.0)
    controls = split("row", "Teleop!drive", "Parameters!parameters", 50.0)
    lower = stack("column", [controls, buttons, messages], (55.0, 30.0))
    right = split("column", stack("column", plots), lower, 55.0)
    return {
        "configById": panels,
        "globalVariables": {},
        "userNodes": {},
        "playbackConfig": {"speed": 1},
        "layout": split("row", left, right, 60.0),
    }


def split(direction: str, first: Node, second: Node, percentage: float) -> Node:
    """Return two nodes side by side (row) or one above the other (column)."""
    return {
        "first": first, "second": second, "direction": direction, "splitPercentage": percentage,
    }  # fmt: skip


def stack(direction: str, nodes: Sequence[Node], percentages: Sequence[float] = ()) -> Node:
    """Return nodes one after another, of equal size unless shares of each rest are given [%]."""
    first, *rest = nodes
    if not rest:
        return first
    share = percentages[0] if percentages else 100.0 / len(nodes)
    return split(direction, first, stack(direction, rest, percentages[1:]), share)


def _scene(declared: Sequence[Declaration]) -> dict[str, Any]:
    topics: dict[str, Any] = {
        topic: {"visible": True} for topic in ("/course", "/robot", "/contacts")
    }
    for one in declared:
        if one.kind.rpartition("/")[2] in SHOWN:
            topics[f"/{one.topic}"] = {"visible": True, "pointSize": 4}
    return {
        "foxglovePanelTitle": "Scene",
        "fixedFrame": MAP,
        "followTf": BODY,
        "followMode": "follow-position",
        "cameraState": {
            "distance": 5.0, "perspective": True, "phi": 60, "thetaOffset": 45,
            "target": [0, 0, 0], "targetOffset": [0, 0, 0], "targetOrientation": [0, 0, 0, 1],
            "fovy": 45, "near": 0.05, "far": 500,
        },
        "scene": {"transforms": {"visible": False, "axisScale": 0.3}},
        "transforms": {},
        "topics": topics,
        "layers": {},
        "imageMode": {},
    }  # fmt: skip


def _plots(robot: Robot) -> dict[str, dict[str, Any]]:
    drives = [word(drive.name) for drive in robot.drives]
    belts = [f"belts.{name}.{field}" for name in drives for field in ("commanded", "speed")]
    found = {
        "Plot!belts": _plot("Belt speeds [m/s]", belts),
        "Plot!slips": _plot("Slip [1]", [f"belts.{name}.slip" for name in drives]),
        "Plot!twist": _plot("Velocity [m/s], yaw rate [rad/s]", ["twist.vx", "twist.yaw_rate"]),
        "Plot!tilt": _plot("Tilt [rad]", ["pose.roll", "pose.pitch"]),
    }
    if robot.flippers:
        angles = [f"flippers.{word(flipper.name)}.angle" for flipper in robot.flippers]
        found["Plot!flippers"] = _plot("Flippers [rad]", angles)
    return found


def _plot(title: str, paths: Sequence[str]) -> dict[str, Any]:
    lines = [
        {
            "value": f"/state.{path}", "enabled": True, "timestampMethod": "receiveTime",
            "label": path, "color": COLOURS[number % len(COLOURS)],
        }
        for number, path in enumerate(paths)
    ]  # fmt: skip
    return {
        "foxglovePanelTitle": title,
        "paths": lines,
        "showXAxisLabels": True,
        "showYAxisLabels": True,
        "showLegend": True,
        "legendDisplay": "floating",
        "showPlotValuesInLegend": True,
        "isSynced": True,
        "xAxisVal": "timestamp",
        "followingViewWidth": SECONDS,
    }


def _teleop(robot: Robot, speed: float) -> dict[str, Any]:
    """Return the panel that drives; on the spot, belts run at the forward speed."""
    speed, rate = round(speed, 3), round(speed / (0.5 * float(track_icrs(robot).width)), 3)
    buttons = {
        "upButton": ("linear-x", speed), "downButton": ("linear-x", -speed),
        "leftButton": ("angular-z", rate), "rightButton": ("angular-z", -rate),
    }  # fmt: skip
    return {
        "foxglovePanelTitle": "Drive",
        "topic": "/cmd_vel",
        "publishRate": TELEOP_RATE,
        **{name: {"field": field, "value": value} for name, (field, value) in buttons.items()},
    }


def _button(service: str) -> dict[str, Any]:
    return {
        "foxglovePanelTitle": service,
        "serviceName": f"/{service}",
        "requestPayload": '{"ticks": 1}' if service == "step" else "{}",
        "layout": "vertical",
        "buttonText": service,
        "editingMode": False,
        "timeoutSeconds": 20,
    }


def _raw(topic: str, title: str) -> dict[str, Any]:
    return {
        "foxglovePanelTitle": title, "topicPath": topic, "diffEnabled": False,
        "diffMethod": "custom", "diffTopicPath": "", "showFullMessageForDiff": False,
    }  # fmt: skip


def _images(declared: Sequence[Declaration]) -> dict[str, dict[str, Any]]:
    """Return a panel for each image, with the calibration of the same camera."""
    calibrations = [one.topic for one in declared if one.kind.endswith("/CameraInfo")]
    found = {}
    for one in declared:
        if not one.kind.endswith(("/Image", "/CompressedImage")):
            continue
        camera = one.topic.rpartition("/")[0]
        own = [topic for topic in calibrations if topic.rpartition("/")[0] == camera]
        mode = {"imageTopic": f"/{one.topic}"}
        mode |= {"calibrationTopic": f"/{own[0]}"} if own else {}
        title = {"foxglovePanelTitle": one.topic}
        found[f"Image!{word(one.topic)}"] = {**title, "imageMode": mode, "topics": {}, "layers": {}}
    return found
