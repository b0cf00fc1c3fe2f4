"""Forces, slip, pressure, support, centres of rotation and lidar points in the scene."""

import math
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
import viser
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from grouser.control import Sticks
from grouser.datasheet.slopes import tipping_angle
from grouser.description import load_robot
from grouser.description.sensors import Lidar
from grouser.geometry import Pose, Twist
from grouser.laws.slope import GRAVITY
from grouser.models import Contact, Motion
from grouser.scenario import Scenario
from grouser.simulation.sensors import Reading, Sample
from grouser.viewer.scene.forces import FORCE, ForcesNode
from grouser.viewer.scene.points import PointsNode, points_of
from grouser.viewer.scene.pressure import TILES, colours_of, pressures, strips_of
from grouser.viewer.scene.readings import OVERLAYS, Overlays
from grouser.viewer.scene.stage import TRAIL, ghost_colour
from grouser.viewer.scene.support import (
    CENTRE,
    CENTRES,
    SAFE,
    TIPPING,
    rotation_centres,
    support_polygon,
)
from grouser.viewer.scene.vectors import (
    MAX_ARROWS,
    SLIP,
    ArrowsNode,
    Scale,
    quaternions_from_x,
    round_up,
)
from grouser.viewer.session import MAX_GHOSTS, Session, at_rest


@pytest.fixture(scope="module")
def server() -> Iterator[viser.ViserServer]:
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield server
    server.stop()


@pytest.fixture
def scene(server: viser.ViserServer) -> Iterator[viser.SceneApi]:
    yield server.scene
    server.scene.reset()


@pytest.fixture(scope="module")
def standing() -> Session:
    session = Session(Scenario(robot="absolem", course="flat", model="csm"))
    for _ in range(50):
        session.advance(Sticks())
    return session


def contact(x: float, y: float, drive: str = "left", load: float = 10.0) -> Contact:
    return Contact(
        drive=drive,
        position_in_world=(x, y, 0.0),
        normal_in_world=(0.0, 0.0, 1.0),
        force_in_world=(0.0, 0.0, load),
        slip_in_world=(0.1, 0.0, 0.0),
    )


@pytest.mark.parametrize(
    ("value", "round_one"), [(1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (7.0, 10.0), (0.021, 0.05)]
)
def test_scales_are_one_two_or_five_times_a_power_of_ten(value: float, round_one: float):
    assert round_up(value) == pytest.approx(round_one)


def test_a_scale_grows_at_once_and_shrinks_slowly_but_not_below_the_least():
    scale = Scale(longest=0.5, least=1.0)
    assert scale.value == pytest.approx(2.0)
    assert scale.fit(100.0) == pytest.approx(200.0)
    assert scale.fit(60.0) == pytest.approx(200.0)
    for _ in range(1000):
        scale.fit(1e-6)
    assert 2.0 <= scale.value <= 2.0 / 0.3


def test_arrows_have_the_length_of_their_scale(scene: viser.SceneApi):
    arrows = ArrowsNode(scene, "/world/forces", SLIP, longest=0.5, least=10.0)
    node = scene.get_handle_by_name("/world/forces/all")
    assert isinstance(node, viser.BatchedMeshHandle)
    assert not node.visible
    places = np.array([(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)])
    arrows.show(places, np.array([(0.0, 0.0, 20.0), (0.0, 90.0, 0.0)]))
    assert node.visible
    assert arrows.scale.value == pytest.approx(200.0)
    assert node.batched_scales is not None
    assert np.asarray(node.batched_scales)[:3, 0].tolist() == pytest.approx(
        [0.45, 0.1, 0.0], abs=1e-5
    )
    turn = Rotation.from_quat(np.asarray(node.batched_wxyzs)[:2], scalar_first=True)
    assert_allclose(turn.apply([1.0, 0.0, 0.0]), [[0, 1, 0], [0, 0, 1]], atol=1e-6)
    many = np.tile((0.0, 0.0, 10.0), (3 * MAX_ARROWS, 1))
    arrows.show(many, many)
    assert len(node.batched_positions) == MAX_ARROWS
    arrows.show(np.zeros((0, 3)), np.zeros((0, 3)))
    assert not node.visible


def test_arrows_point_anywhere():
    directions = np.random.default_rng(1).normal(size=(50, 3))
    directions = np.concatenate((directions, np.eye(3), -np.eye(3)))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    turns = Rotation.from_quat(quaternions_from_x(directions), scalar_first=True)
    assert_allclose(turns.apply([1.0, 0.0, 0.0]), directions, atol=1e-12)


def test_pressures_of_all_strips_carry_the_robot(standing: Session):
    motion, robot = standing.motion, standing.robot
    total = 0.0
    for strip in strips_of(robot):
        found = pressures(strip, motion.contacts, motion)
        assert found.shape == (TILES,)
        total += float(found.sum()) * strip.tile * strip.width
    assert total == pytest.approx(robot.mass * 9.81, rel=0.02)


def test_the_load_of_a_contact_is_on_the_tiles_around_it():
    robot = load_robot("tp100")
    strip = strips_of(robot)[0]
    motion = at_rest(robot, Pose(x=2.0, yaw=math.pi / 2.0))
    front = strip.front - 0.5 * strip.tile
    found = pressures(
        strip,
        [contact(2.0 - strip.y, front, strip.name), contact(2.0 - strip.y, -front, strip.name)],
        motion,
    )
    assert found[-1] > 0.0
    assert found[-1] * strip.tile * strip.width * TILES == pytest.approx(20.0, rel=1.0)
    assert_allclose(found.sum() * strip.tile * strip.width, 20.0)
    assert not pressures(strip, (), motion).any()


def test_colours_of_pressure_go_from_light_to_dark():
    colours = colours_of(np.array([0.0, 0.5, 1.0, 7.0]))
    assert colours[0].sum() > colours[1].sum() > colours[2].sum()
    assert_allclose(colours[2], colours[3])


def test_a_support_polygon_is_the_hull_of_the_contacts_seen_from_above():
    corners = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)]
    inside = [(1.0, 0.5), (1.0, 0.0), (0.5, 0.9)]
    found = support_polygon([contact(*place) for place in corners + inside])
    assert sorted(map(tuple, found[:, :2].tolist())) == sorted(corners)
    x, y = found[:, 0], found[:, 1]
    assert 0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) == pytest.approx(2.0)
    assert len(support_polygon([contact(0.0, 0.0)])) == 1
    assert len(support_polygon([])) == 0


def test_the_tip_over_angle_of_a_robot_on_level_ground_is_that_of_its_support(standing: Session):
    robot, motion = standing.robot, standing.motion
    edges = ("forward", "back", "side")
    static = min(tipping_angle(robot, edge) for edge in edges)
    assert motion.tip_over_angle == pytest.approx(static, abs=math.radians(0.5))


def moving(robot, vx: float, vy: float, turn: float, belts: tuple[float, float]) -> Motion:
    still = at_rest(robot, Pose())
    return replace(still, twist=Twist(vx=vx, vy=vy, yaw_rate=turn), belt_speeds=belts)


def test_centres_of_rotation_are_where_body_and_belts_do_not_move():
    robot = load_robot("tp100")
    found = rotation_centres(robot, moving(robot, 0.2, -0.02, 0.5, (0.1, 0.35)))
    assert found is not None
    assert found["body"] == pytest.approx((0.04, 0.4))
    assert found["left belts"] == pytest.approx((0.04, 0.2))
    assert found["right belts"] == pytest.approx((0.04, -0.3))
    assert rotation_centres(robot, moving(robot, 0.2, 0.0, 0.0, (0.2, 0.2))) is None


def test_overlays_are_shown_with_a_legend_only_while_they_are_on(
    server: viser.ViserServer, standing: Session
):
    overlays, scene = Overlays(server, standing.robot), server.scene
    overlays.show(standing.snapshot())
    assert overlays.legend() == []
    for name in OVERLAYS:
        overlays.switch(name, True)
        overlays.show(standing.snapshot())
        assert overlays.legend(), name
        overlays.switch(name, False)
    overlays.switch("forces", True)
    (entry,) = overlays.legend()
    assert "N per cm" in entry["words"]
    overlays.switch("slip", True)
    words = [entry["words"] for entry in overlays.legend()]
    assert "m/s per cm" in words[1]
    bare = Session(Scenario(robot="absolem", course="flat", model="ideal"))
    overlays.show(bare.snapshot())
    assert [entry["words"] for entry in overlays.legend()] == ["this model has no contacts"]
    overlays.remove()
    assert [n for n in scene._handle_from_node_name if n.startswith("/world/")] == []


def test_an_arrow_beside_each_track_and_flipper_is_the_sum_of_its_forces(
    scene: viser.SceneApi, standing: Session
):
    robot, motion = standing.robot, standing.motion
    node = ForcesNode(scene, "/world/forces", robot, longest=0.5, least=10.0)
    node.show(motion)
    outermost = max(abs(contact.position_in_world[1]) for contact in motion.contacts)
    for track in robot.drives:
        mesh = scene.get_handle_by_name(f"/world/forces/{track.name}")
        label = scene.get_handle_by_name(f"/world/forces/{track.name}-label")
        own = [one.force_in_world for one in motion.contacts if one.drive == track.name]
        total = float(np.linalg.norm(np.sum(own, axis=0)))
        assert total > 0.2 * robot.mass * GRAVITY
        assert isinstance(label, viser.LabelHandle)
        assert label.text == f"{total:.0f} N"
        assert mesh.visible
        assert abs(mesh.position[1]) > outermost
        assert mesh.scale[0] == pytest.approx(total / node.scale.value)
    raised = [one.name for one in robot.flippers if "front" in one.name]
    assert not any(scene.get_handle_by_name(f"/world/forces/{name}").visible for name in raised)
    script = files("grouser.viewer") / "assets" / "look.js"
    assert f"FORCE = 0x{bytes(FORCE).hex()};" in script.read_text("utf-8")


def test_no_overlay_has_the_colour_of_a_trail_or_ghost():
    taken = [TRAIL, *(ghost_colour(number) for number in range(MAX_GHOSTS))]
    marks = [FORCE, SLIP, SAFE, TIPPING, CENTRE, *CENTRES.values()]
    for number, mark in enumerate(marks):
        assert min(math.dist(mark, other) for other in (*taken, *marks[:number])) > 30.0


def test_points_are_where_the_rays_met_something(scene: viser.SceneApi):
    robot = load_robot("examples/absolem-sensors.toml")
    flat, _ = (table for table in robot.sensors.tables if isinstance(table, Lidar))
    ranges = np.full(flat.rays, np.inf)
    ranges[flat.rays // 2] = 2.0
    sample = Sample("lidar", 0.0, (), ranges.astype(np.float32))
    assert_allclose(points_of(sample, flat), [[2.0, 0.0, 0.0]], atol=1e-9)
    node = PointsNode(scene, "/world/lidar", robot)
    node.remember(0.0, at_rest(robot, Pose(x=1.0, yaw=math.pi / 2.0)))
    node.remember(0.5, at_rest(robot, Pose(x=9.0)))
    node.show(Reading(columns=(), values=(), known=(sample,)))
    cloud = scene.get_handle_by_name("/world/lidar/lidar")
    assert isinstance(cloud, viser.PointCloudHandle)
    assert_allclose(cloud.points, [[1.0, 0.1 + 2.0, 0.35]], atol=1e-5)
