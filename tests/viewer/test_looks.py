"""Scenes in every look, against a real server."""

from collections.abc import Iterator

import numpy as np
import pytest
import viser
from numpy.testing import assert_allclose

from grouser.description import (
    course_names,
    load_course,
    load_robot,
    parse_course,
    robot_names,
)
from grouser.description.find import find_description
from grouser.drawing.playback import Frame
from grouser.geometry import Pose
from grouser.models.ground.ruts import RutGrid
from grouser.viewer.scene import Stage
from grouser.viewer.scene.ground import GroundNode
from grouser.viewer.scene.lights import LOOKS, light_scene
from grouser.viewer.scene.lit_ground import LitGround
from grouser.viewer.scene.lit_robot import LitRobot

LIT = LOOKS[:2]


@pytest.fixture(scope="module")
def server() -> Iterator[viser.ViserServer]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield server
    server.stop()


@pytest.fixture
def scene(server: viser.ViserServer) -> Iterator[viser.SceneApi]:
    yield server.scene
    server.scene.reset()


def names(scene: viser.SceneApi, under: str = "/world") -> list[str]:
    return sorted(name for name in scene._handle_from_node_name if name.startswith(under + "/"))


@pytest.mark.parametrize("look", LIT)
@pytest.mark.parametrize("course", course_names())
def test_every_course_is_shown_in_every_look(scene: viser.SceneApi, course: str, look):
    figure = LitGround(scene, "/world/ground", load_course(course), is_painted=look == "painted")
    assert "/world/ground/flat" in names(scene)
    assert len(names(scene)) <= 4
    figure.remove()
    assert names(scene) == []


@pytest.mark.parametrize("look", LIT)
@pytest.mark.parametrize("robot", robot_names())
def test_every_robot_is_shown_in_every_look_by_few_nodes(scene: viser.SceneApi, robot: str, look):
    shown = load_robot(robot)
    figure = LitRobot(scene, "/world/robot", shown, is_painted=look == "painted")
    figure.show(Frame(pose=Pose(x=1.0, pitch=0.3), belt_travels=(0.2,) * len(shown.drives)))
    assert len(names(scene, "/world/robot")) <= 7
    figure.remove()
    assert names(scene) == []


def test_wheels_shoes_and_flippers_of_a_robot_move(scene: viser.SceneApi):
    robot = load_robot("absolem")
    figure = LitRobot(scene, "/world/robot", robot, is_painted=False)
    parts = {name: scene.get_handle_by_name(f"/world/robot/{name}") for name in (
        "wheels0", "shoes0", "flippers0", "shade", "hull")}  # fmt: skip
    before = {name: np.copy(parts[name].batched_wxyzs) for name in ("wheels0", "flippers0")}
    shoes = np.copy(parts["shoes0"].batched_positions)
    figure.show(Frame(pose=Pose(), belt_travels=(0.01, 0.0), flipper_angles=(1.0,) * 4))
    for name, old in before.items():
        assert np.abs(parts[name].batched_wxyzs - old).max() > 0.01
    assert np.abs(parts["shoes0"].batched_positions - shoes).max() > 0.009
    assert parts["shade"].visible
    figure.show(Frame(pose=Pose(roll=0.3), belt_travels=(0.01, 0.0)))
    assert not parts["shade"].visible


def test_a_robot_casts_shadows_in_the_full_look_only(scene: viser.SceneApi):
    for is_painted in (False, True):
        LitRobot(scene, "/world/robot", load_robot("quince"), is_painted=is_painted)
        for name in names(scene, "/world/robot"):
            node = scene.get_handle_by_name(name)
            if name.endswith("shade"):
                assert not node.cast_shadow
            else:
                assert node.cast_shadow != is_painted


def test_the_look_of_a_stage_changes_and_robot_trails_and_ghosts_stay(scene: viser.SceneApi):
    stage = Stage(scene, load_robot("tp100"), load_course("slippery"), ("icr",))
    lean = names(scene)
    for x in (0.0, 0.5, 1.0):
        stage.show([Frame(pose=Pose(x=x), belt_travels=(x, x))] * 2)
    trails = names(scene, "/world/trail0")
    for look in ("full", "painted"):
        stage.look = look
        assert stage.look == look
        assert names(scene, "/world/trail0") == trails
        root = scene.get_handle_by_name("/world/robot")
        assert_allclose(root.position, (1.0, 0.0, 0.0))
        assert "/world/robot/hull" in names(scene)
        assert "/world/ghost0/hull" in names(scene)
    stage.look = "lean"
    assert set(lean) <= set(names(scene))
    assert scene.get_handle_by_name("/world/sky") is None


def test_soft_ground_has_textures_and_keeps_its_ruts_through_a_change(scene: viser.SceneApi):
    course = load_course("soil-bin")
    grid = RutGrid(x=-2.0, y=-4.0, cell=0.02, depth=np.zeros((400, 550)))
    stage = Stage(scene, load_robot("tp100"), course, ruts=grid, look="lean")
    flat = names(scene, "/world/soil")
    grid.depth[195:205, 150:200] = 0.02
    stage.show_ruts(grid)
    assert stage.deepest_rut == pytest.approx(0.02)
    pressed = names(scene, "/world/soil")
    assert pressed != flat
    stage.look = "full"
    assert stage.deepest_rut == pytest.approx(0.02)
    kinds = {type(scene.get_handle_by_name(name)).__name__ for name in names(scene, "/world/soil")}
    assert kinds == {"GlbHandle", "MeshHandle"}


def test_each_look_has_one_sun(scene: viser.SceneApi):
    for look in (*LOOKS, *LOOKS):
        light_scene(scene, look)
        suns = [scene.get_handle_by_name(name) for name in ("/light/sun", "/world/sun")]
        assert [sun is not None for sun in suns] == [look == "lean", look != "lean"]


def test_patches_have_the_colour_of_their_surface_and_mud_is_not_ice(scene: viser.SceneApi):
    text = find_description("course", "slippery").read_text()
    colours = {}
    for name in ("ice", "mud"):
        course = parse_course(text.replace("ice", name), "course.toml")
        GroundNode(scene, "/world/ground", course)
        colours[name] = np.array(scene.get_handle_by_name("/world/ground/patch0").color)
    assert colours["ice"][2] > colours["ice"][0] + 20
    assert colours["mud"][0] > colours["mud"][2] + 20
