"""Figures against a real server: what a browser that connects would be told."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import viser
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from grouser.description import course_names, load_course, load_robot, robot_names
from grouser.drawing.playback import Frame
from grouser.errors import InvalidValue
from grouser.geometry import Pose
from grouser.models.ground.ruts import RutGrid
from grouser.viewer.scene import GroundNode, RobotNode, Stage, TrailNode
from grouser.viewer.scene.overlays import (
    CHUNK,
    CHUNKS,
    LinesNode,
    mix,
    to_linear,
    to_rgb,
)
from grouser.viewer.scene.stage import ghost_colour
from grouser.viewer.session import MAX_GHOSTS

STILL = Frame(pose=Pose(), belt_travels=(0.0, 0.0))


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


def node(scene: viser.SceneApi, name: str):
    found = scene.get_handle_by_name(name)
    assert found is not None, name
    return found


@pytest.mark.parametrize("name", robot_names())
def test_every_robot_is_shown_and_removed_without_a_rest(scene: viser.SceneApi, name: str):
    robot = load_robot(name)
    for ghost in (None, (0, 114, 178)):
        figure = RobotNode(scene, "/world/robot", robot, ghost=ghost)
        figure.show(Frame(pose=Pose(x=1.0), belt_travels=(0.2,) * len(robot.drives)))
        assert len(names(scene)) <= 20
        figure.remove()
        assert names(scene) == []


def test_the_body_takes_the_pose_of_the_frame(scene: viser.SceneApi):
    pose = Pose(x=1.0, y=-2.0, z=0.3, roll=0.1, pitch=-0.4, yaw=2.0)
    figure = RobotNode(scene, "/world/robot", load_robot("tp100"))
    figure.show(replace(STILL, pose=pose))
    root = node(scene, "/world/robot")
    assert root.position.tolist() == [1.0, -2.0, 0.3]
    found = Rotation.from_quat(root.wxyz, scalar_first=True)
    assert (pose.rotation.inv() * found).magnitude() == pytest.approx(0.0, abs=1e-12)


def test_ribs_move_with_travel_and_come_back_after_a_full_turn(scene: viser.SceneApi):
    robot = load_robot("tp100")
    figure = RobotNode(scene, "/world/robot", robot)
    ribs = node(scene, "/world/robot/ribs0")
    start = ribs.batched_positions.copy()
    figure.show(replace(STILL, belt_travels=(0.01, 0.0)))
    left = start[:, 1] > 0.0
    moved = np.linalg.norm(ribs.batched_positions - start, axis=1)
    # On an arc the chord is a little shorter than the way.
    assert_allclose(moved[left], 0.01, rtol=0.01)
    assert_allclose(moved[~left], 0.0)
    length = robot.tracks[0].loop.length
    figure.show(replace(STILL, belt_travels=(length, length)))
    assert_allclose(ribs.batched_positions, start, atol=1e-6)


def test_flippers_turn_about_their_hinges_and_carry_their_ribs(scene: viser.SceneApi):
    robot = load_robot("absolem")
    figure = RobotNode(scene, "/world/robot", robot)
    rest = node(scene, "/world/robot/front-left").wxyz.copy()
    assert 2.0 * math.atan2(rest[2], rest[0]) == pytest.approx(robot.flippers[0].rest_angle)
    ribs = node(scene, "/world/robot/ribs0")
    figure.show(replace(STILL, flipper_angles=(0.0, 0.0, 0.0, 0.0)))
    before = ribs.batched_positions.copy()
    figure.show(replace(STILL, flipper_angles=(0.5, 0.0, 0.0, 0.0)))
    flipper = node(scene, "/world/robot/front-left")
    assert flipper.position.tolist() == list(robot.flippers[0].hinge)
    assert flipper.wxyz.tolist() == pytest.approx([math.cos(0.25), 0.0, math.sin(0.25), 0.0])
    moved = np.linalg.norm(ribs.batched_positions - before, axis=1) > 1e-6
    assert_allclose(before[moved, 1], 0.272, rtol=1e-6)
    assert moved.sum() > 10
    # A positive angle lowers what is ahead of the hinge.
    farthest = np.argmax(np.where(moved, before[:, 0], -np.inf))
    assert ribs.batched_positions[farthest, 2] < before[farthest, 2] - 0.1


def test_a_frame_without_flipper_angles_shows_them_at_rest(scene: viser.SceneApi):
    robot = load_robot("quince")
    figure = RobotNode(scene, "/world/robot", robot)
    figure.show(replace(STILL, flipper_angles=(0.5, 0.5, 0.5, 0.5)))
    figure.show(STILL)
    assert node(scene, "/world/robot/rear-right").wxyz.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_the_shade_is_below_a_level_robot_only_and_ghosts_have_none(scene: viser.SceneApi):
    figure = RobotNode(scene, "/world/robot", load_robot("tp100"))
    shade = node(scene, "/world/robot/shade")
    assert shade.visible
    figure.show(replace(STILL, pose=Pose(pitch=-0.2)))
    assert not shade.visible
    figure.show(replace(STILL, pose=Pose(roll=0.01, yaw=3.0)))
    assert shade.visible
    RobotNode(scene, "/world/ghost", load_robot("tp100"), ghost=(1, 2, 3))
    assert scene.get_handle_by_name("/world/ghost/shade") is None


def test_a_ghost_is_translucent_in_its_colour_and_a_robot_is_opaque(scene: viser.SceneApi):
    robot = load_robot("absolem")
    RobotNode(scene, "/world/robot", robot)
    RobotNode(scene, "/world/ghost", robot, ghost=(0, 114, 178))
    for part in ("hull", "rubber", "front-left", "front-left/metal", "ribs0"):
        assert node(scene, f"/world/robot/{part}").opacity is None
        assert 0.0 < node(scene, f"/world/ghost/{part}").opacity < 1.0
    assert tuple(node(scene, "/world/ghost/hull").color) == (0, 114, 178)
    assert tuple(node(scene, "/world/robot/hull").color) != (0, 114, 178)


def test_a_frame_that_changes_nothing_sends_nothing(
    server: viser.ViserServer, scene: viser.SceneApi
):
    figure = RobotNode(scene, "/world/robot", load_robot("absolem"))
    frame = Frame(pose=Pose(x=1.0), belt_travels=(0.1, 0.2), flipper_angles=(0.1,) * 4)
    figure.show(frame)
    buffer = server._websock_server._broadcast_buffer
    before = buffer.message_counter
    figure.show(replace(frame, pose=Pose(x=1.0)))
    assert buffer.message_counter == before
    figure.show(replace(frame, pose=Pose(x=1.1)))
    assert buffer.message_counter == before + 1


def test_some_ribs_are_marked_on_every_belt(scene: viser.SceneApi):
    RobotNode(scene, "/world/robot", load_robot("quince"))
    colours = node(scene, "/world/robot/ribs0").batched_colors
    light = colours[:, 0] > 60
    for first, count in ((0, 40), (40, 40), (80, 22)):
        belt = light[first : first + count]
        assert 3 <= belt.sum() <= count // 4
        assert not (belt & np.roll(belt, 1)).any()


@pytest.mark.parametrize("name", course_names())
def test_every_course_is_shown_and_removed_without_a_rest(scene: viser.SceneApi, name: str):
    course = load_course(name)
    figure = GroundNode(scene, "/world/ground", course)
    shown = names(scene)
    assert "/world/ground/floor0" in shown
    assert ("/world/ground/path" in shown) == (course.path is not None)
    assert ("/world/ground/border" in shown) == (course.area is not None)
    assert ("/world/ground/patch0" in shown) == bool(course.terrain.patches)
    assert ("/world/ground/solids0" in shown) == (len(course.terrain.solids) > 1)
    assert len(shown) <= 20
    figure.remove()
    assert names(scene) == []


def test_the_floor_of_a_slope_is_tilted_like_the_ground(scene: viser.SceneApi):
    course = load_course("slope:angle_deg=20")
    GroundNode(scene, "/world/ground", course)
    floor = node(scene, "/world/ground/floor0")
    turn = Rotation.from_quat(floor.wxyz, scalar_first=True)
    for place in ((0.0, 0.0, 0.0), (2.0, 1.0, 0.0), (-3.0, 2.0, 0.0)):
        x, y, z = turn.apply(place) + floor.position
        assert z == pytest.approx(course.terrain.height(x, y))


def test_wood_is_for_pallets_and_start_and_goal_are_marked(scene: viser.SceneApi):
    course = load_course("pallet")
    GroundNode(scene, "/world/ground", course)
    red, _, blue = node(scene, "/world/ground/solids0").color
    assert red > blue + 50
    assert node(scene, "/world/ground/goal").position.tolist() == pytest.approx([3.0, 0.0, 0.0])
    assert node(scene, "/world/ground/start").position.tolist() == [0.0, 0.0, 0.0]
    GroundNode(scene, "/world/loop", load_course("playground"))
    assert scene.get_handle_by_name("/world/loop/goal") is None


def test_a_trail_grows_by_its_spacing_and_is_bounded(scene: viser.SceneApi):
    trail = TrailNode(scene, "/world/trail", (1, 2, 3), spacing=0.1, thickness=0.01)
    trail.extend(0.0, 0.0, 0.0)
    assert names(scene, "/world/trail") == []
    trail.extend(0.05, 0.0, 0.0)
    assert names(scene, "/world/trail") == []
    trail.extend(0.2, 0.0, 0.0)
    (name,) = names(scene, "/world/trail")
    assert_allclose(node(scene, name).points, [[[0, 0, 0.005], [0.2, 0, 0.005]]], atol=1e-7)
    for number in range(2, (CHUNKS + 5) * CHUNK):
        trail.extend(0.2 * number, 0.0, 0.0)
    assert len(names(scene, "/world/trail")) == CHUNKS
    lines = sorted(
        (node(scene, name).points for name in names(scene, "/world/trail")),
        key=lambda p: p[0, 0, 0],
    )
    points = np.concatenate(lines)
    assert_allclose(points[1:, 0], points[:-1, 1])  # joined, no gap between nodes
    assert points[-1, 1, 0] == pytest.approx(0.2 * ((CHUNKS + 5) * CHUNK - 1))
    trail.clear()
    assert names(scene, "/world/trail") == []
    trail.extend(0.0, 0.0, 0.0)
    trail.extend(1.0, 0.0, 0.0)
    assert len(names(scene, "/world/trail")) == 1
    trail.remove()
    assert names(scene) == []


def test_a_stage_shows_robot_ghosts_trails_and_removes_all(server: viser.ViserServer):
    robot, course = load_robot("tp100"), load_course("slippery")
    stage = Stage(server, robot, course, ("ideal", "slip"))
    frames = [replace(STILL, pose=Pose(x=0.1 * number)) for number in range(3)]
    stage.show(frames)
    stage.show([replace(frame, pose=Pose(x=float(frame.pose.x) + 0.1)) for frame in frames])
    scene = server.scene
    assert node(scene, "/world/robot").position[0] == pytest.approx(0.1)
    assert node(scene, "/world/ghost1").position[0] == pytest.approx(0.3)
    assert len(names(scene, "/world/trail2")) == 1
    assert stage.trails
    stage.trails = False
    assert not node(scene, "/world/trail0").visible
    stage.clear_trails()
    assert names(scene, "/world/trail2") == []
    with pytest.raises(ValueError, match="shorter"):
        stage.show(frames[:2])
    stage.remove()
    assert names(scene) == []
    scene.reset()


def test_a_stage_takes_a_scene_and_a_root_of_its_own(scene: viser.SceneApi):
    stage = Stage(scene, load_robot("tp100"), load_course("flat"), (), root="/world/second")
    stage.show([STILL])
    assert all(name.startswith("/world/second") for name in names(scene))
    assert node(scene, "/light/sun") is not None
    stage.remove()
    assert names(scene) == ["/world/second"]


def test_ghosts_differ_in_colour():
    assert len({ghost_colour(number) for number in range(MAX_GHOSTS)}) == MAX_GHOSTS


def test_colours_are_converted():
    assert to_rgb((1.0, 0.5, 0.0)) == (255, 128, 0)
    assert mix((0, 0, 0), (100, 200, 50), 0.5) == (50, 100, 25)
    # sRGB: half of the light is at 188.
    assert to_linear(np.array([0.0, 188.0, 255.0])).tolist() == [0, 128, 255]


def test_lines_of_a_program_replace_each_other_and_can_be_removed(scene: viser.SceneApi):
    lines = LinesNode(scene, "/world/lines/plan")
    lines.show(np.zeros((3, 5, 3)), (1, 2, 3), 0.01)
    lines.show(np.ones((2, 4, 3)), [(1, 2, 3), (4, 5, 6)], 0.01)
    found = node(scene, "/world/lines/plan/lines")
    assert found.points.shape == (6, 2, 3)
    assert found.colors.reshape(2, 3, 2, 3)[1].tolist() == [[[4, 5, 6]] * 2] * 3
    lines.show(np.zeros((0, 0, 3)), (1, 2, 3), 0.01)
    assert not names(scene, "/world/lines/plan")
    lines.remove()


@pytest.mark.parametrize(
    ("points", "colours", "sentence"),
    [
        (np.zeros((3, 5)), (1, 2, 3), r"points must be an array \(lines, vertices, 3\)"),
        (np.zeros((3, 1, 3)), (1, 2, 3), "at least 2 vertices"),
        (np.zeros((3, 40_000, 3)), (1, 2, 3), "have at most 100,000 vertices, not '120,000'"),
        (np.zeros((3, 5, 3)), np.zeros((2, 3)), r"colours must be one colour \(3,\), or one for"),
    ],
)
def test_lines_that_cannot_be_shown_are_refused(scene: viser.SceneApi, points, colours, sentence):
    lines = LinesNode(scene, "/world/lines/plan")
    with pytest.raises(InvalidValue, match=sentence):
        lines.show(points, colours, 0.01)
    lines.remove()


def rut_grid() -> RutGrid:
    return RutGrid(x=-2.0, y=-4.0, cell=0.02, depth=np.zeros((400, 550)))


def test_soft_ground_is_cut_out_of_the_floor_and_firm_ground_closes_it(scene: viser.SceneApi):
    stage = Stage(scene, load_robot("tp100"), load_course("soil-bin"), ruts=rut_grid())
    assert "/world/ground/floor0-3" in names(scene)
    assert "/world/ground/patch0" not in names(scene)
    assert any(name.startswith("/world/soil/block0-0.") for name in names(scene))
    stage.show_ruts(None)
    assert "/world/ground/floor0-3" not in names(scene)
    assert "/world/ground/patch0" in names(scene)
    assert names(scene, "/world/soil") == []
    stage.show_ruts(rut_grid())
    assert names(scene, "/world/soil") != []
    stage.remove()
    assert names(scene) == []


def test_ruts_are_sent_where_they_are_new_and_a_reset_removes_them(
    server: viser.ViserServer, scene: viser.SceneApi
):
    ruts = rut_grid()
    stage = Stage(scene, load_robot("tp100"), load_course("soil-bin"), ruts=ruts)
    flat = names(scene)
    ruts.depth[100:105, 120:180] = 0.03
    buffer = server._websock_server._broadcast_buffer
    before = buffer.message_counter
    stage.show_ruts(ruts)
    assert buffer.message_counter > before
    pressed = [name for name in names(scene) if name not in flat]
    assert pressed
    assert all(name.startswith("/world/soil/tile") for name in pressed)
    deepest = min(node(scene, name).vertices[:, 2].min() for name in pressed)
    assert deepest == pytest.approx(-0.03)
    assert stage.deepest_rut == 0.03
    before = buffer.message_counter
    stage.show_ruts(ruts)
    assert buffer.message_counter == before
    stage.show_ruts(rut_grid())
    assert names(scene) == flat
    assert stage.deepest_rut == 0.0


def test_the_trail_of_a_robot_that_has_sunk_in_lies_on_the_ground(scene: viser.SceneApi):
    stage = Stage(scene, load_robot("tp100"), load_course("soil-bin"), ruts=rut_grid())
    for x in (0.0, 0.1, 0.2):
        stage.show([replace(STILL, pose=Pose(x=x, z=-0.05))])
    assert node(scene, "/world/trail0/1").points[..., 2].min() > 0.0
