"""A hull from a URDF or MJCF file, to which tracks are added."""

import mujoco
import numpy as np
import pytest

from grouser.description import Robot, load_course, load_robot
from grouser.drawing.at_rest import start_in_3d
from grouser.drawing.mjcf import export_mjcf
from grouser.errors import InvalidDescription, InvalidValue
from grouser.models import command_sides, make_model
from grouser.models.contact.plant import ContactPlant
from grouser.models.contact.scene import make_scene
from grouser.models.contact.tracks import belts
from grouser.models.mujoco.engine import MujocoWorld
from grouser.models.mujoco.import_body import (
    MOST_CORNERS,
    read_moving_mass,
    read_shapes,
)
from grouser.models.mujoco.robot import MujocoRobot
from tests.models.contact.hull_files import ARM_MASS, MJCF, URDF, write_hull, write_wedge

CSM = "csm:engine=mujoco"


@pytest.fixture(params=["urdf", "xml"])
def robot(request, tmp_path) -> Robot:
    write_wedge(tmp_path / "meshes" / "wedge.stl")
    text = URDF if request.param == "urdf" else MJCF
    return write_hull(tmp_path, f"hull.{request.param}", text)


def start(robot: Robot) -> ContactPlant:
    return start_in_3d(make_model(CSM), robot, load_course("flat"))


def robot_in(plant: ContactPlant) -> MujocoRobot:
    assert isinstance(plant.world, MujocoWorld)
    return plant.world.robots[0]


def test_the_robot_drives_with_it(robot):
    plant = start(robot)
    before = plant.motion.pose.x
    for _ in range(200):
        plant.advance(command_sides(robot, 0.1, 0.1), 0.01)
    pose = plant.motion.pose
    # From rest at the drive's limit of acceleration.
    lag = 0.5 * 0.1**2 / robot.drive.acceleration_limit
    assert pose.x - before == pytest.approx(0.2 - lag, abs=5e-3)
    assert pose.y == pytest.approx(0.0, abs=1e-3)


def test_the_arm_keeps_its_joint(robot):
    mine = robot_in(start(robot))
    joint = mine.model.joint("hull/shoulder")
    assert mine.model.dof_damping[joint.dofadr[0]] == 0.05
    low, high = (-0.5, 0.25) if robot.body.model_file.suffix == ".urdf" else np.radians((-30, 15))
    assert joint.range == pytest.approx((low, high))
    assert low - 0.02 < mine.data.qpos[joint.qposadr[0]] < high + 0.02


def test_the_weight_is_that_of_the_robot_and_of_the_arm(robot):
    model = robot_in(start(robot)).model
    assert model.body_subtreemass[model.body("hull").id] == pytest.approx(robot.mass + ARM_MASS)
    hull = model.body("hull/base")
    assert hull.mass == 0.0
    assert not hull.inertia.any(), "inertia of the file would add to that of the robot"
    assert load_robot("tp100").mass == robot.mass


def test_its_shapes_replace_the_box_and_shapes_to_look_at_touch_nothing(tmp_path):
    model = robot_in(start(write_hull(tmp_path, "hull.urdf", URDF))).model
    names = [model.geom(number).name for number in range(model.ngeom)]
    assert "hull/box" not in names
    mine = [g for g in range(model.ngeom) if model.geom_bodyid[g] == model.body("hull/base").id]
    touching = {int(model.geom_type[g]): bool(model.geom_contype[g]) for g in mine}
    assert touching == {mujoco.mjtGeom.mjGEOM_SPHERE: False, mujoco.mjtGeom.mjGEOM_BOX: True}
    assert model.body("hull/base").pos == pytest.approx((0.0, 0.0, 0.05))


def test_its_actuators_come_after_those_of_the_flippers(tmp_path):
    write_wedge(tmp_path / "meshes" / "wedge.stl")
    write_hull(tmp_path, "hull.xml", MJCF)
    text = load_robot("absolem").text.replace("[body]\n", '[body]\nmodel = "hull.xml"\n')
    (tmp_path / "mine.toml").write_text(text)
    robot = load_robot(tmp_path / "mine.toml")
    plant = start(robot)
    model = robot_in(plant).model
    names = [model.actuator(n).name for n in range(model.nu)]
    assert names == [*(flipper.name for flipper in robot.flippers), "hull/servo"]
    assert len(plant.motion.flipper_angles) == 4


def test_meshes_go_into_an_exported_file(tmp_path):
    corners = write_wedge(tmp_path / "meshes" / "wedge.stl")
    robot = write_hull(tmp_path, "hull.xml", MJCF)
    (tmp_path / "out").mkdir()
    export_mjcf(robot, load_course("flat"), make_model(CSM), tmp_path / "out" / "scene.xml")
    (tmp_path / "meshes" / "wedge.stl").unlink()
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out" / "scene.xml"))
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.mesh_quat[0])
    found = model.mesh_vert @ turn.reshape(3, 3).T + model.mesh_pos[0]
    assert sorted(found.round(4).tolist()) == sorted(corners.tolist())


def test_meshes_of_a_package_are_found_above_the_urdf(tmp_path):
    write_wedge(tmp_path / "meshes" / "wedge.stl")
    (tmp_path / "urdf").mkdir()
    mesh = '<mesh filename="package://mine/meshes/wedge.stl"/>'
    text = URDF.replace('<box size="0.15 0.1 0.04"/>', mesh)
    plant = start(write_hull(tmp_path / "urdf", "hull.urdf", text))
    assert robot_in(plant).model.nmesh == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("<robot name='x'>", "this is not XML: "),
        ("<sdf/>", r"must be URDF \(robot\) or MJCF \(mujoco\), not 'sdf'"),
        ("<mujoco><worldbody/></mujoco>", "must have one body in its world, .* not 0"),
        ("<mujoco><wheel/></mujoco>", "the engine refuses it: .*wheel"),
        (MJCF.replace("<freejoint/>", "<joint/>"), "body 'base' must be free or fixed"),
        (URDF.replace('value="0.2"', 'value="0"'), "the engine refuses it: .*mass and inertia"),
        (
            URDF.replace('<box size="0.15 0.1 0.04"/>', '<mesh filename="hull.stl"/>'),
            r"mesh 'hull\.stl' is not there; looked for ",
        ),
    ],
    ids=["broken", "other", "empty", "unknown", "hinged", "weightless", "mesh"],
)
def test_a_file_that_cannot_be_a_hull_is_refused_in_a_sentence(tmp_path, text, sentence):
    write_wedge(tmp_path / "meshes" / "wedge.stl")
    robot = write_hull(tmp_path, "hull.xml", text)
    with pytest.raises(InvalidDescription, match=f"hull.xml: {sentence}") as caught:
        start(robot)
    assert "\n" not in str(caught.value)


def test_a_name_that_the_engine_cannot_read_is_refused(tmp_path):
    robot = write_hull(tmp_path, "hull.mjcf", MJCF)
    with pytest.raises(InvalidDescription, match=r"the name of an MJCF file must end in \.xml"):
        start(robot)


def test_a_missing_file_is_named_when_the_robot_is_loaded(tmp_path):
    write_hull(tmp_path, "hull.urdf", URDF)
    (tmp_path / "hull.urdf").unlink()
    with pytest.raises(InvalidDescription, match=r"mine.toml: body.model: there is no file at .*"):
        load_robot(tmp_path / "mine.toml")


def test_the_file_counts_in_the_hash_of_the_robot_but_not_its_place(tmp_path):
    robot = write_hull(tmp_path, "hull.urdf", URDF)
    (tmp_path / "there").mkdir()
    moved = write_hull(tmp_path / "there", "hull.urdf", URDF)
    other = write_hull(tmp_path / "there", "other.urdf", URDF.replace("0.05", "0.06"))
    assert robot.content_hash == moved.content_hash
    assert len({robot.content_hash, other.content_hash, load_robot("tp100").content_hash}) == 3


def test_a_robot_with_a_file_has_no_mirror_image(tmp_path):
    with pytest.raises(InvalidValue, match="have no body.model in order to be mirrored"):
        write_hull(tmp_path, "hull.urdf", URDF).mirrored()


LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LAUGHS + MJCF.strip(), "this is not XML: a document type .* is not accepted"),
        ("<mujoco>" + "<body>" * 5000 + "</body>" * 5000 + "</mujoco>", "nested 200 deep"),
        (MJCF.replace('size="0.01"', 'size="nan"'), "must have finite numbers"),
        (MJCF.replace('size="0.01"', 'size="1e300"'), "must have finite numbers"),
        (MJCF.replace("wedge.stl", "/dev/zero"), "names the file '/dev/zero', which is not at"),
        (MJCF.replace("<worldbody>", '<include file="hull.xml"/><worldbody>'), "a second time"),
        (MJCF.replace("<worldbody>", '<include file="none.xml"/><worldbody>'), "is not at"),
        (
            MJCF.replace(
                "<worldbody>",
                '<asset><texture type="2d" builtin="flat" width="90000" height="90000"/></asset>'
                "<worldbody>",
            ),
            "must make at most 16,000,000",
        ),
        (
            MJCF.replace('<body name="mast">', '<replicate count="1000000000"/><body name="mast">'),
            "must make at most 16,000,000",
        ),
    ],
)
def test_a_hostile_file_never_reaches_the_engine(tmp_path, text, sentence):
    write_wedge(tmp_path / "meshes" / "wedge.stl")
    robot = write_hull(tmp_path, "hull.xml", text)
    with pytest.raises(InvalidDescription, match=rf"hull\.xml: .*{sentence}"):
        make_model(CSM).start(robot, load_course("flat"))


def test_what_a_file_includes_is_part_of_it(tmp_path):
    write_wedge(tmp_path / "meshes" / "wedge.stl")
    (tmp_path / "more.xml").write_text('<mujoco><default><geom rgba="1 0 0 1"/></default></mujoco>')
    text = MJCF.replace("<worldbody>", '<include file="more.xml"/><worldbody>')
    robot = write_hull(tmp_path, "hull.xml", text)
    make_model(CSM).start(robot, load_course("flat"))


def test_shapes_of_a_file_are_convex_parts_in_the_frame_of_the_robot(tmp_path):
    corners = write_wedge(tmp_path / "meshes" / "wedge.stl")
    robot = write_hull(tmp_path, "hull.xml", MJCF)
    assert robot.body.model_file is not None
    wedge, mast, arm = read_shapes(robot.body.model_file, robot.body.model_origin)
    up = np.array([0.0, 0.0, 0.05])
    assert sorted(wedge.vertices.round(6).tolist()) == sorted((corners + up).round(6).tolist())
    assert mast.vertices.min(axis=0) == pytest.approx((-0.01, -0.01, 0.05))
    assert mast.vertices.max(axis=0) == pytest.approx((0.01, 0.01, 0.15))
    # A capsule of radius 1 cm from the shoulder, 8 cm above the ground, 10 cm forward.
    assert arm.vertices.min(axis=0) == pytest.approx((-0.01, -0.01, 0.07), abs=1e-4)
    assert arm.vertices.max(axis=0) == pytest.approx((0.11, 0.01, 0.09), abs=1e-4)
    assert max(len(shape.vertices) for shape in (wedge, mast, arm)) <= MOST_CORNERS


def test_round_shapes_and_fine_meshes_become_polyhedra_of_few_corners(tmp_path):
    generator = np.random.default_rng(1)
    points = generator.normal(size=(500, 3))
    points *= 0.1 / np.linalg.norm(points, axis=1, keepdims=True)
    vertices = " ".join(f"{number:.6f}" for number in points.ravel())
    text = f"""
    <mujoco><asset><mesh name="ball" vertex="{vertices}"/></asset><worldbody><body name="base">
      <geom type="mesh" mesh="ball"/><geom type="sphere" size="0.1"/>
      <geom type="ellipsoid" size="0.1 0.1 0.1"/><geom type="cylinder" size="0.1 0.1"/>
    </body></worldbody></mujoco>"""
    robot = write_hull(tmp_path, "hull.xml", text)
    assert robot.body.model_file is not None
    shapes = read_shapes(robot.body.model_file, (0.0, 0.0, 0.0))
    assert [len(shape.vertices) for shape in shapes][1:] == [42, 42, 48]
    assert 40 < len(shapes[0].vertices) <= MOST_CORNERS
    for shape in shapes[:3]:
        assert np.linalg.norm(shape.vertices, axis=1) == pytest.approx(0.1, abs=2e-3)


def test_parts_on_joints_are_in_the_mass_of_a_scene_at_their_rest(robot):
    assert robot.body.model_file is not None
    (arm,) = read_moving_mass(robot.body.model_file, robot.body.model_origin)
    assert arm.mass == pytest.approx(ARM_MASS)
    assert arm.centre == pytest.approx((0.05, 0.0, 0.08))
    scene = make_scene(robot, load_course("flat"), belts(patches=2))
    assert scene.mass == pytest.approx(robot.mass + ARM_MASS)
