"""URDF, read back by programs that others wrote: MuJoCo, pinocchio, yourdfpy."""

import io
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest
import yourdfpy

from grouser.description import load_course, load_robot, robot_names
from grouser.description.export import Frame, robot_urdf, sensor_frames
from grouser.description.export.links import belt_shapes
from grouser.description.loop_shape import loop_along
from grouser.description.outer_sensors import Camera
from grouser.errors import InvalidValue
from grouser.models.contact.scene import make_scene
from grouser.models.contact.tracks import belts
from grouser.models.rigid import Inertia, combine_inertias

ROBOTS = robot_names()
EXAMPLES = Path(__file__).parents[3] / "examples"
FLAT = load_course("flat")


def whole_robot(name: str) -> Inertia:
    """Return the robot's mass with all flippers at angle 0, as models have it."""
    scene = make_scene(load_robot(name), FLAT, belts(patches=2))
    arms = [
        Inertia(
            mass=hinge.inertia.mass,
            centre=hinge.inertia.centre + np.array(hinge.place),
            moments=hinge.inertia.moments,
        )
        for hinge in scene.hinges
    ]
    return combine_inertias([scene.hull, *arms])


@pytest.mark.parametrize("name", ROBOTS)
def test_pinocchio_finds_the_mass_and_inertia_of_the_robot(name):
    model = pinocchio.buildModelFromXML(
        robot_urdf(load_robot(name)), pinocchio.JointModelFreeFlyer()
    )
    data, robot = model.createData(), whole_robot(name)
    pinocchio.crba(model, data, pinocchio.neutral(model))
    found = data.Ycrb[1]
    size = np.sqrt(np.diag(robot.moments).max() / robot.mass)
    assert found.mass == pytest.approx(load_robot(name).mass)
    assert found.lever == pytest.approx(robot.centre, abs=2e-3 * size)
    np.testing.assert_allclose(found.inertia, robot.moments, atol=0.01 * robot.moments.max())


@pytest.mark.parametrize("name", ROBOTS)
def test_mujoco_finds_the_mass_and_inertia_of_the_robot(name):
    spec = mujoco.MjSpec.from_string(robot_urdf(load_robot(name)))
    spec.compiler.fusestatic = False
    spec.body("base_link").add_freejoint()
    model, robot = spec.compile(), whole_robot(name)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert model.body_subtreemass[0] == pytest.approx(load_robot(name).mass)
    parts = [
        Inertia(mass=mass, centre=centre, moments=turn @ np.diag(inertia) @ turn.T)
        for mass, centre, turn, inertia in zip(
            model.body_mass[1:], data.xipos[1:], data.ximat[1:].reshape(-1, 3, 3),
            model.body_inertia[1:], strict=True,
        )
    ]  # fmt: skip
    found = combine_inertias(parts).moments
    np.testing.assert_allclose(found, robot.moments, atol=0.01 * robot.moments.max())


@pytest.mark.parametrize("name", ROBOTS)
def test_yourdfpy_finds_the_links_and_the_joints_of_joint_states(name):
    robot = load_robot(name)
    model = yourdfpy.URDF.load(io.StringIO(robot_urdf(robot)))
    assert model.validate()
    assert model.base_link == "base_link"
    belts = [f"{drive.name}_belt" for drive in robot.drives]
    sensors = [f"{frame.name}_joint" for frame in sensor_frames(robot)]
    flippers = [flipper.name for flipper in robot.flippers]
    assert list(model.joint_map) == [*belts, *flippers, *sensors]
    assert model.actuated_joint_names == flippers
    for flipper in robot.flippers:
        limit = model.joint_map[flipper.name].limit
        assert (limit.lower, limit.upper) == pytest.approx(flipper.limits)
        assert limit.velocity == pytest.approx(flipper.speed_limit)


@pytest.mark.parametrize("angle", [-0.5, 0.8])
def test_a_positive_angle_lowers_what_is_ahead_of_the_hinge(angle):
    robot = load_robot("absolem")
    model = pinocchio.buildModelFromXML(robot_urdf(robot))
    data = model.createData()
    pinocchio.forwardKinematics(model, data, np.full(model.nq, angle))
    for flipper in robot.flippers:
        number = model.getJointId(flipper.name)
        found = data.oMi[number].act(model.inertias[number].lever)
        assert found == pytest.approx(flipper.centre_at(angle), abs=1e-6)
        assert (found[2] < flipper.hinge[2]) == ((found[0] > flipper.hinge[0]) == (angle > 0.0))


def extent(name: str) -> np.ndarray:
    """Return the lowest and highest corner of all collision shapes with flippers at 0 [m]."""
    spec = mujoco.MjSpec.from_string(robot_urdf(load_robot(name)))
    spec.compiler.fusestatic = False
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    half = np.einsum("gij,gj->gi", np.abs(data.geom_xmat.reshape(-1, 3, 3)), model.geom_aabb[:, 3:])
    return np.array([(data.geom_xpos - half).min(axis=0), (data.geom_xpos + half).max(axis=0)])


@pytest.mark.parametrize("name", ROBOTS)
def test_shapes_reach_as_far_as_the_robot_and_stand_on_the_ground(name):
    robot = load_robot(name)
    low, high = extent(name)
    loops = [(flipper.hinge, flipper.track.loop.bounds) for flipper in robot.flippers]
    front = max([robot.front, *(hinge[0] + bounds[1] for hinge, bounds in loops)])
    rear = min([robot.rear, *(hinge[0] + bounds[0] for hinge, bounds in loops)])
    lowest = min([0.0, *(hinge[2] + bounds[2] for hinge, bounds in loops)])
    assert (low[0], high[0], low[2]) == pytest.approx((rear, front, lowest), abs=1e-4)


def test_a_curved_run_is_made_of_chords_not_of_its_huge_pulley():
    bow, end = (0.2, 0.1), (0.05, 0.5 * np.pi - 0.05)  # radii of 2 m and 3 cm
    loop = loop_along((0.1, 0.0), np.pi - 0.05, [bow, end, end, bow, end, end])
    shapes = list(belt_shapes(loop, 0.04, (0.0, 0.0)))
    assert [shape.kind for shape in shapes].count("box") == 2
    assert max(shape.size[0] for shape in shapes if shape.kind == "cylinder") < 0.05
    _, _, low, high = loop.bounds
    boxes = [shape for shape in shapes if shape.kind == "box"]
    heights = sorted(box.position[2] for box in boxes)
    thickness = boxes[0].size[2]
    assert low < heights[0] - 0.5 * thickness < low + 5e-3
    assert high - 5e-3 < heights[1] + 0.5 * thickness < high


def test_sensors_have_fixed_frames_of_their_names():
    frames = [
        Frame("lidar", (0.1, 0.0, 0.3)),
        Frame("front_camera", (0.2, 0.0, 0.2), (0, 0.3, 0.1)),
    ]
    model = yourdfpy.URDF.load(io.StringIO(robot_urdf(load_robot("tp100"), frames, footprint=True)))
    assert model.validate()
    place = model.get_transform("front_camera_link", "base_link")
    assert place[:3, 3] == pytest.approx((0.2, 0.0, 0.2))
    expected = pinocchio.rpy.rpyToMatrix(0.0, 0.3, 0.1)
    np.testing.assert_allclose(place[:3, :3], expected, atol=1e-9)
    assert model.get_transform("base_footprint", "base_link") == pytest.approx(np.eye(4))
    assert model.base_link == "base_link"  # so that `odom` can be its parent


def test_the_sensors_of_a_robot_are_in_it_as_they_are_mounted():
    robot = load_robot("tp100")
    place = {"position": (0.01, 0.02, 0.03), "roll": 0.1, "pitch": 0.2, "yaw": 0.3}
    imu = robot.sensors.imu.model_copy(update=place)
    sensors = robot.sensors.model_copy(update={"imu": imu})
    model = yourdfpy.URDF.load(
        io.StringIO(robot_urdf(robot.model_copy(update={"sensors": sensors})))
    )
    found = model.get_transform(imu.frame, "base_link")
    np.testing.assert_allclose(found[:3, :3], imu.rotation.as_matrix(), atol=1e-9)
    assert found[:3, 3] == pytest.approx(imu.position)


def test_pictures_have_the_frame_of_a_camera_that_looks_along_its_x():
    robot = load_robot(EXAMPLES / "absolem-sensors.toml")
    model = yourdfpy.URDF.load(io.StringIO(robot_urdf(robot)))
    assert model.validate()
    cameras = [table for table in robot.sensors.tables if isinstance(table, Camera)]
    assert cameras
    for camera in cameras:
        turn = model.get_transform(camera.optical_frame, camera.frame)[:3, :3]
        right, down, ahead = turn.T  # axes of the picture in the frame of the camera
        np.testing.assert_allclose(
            [right, down, ahead], [[0, -1, 0], [0, 0, -1], [1, 0, 0]], atol=1e-6
        )


def test_names_that_occur_twice_are_a_mistake():
    robot = load_robot("tp100")
    with pytest.raises(InvalidValue, match="'left_link'"):
        robot_urdf(robot, [Frame("left")])
    with pytest.raises(InvalidValue, match="'lidar_link'"):
        robot_urdf(robot, [Frame("lidar"), Frame("lidar")])


def test_names_are_escaped():
    robot = load_robot("tp100").model_copy(update={"name": 'a<b>"&c'})
    assert ET.fromstring(robot_urdf(robot)).get("name") == 'a<b>"&c'
