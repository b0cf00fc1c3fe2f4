"""Cylinders, cones and tilted boxes."""

import math

import numpy as np
import pytest

from grouser.description import parse_course
from grouser.description.course import Course
from grouser.drawing import ground_mesh
from grouser.errors import InvalidDescription
from grouser.models.rays.scene import RayScene

LOG = 'kind = "cylinder"\ndiameter_m = 0.2\nlength_m = 1.0\n'
POST = f"{LOG}standing = true\n"
CONE = 'kind = "cone"\ndiameter_m = 0.6\nheight_m = 0.3\n'
BOX = 'kind = "box"\nlength_m = 1.0\nwidth_m = 0.5\nheight_m = 0.1\n'
SHAPES = {
    "log": LOG, "log across": f"{LOG}yaw_deg = 90.0\n", "tilted log": f"{LOG}pitch_deg = 20.0\n",
    "post": POST, "cone": CONE, "truncated cone": f"{CONE}top_diameter_m = 0.2\n",
    "pitched box": f"{BOX}pitch_deg = -20.0\n", "rolled box": f"{BOX}roll_deg = 30.0\n",
    "turned box": f"{BOX}roll_deg = 10.0\npitch_deg = 25.0\nyaw_deg = 40.0\n",
}  # fmt: skip
VOLUMES = {
    "log": math.pi * 0.01, "post": math.pi * 0.01, "cone": math.pi * 0.009,
    "truncated cone": math.pi * 0.1 * (0.09 + 0.03 + 0.01), "turned box": 0.05,
}  # fmt: skip


def course(piece: str, plane: str = "[[terrain]]\nkind = 'plane'\n") -> Course:
    return parse_course(f"name = 'shape'\n{plane}[[terrain]]\n{piece}", "shape.toml")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_is_closed_convex_and_stands_on_its_base(shape: str):
    (mesh,) = course(f"{SHAPES[shape]}base_m = 0.4\n").terrain.meshes
    solid = ground_mesh.solid_mesh(mesh)
    assert solid.is_volume
    assert solid.is_convex
    assert mesh.vertices[:, 2].min() == pytest.approx(0.4)
    assert np.mean(mesh.footprint.corners, axis=0) == pytest.approx([0.0, 0.0], abs=1e-12)
    if shape in VOLUMES:
        assert solid.volume == pytest.approx(VOLUMES[shape], rel=0.012)


@pytest.mark.parametrize("shape", SHAPES)
def test_its_height_is_what_a_ray_from_above_meets(shape: str):
    terrain = course(SHAPES[shape]).terrain
    x, y = (axis.ravel() for axis in np.meshgrid(*[np.linspace(-0.61, 0.58, 29)] * 2))
    origins = np.column_stack((x, y, np.full(x.size, 3.0)))
    hits = 3.0 - RayScene(terrain).cast(origins, np.tile((0.0, 0.0, -1.0), (x.size, 1)))
    heights = np.asarray(terrain.height(x, y))
    assert hits == pytest.approx(heights, abs=1e-6)
    assert heights.max() > 0.1


@pytest.mark.parametrize("shape", ["log", "post", "cone", "pitched box"])
def test_a_shape_along_the_path_is_its_own_mirror_image(shape: str):
    terrain = course(SHAPES[shape]).terrain
    x, y = np.meshgrid(np.linspace(-0.6, 0.6, 41), np.linspace(0.0, 0.6, 21))
    assert terrain.height(x, y) == pytest.approx(np.asarray(terrain.height(x, -y)), abs=1e-12)
    corners = terrain.meshes[0].vertices
    assert {*map(tuple, corners)} == {*map(tuple, corners * [1.0, -1.0, 1.0] + 0.0)}


def test_the_top_of_a_log_is_its_diameter_and_its_side_the_circle_within_a_hundredth():
    terrain = course(LOG).terrain
    assert terrain.height(0.0, 0.0) == pytest.approx(0.2)
    y = np.linspace(-0.09, 0.09, 50)
    assert terrain.height(0.1, y) == pytest.approx(0.1 + np.sqrt(0.01 - y**2), abs=0.002)
    fine = course(f"{LOG}facets = 128\n").terrain
    assert fine.height(0.1, y) == pytest.approx(0.1 + np.sqrt(0.01 - y**2), abs=1e-4)


def test_a_cone_rises_to_its_tip_or_to_a_level_top():
    assert course(CONE).terrain.height(0.0, 0.0) == pytest.approx(0.3)
    assert course(CONE).terrain.height(0.15, 0.0) == pytest.approx(0.15)
    top = course(SHAPES["truncated cone"]).terrain
    assert top.height(np.array([0.0, 0.09, 0.2]), 0.0) == pytest.approx([0.3, 0.3, 0.15])


def test_a_tilted_box_has_the_slope_that_it_is_given():
    pitched = course(SHAPES["pitched box"]).terrain.pose_at(0.0, 0.0, 0.0)
    assert pitched.pitch == pytest.approx(math.radians(-20.0))
    middle = 0.5 * math.sin(math.radians(20.0)) + 0.05 * math.cos(math.radians(20.0))
    assert pitched.z == pytest.approx(middle + 0.05 / math.cos(math.radians(20.0)))
    rolled = course(SHAPES["rolled box"]).terrain.pose_at(0.0, 0.0, 0.0)
    assert rolled.roll == pytest.approx(math.radians(30.0))


def test_only_a_tilted_box_is_a_mesh_and_level_ones_keep_their_hash():
    level, tilted = course(BOX), course(f"{BOX}roll_deg = 1.0\n")
    assert (level.features, tilted.features) == ({"steps"}, {"mesh"})
    assert course(f"{BOX}roll_deg = 0.0\n").content_hash == level.content_hash
    assert tilted.content_hash != level.content_hash


@pytest.mark.parametrize(
    ("piece", "mistake"),
    [
        (f"{LOG}facets = 10\n", "facets: must be a multiple of 4, such as 24, not 10"),
        (f"{LOG}facets = 400\n", "facets: input should be less than or equal to 128"),
        (f"{CONE}top_diameter_m = 0.7\n", "top_diameter_m must be at most diameter_m, 0.6"),
        (f"{BOX}roll_deg = 91.0\n", "roll_deg: input should be less than or equal to 90"),
    ],
)
def test_a_shape_that_cannot_be_is_a_mistake(piece: str, mistake: str):
    with pytest.raises(InvalidDescription, match=mistake):
        course(piece)
