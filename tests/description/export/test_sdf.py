"""SDF, checked element by element: gz-sim does not run here, and no schema file comes with it.

The tables below are what the specification of SDF 1.11 allows and requires, for what is written.
"""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from grouser.description import load_robot, robot_names
from grouser.description.export import Frame, robot_sdf, robot_urdf
from grouser.errors import InvalidValue
from grouser.models import command_twist, steering_efficiency, track_icrs

ROBOTS = robot_names()
NUMBER, POSE, TEXT = "number", "pose", "text"
CHILDREN = {
    "sdf": {"model": "1"},
    "model": {"link": "*", "joint": "*", "frame": "*", "plugin": "*", "pose": "?"},
    "link": {"pose": "?", "inertial": "?", "visual": "*", "collision": "*"},
    "inertial": {"pose": "?", "mass": "?", "inertia": "?"},
    "inertia": dict.fromkeys(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), "1"),
    "visual": {"pose": "?", "geometry": "1", "material": "?"},
    "collision": {"pose": "?", "geometry": "1", "surface": "?"},
    "material": {"ambient": "?", "diffuse": "?"},
    "geometry": {"box": "?", "cylinder": "?"},
    "box": {"size": "1"},
    "cylinder": {"radius": "1", "length": "1"},
    "surface": {"friction": "?"},
    "friction": {"ode": "?"},
    "ode": {"mu": "?", "mu2": "?"},
    "joint": {"parent": "1", "child": "1", "axis": "?", "pose": "?"},
    "axis": {"xyz": "1", "limit": "1"},
    "limit": {"lower": "1", "upper": "1", "effort": "?", "velocity": "?"},
    "frame": {"pose": "?"},
}
"""Elements within each element, and how often each may be there."""
ATTRIBUTES = {
    "sdf": {"version"}, "model": {"name", "canonical_link"}, "link": {"name"}, "visual": {"name"},
    "collision": {"name"}, "joint": {"name", "type"}, "frame": {"name", "attached_to"},
    "plugin": {"name", "filename"},
}  # fmt: skip
LENGTHS = {"pose": 6, "size": 3, "xyz": 3, "ambient": 4, "diffuse": 4, "parent": 0, "child": 0}
"""How many numbers a leaf has, 1 if not said; 0 for a name."""
PARAMETERS = {
    "TrackController": {"link", "min_velocity", "max_velocity", "min_acceleration",
                        "max_acceleration"},
    "TrackedVehicle": {"left_track", "right_track", "tracks_separation", "track_height",
                       "steering_efficiency", "body_link"},
    "JointPositionController": {"joint_name", "use_velocity_commands", "cmd_max", "cmd_min",
                                "initial_position"},
}  # fmt: skip
"""Parameters that gz-sim's plug-ins document, of those that are written."""


def read(name: str, **options) -> ET.Element:
    robot = load_robot(name)
    efficiency = steering_efficiency(robot).eta
    return ET.fromstring(robot_sdf(robot, steering_efficiency=efficiency, **options))


def check(element: ET.Element) -> None:
    """Assert that an element has what the specification allows, and all that it requires."""
    assert set(element.keys()) == ATTRIBUTES.get(element.tag, set()), element.tag
    if element.tag == "plugin":
        return
    if element.tag not in CHILDREN:
        assert len(element) == 0
        length = LENGTHS.get(element.tag, 1)
        words = (element.text or "").split()
        assert len(words) == (length or 1)
        if length:
            assert np.isfinite([float(word) for word in words]).all()
        return
    allowed = CHILDREN[element.tag]
    counts = {tag: len(element.findall(tag)) for tag in {child.tag for child in element}}
    assert set(counts) <= set(allowed), element.tag
    for tag, often in allowed.items():
        count = counts.get(tag, 0)
        assert often == "*" or count <= 1, (element.tag, tag)
        assert often != "1" or count == 1, (element.tag, tag)
    for child in element:
        check(child)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_element_is_one_of_the_specification(name):
    root = read(name, frames=[Frame("lidar", (0.1, 0.0, 0.2))])
    check(root)
    model = root.find("model")
    assert root.get("version") == "1.9"
    links = [link.get("name") for link in model.findall("link")]
    names = links + [e.get("name") for tag in ("joint", "frame") for e in model.findall(tag)]
    assert len(set(names)) == len(names)  # one namespace in SDF
    for joint in model.findall("joint"):
        assert joint.get("type") in ("fixed", "revolute")
        assert joint.findtext("parent") in links
        assert joint.findtext("child") in links
    for geometry in model.iter("geometry"):
        assert len(geometry) == 1


@pytest.mark.parametrize("broken", ["<mass/>", "<wheel>1</wheel>", "<mass>1</mass><mass>1</mass>"])
def test_the_check_finds_what_is_wrong(broken):
    root = read("tp100")
    inertial = root.find("model/link/inertial")
    inertial.remove(inertial.find("mass"))
    inertial.extend(ET.fromstring(f"<a>{broken}</a>"))
    with pytest.raises(AssertionError):
        check(root)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_belt_has_a_controller_and_the_vehicle_steers_them_all(name):
    robot, model = load_robot(name), read(name).find("model")
    plugins = {kind: [] for kind in PARAMETERS}
    for plugin in model.findall("plugin"):
        kind = plugin.get("name").removeprefix("gz::sim::systems::")
        assert {child.tag for child in plugin} <= PARAMETERS[kind]
        plugins[kind].append(plugin)
    driven = [f"{part.name}_link" for part in (*robot.drives, *robot.flippers)]
    assert [plugin.findtext("link") for plugin in plugins["TrackController"]] == driven
    (vehicle,) = plugins["TrackedVehicle"]
    for side in ("left", "right"):
        parts = [p.name for p in (*robot.drives, *robot.flippers) if p.side == side]
        found = [track.findtext("link") for track in vehicle.findall(f"{side}_track")]
        assert found == [f"{part}_link" for part in parts]
    joints = [plugin.findtext("joint_name") for plugin in plugins["JointPositionController"]]
    assert joints == [flipper.name for flipper in robot.flippers]


@pytest.mark.parametrize("name", ROBOTS)
def test_the_vehicle_turns_a_twist_into_the_belt_speeds_of_the_robots_centres(name):
    robot = load_robot(name)
    vehicle = next(
        p for p in read(name).iter("plugin") if p.find("steering_efficiency") is not None
    )
    separation = float(vehicle.findtext("tracks_separation"))
    efficiency = float(vehicle.findtext("steering_efficiency"))
    rate = 0.1 * robot.drive.speed_limit / robot.gauge
    icrs = track_icrs(robot)
    ours = command_twist(robot, 0.0, rate, width=icrs.left_y - icrs.right_y).belt_speeds
    theirs = rate * separation / (2.0 * efficiency)  # as TrackedVehicle does it
    assert max(ours) == pytest.approx(theirs)


def test_absolem_gets_back_the_efficiency_of_the_world_that_it_is_from():
    vehicle = read("absolem").find(".//steering_efficiency")
    assert float(vehicle.text) == pytest.approx(0.5)


@pytest.mark.parametrize("name", ROBOTS)
def test_masses_and_places_are_those_of_the_urdf(name):
    robot = load_robot(name)
    model, urdf = read(name).find("model"), ET.fromstring(robot_urdf(robot))
    masses = [float(mass.text) for mass in model.iter("mass")]
    assert sum(masses) == pytest.approx(robot.mass)
    assert masses == [float(mass.get("value")) for mass in urdf.iter("mass")]
    joints = [joint for joint in urdf.findall("joint") if not joint.get("name").endswith("_joint")]
    poses = [link.findtext("pose").split()[:3] for link in model.findall("link")[1:]]
    assert poses == [joint.find("origin").get("xyz").split() for joint in joints]


def test_numbers_that_mean_nothing_are_mistakes():
    robot = load_robot("tp100")
    for value in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InvalidValue, match="steering_efficiency must be a number above 0"):
            robot_sdf(robot, steering_efficiency=value)
    with pytest.raises(InvalidValue, match="friction must be"):
        robot_sdf(robot, steering_efficiency=0.5, friction=0.0)
