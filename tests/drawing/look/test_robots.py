"""Hulls and running gear."""

import numpy as np
import pytest
import trimesh
from numpy.testing import assert_allclose

from grouser.description import load_robot, robot_names
from grouser.description.find import find_description
from grouser.drawing.look.gear import find_shoes, find_wheels, flipper_gear, still_gear
from grouser.drawing.look.hulls import HULLS, paint_hull
from grouser.drawing.look.materials import PALETTE
from grouser.drawing.robot_mesh import own_hull, shape_robot
from grouser.errors import InvalidDescription


@pytest.mark.parametrize("name", robot_names())
def test_every_robot_has_its_own_hull_as_large_as_its_box(name: str):
    robot = load_robot(name)
    assert name in HULLS
    painted = paint_hull(robot)
    assert {word for word, _ in painted} <= set(PALETTE)
    corners = np.concatenate([mesh.vertices for _, mesh in painted])
    box = np.array(robot.body.centre) + 0.5 * np.outer((-1, 1), robot.body.size)
    assert (corners.min(axis=0) < box[0] + 0.1 * np.array(robot.body.size)).all()
    assert (corners.max(axis=0) > box[1] - 0.1 * np.array(robot.body.size)).all()
    gear = np.concatenate([mesh.vertices for _, mesh in still_gear(robot)])
    assert gear[:, 2].min() > -1e-6


def test_an_unknown_robot_has_a_hull_of_its_box():
    for name in ("absolem", "quince"):
        robot = load_robot(name).model_copy(update={"name": "my-robot"})
        assert len(paint_hull(robot)) > 5


def test_wheels_turn_with_the_belt_and_return_after_a_whole_turn():
    robot = load_robot("absolem")
    (row,) = find_wheels(robot)
    rest = tuple(flipper.rest_angle for flipper in robot.flippers)
    places, still = row.at((0.0, 0.0), rest)
    turn = 2.0 * np.pi * row.radii[0]
    same, turned = row.at((0.25 * turn, 0.0), rest)
    assert_allclose(same, places)
    half = 0.5 * (
        2.0 * np.arctan2(turned[0, 2], turned[0, 0]) - 2.0 * np.arctan2(*still[0, [2, 0]])
    )
    assert half == pytest.approx(0.25 * np.pi)
    right = row.drives == 1
    assert_allclose(turned[right], still[right])
    again = np.abs(np.sum(row.at((turn, turn), rest)[1][:1] * still[:1], axis=1))
    assert_allclose(again, 1.0, atol=1e-9)


def test_wheels_of_flippers_move_with_them():
    robot = load_robot("quince")
    (row,) = find_wheels(robot)
    level, _ = row.at((0.0, 0.0), (0.0,) * 4)
    lowered, _ = row.at((0.0, 0.0), (0.5, 0.0, 0.0, 0.0))
    moved = np.linalg.norm(lowered - level, axis=1) > 1e-6
    assert set(row.flippers[moved]) == {0}
    assert lowered[moved, 2].min() < level[moved, 2].min() - 0.05


def test_shoes_are_as_many_as_the_file_has_grousers_and_as_high():
    robot = load_robot("packbot510")
    (shoes,) = find_shoes(robot)
    grousers = robot.tracks[0].grousers
    assert grousers is not None
    assert [row.count for row in shoes.rows] == [grousers.count] * 2
    assert shoes.shape.bounds[1, 2] == pytest.approx(grousers.height)
    assert find_shoes(load_robot("zhou-ugv")) == ()
    assert [len(find_wheels(load_robot(name))) for name in ("zhou-ugv", "tp100")] == [1, 1]


def test_a_flipper_has_a_band_and_an_arm():
    names = [name for name, _ in flipper_gear(load_robot("absolem").flippers[0])]
    assert names == ["rubber", "arm"]


@pytest.fixture
def robot_file(tmp_path):
    text = find_description("robot", "tp100").read_text()
    file = tmp_path / "mine.toml"
    keys = '[body]\nmesh = "hull.stl"\nmesh_scale_m = 0.001\nmesh_origin_m = [0.0, 0.0, 0.05]\n'
    file.write_text(text.replace("[body]\n", keys))
    return file


def test_a_mesh_of_the_user_is_the_hull_and_moves_nothing(robot_file):
    ball = trimesh.creation.icosphere(radius=40.0)
    ball.export(robot_file.with_name("hull.stl"))
    robot = load_robot(robot_file)
    assert robot.content_hash == load_robot("tp100").content_hash
    hull = own_hull(robot)
    assert hull is not None
    assert_allclose(hull.bounds, [[-0.04, -0.04, 0.01], [0.04, 0.04, 0.09]], atol=1e-3)
    assert len(paint_hull(robot)) == 1
    assert_allclose(shape_robot(robot).hull.bounds, hull.bounds)
    robot_file.with_name("hull.stl").unlink()
    assert own_hull(robot) is None  # a log is shown without the files of its robot


def test_mistakes_in_a_mesh_are_named_with_the_key(robot_file):
    with pytest.raises(InvalidDescription, match=r"body.mesh: .*hull.stl: there is no such file"):
        load_robot(robot_file)
    robot_file.with_name("hull.stl").write_bytes(b"nonsense")
    with pytest.raises(InvalidDescription, match=r"body.mesh: .*hull.stl: "):
        load_robot(robot_file)
    robot_file.write_text(robot_file.read_text().replace("hull.stl", "hull.step"))
    with pytest.raises(InvalidDescription, match=r"body.mesh: .*must be a file that ends in .stl"):
        load_robot(robot_file)
