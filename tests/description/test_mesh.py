import math
from pathlib import Path

import numpy as np
import pytest
import trimesh

from grouser.description import load_course, parse_course
from grouser.description.mesh import Mesh
from grouser.description.mesh_file import read_mesh
from grouser.drawing import ground_mesh
from grouser.errors import InvalidDescription
from grouser.report.plan_view import course_labels, course_shapes

COURSE = """name = "arena"
[[terrain]]
kind = "plane"
[[terrain]]
kind = "mesh"
file = "arena.stl"
"""


def wedge() -> trimesh.Trimesh:
    """Return a block from x = 0 to 2 and y = -1 to 1, whose top rises from 0.2 to 0.6."""
    block = trimesh.creation.box((2.0, 2.0, 1.0)).apply_translation((1.0, 0.0, 0.5))
    vertices = block.vertices.copy()
    vertices[:, 2] *= 0.2 + 0.2 * vertices[:, 0]
    return trimesh.Trimesh(vertices, block.faces, process=False)


def place(folder: Path, mesh: trimesh.Trimesh, more: str = "", ending: str = "stl") -> Path:
    mesh.export(folder / f"arena.{ending}")
    (folder / "arena.toml").write_text(COURSE.replace("stl", ending) + more)
    return folder / "arena.toml"


def test_the_ground_is_the_top_of_the_mesh(tmp_path: Path):
    terrain = load_course(place(tmp_path, wedge())).terrain
    x = np.array([-0.1, 0.0, 0.5, 1.9, 2.0, 2.1])
    assert terrain.height(x, 0.3) == pytest.approx([0.0, 0.2, 0.3, 0.58, 0.6, 0.0])
    assert terrain.height(0.5, 0.3) == pytest.approx(0.3)
    pose = terrain.pose_at(0.5, 0.3, 0.0)
    assert (pose.pitch, pose.roll) == pytest.approx((-math.atan(0.2), 0.0))
    assert terrain.at(x, 0.3)[1][2] == pytest.approx(
        np.array([-0.2, 0.0, 1.0]) / math.hypot(1, 0.2)
    )


@pytest.mark.parametrize("ending", ["stl", "obj", "ply"])
def test_a_mesh_is_scaled_turned_and_moved(tmp_path: Path, ending: str):
    mesh = wedge().apply_scale(1000.0)
    more = "scale = 0.001\nx_m = 3.0\ny_m = 1.0\nyaw_deg = 90.0\nbase_m = 0.1\n"
    course = load_course(place(tmp_path, mesh, more, ending))
    assert course.terrain.height(3.0, 1.5) == pytest.approx(0.4)
    assert course.terrain.height(3.0, 2.9) == pytest.approx(0.68)
    (placed,) = course.terrain.meshes
    assert not placed.vertices.flags.writeable
    assert not placed.triangles.flags.writeable
    assert placed.top == pytest.approx(0.7)
    assert course.features == {"mesh"}


def test_many_triangles_give_the_same_height_as_all_of_them_looked_at():
    ball = trimesh.creation.icosphere(subdivisions=3, radius=1.0)
    mesh = Mesh(vertices=ball.vertices, triangles=ball.faces)
    x, y = np.random.default_rng(1).uniform(-1.1, 1.1, (2, 300))
    corners = ball.triangles
    heights = []
    for px, py in zip(x, y, strict=True):
        a, b, c = (corners[:, i, :2] - (px, py) for i in range(3))
        areas = np.stack(
            [u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] for u, v in ((b, c), (c, a), (a, b))]
        )
        inside = (areas >= 0.0).all(axis=0) & (areas.sum(axis=0) > 0.0)
        shares = areas[:, inside] / areas[:, inside].sum(axis=0)
        heights.append(max((shares.T * corners[inside, :, 2]).sum(axis=1), default=np.nan))
    assert mesh.height(x, y) == pytest.approx(heights, nan_ok=True)
    assert np.isnan(heights).any()


def test_neighbours_leave_no_slit_between_them():
    ball = trimesh.creation.icosphere(subdivisions=2)
    mesh = Mesh(vertices=ball.vertices, triangles=ball.faces)
    upper = ball.triangles[ball.face_normals[:, 2] > 0.1]
    middles = 0.5 * (upper + np.roll(upper, -1, axis=1)).reshape(-1, 3)
    assert mesh.height(*middles[:, :2].T) == pytest.approx(middles[:, 2])


def test_the_hash_is_of_the_content_of_the_file(tmp_path: Path):
    one = load_course(place(tmp_path, wedge()))
    assert len(one.content_hash) == 64
    (tmp_path / "other").mkdir()
    elsewhere = load_course(place(tmp_path / "other", wedge()))
    different = load_course(place(tmp_path, wedge().apply_scale(1.1)))
    assert one.content_hash == elsewhere.content_hash != different.content_hash
    again = parse_course(one.text, tmp_path / "other" / "arena.toml")  # as a log restores it
    assert again.content_hash == one.content_hash


def test_a_mesh_is_drawn_and_shown_in_plans(tmp_path: Path):
    course = load_course(place(tmp_path, wedge()))
    drawn = ground_mesh.solid_mesh(course.terrain.meshes[0])
    assert drawn.volume == pytest.approx(wedge().volume)
    assert [shape.name for shape in course_shapes(course)] == ["mesh"]
    assert [label.text for label in course_labels(course)] == ["mesh\n0.6 m"]
    assert ground_mesh.extent_of(course).x == pytest.approx((0.0, 2.0))


def test_triangles_without_area_are_left_out(tmp_path: Path):
    block = wedge()
    line, corner = [[0, 0, 1]], [[2, 2, 2]]
    faces = np.concatenate((block.faces, line, corner))
    trimesh.Trimesh(block.vertices, faces, process=False).export(tmp_path / "block.ply")
    assert len(read_mesh(tmp_path / "block.ply", None).triangles) == 12


def refused() -> dict[str, tuple[trimesh.Trimesh, str]]:
    whole = wedge()
    turned = whole.faces.copy()
    turned[0] = turned[0][::-1]
    return {
        "open": (
            trimesh.Trimesh(whole.vertices, whole.faces[1:], process=False),
            "is not closed: 3 of its 18 edges .* close its holes .* or use a height field",
        ),
        "inside out": (
            trimesh.Trimesh(whole.vertices, whole.faces[:, ::-1], process=False),
            "is inside out: turn its triangles over",
        ),
        "turned": (
            trimesh.Trimesh(whole.vertices, turned, process=False),
            "turned over against their neighbours",
        ),
        "flat": (
            trimesh.Trimesh(
                np.eye(3), [[0, 1, 2], [0, 2, 1]], process=False
            ),
            "must enclose a volume",
        ),
        "millimetres": (
            whole.copy().apply_scale(1000.0),
            "is 2000 m across, which looks like millimetres: give scale = 0.001",
        ),
        "dust": (whole.copy().apply_scale(1e-8), "must be 1e-06 m across or more"),
    }  # fmt: skip


@pytest.mark.parametrize("case", refused())
def test_what_is_no_closed_mesh_is_refused(tmp_path: Path, case: str):
    mesh, mistake = refused()[case]
    mesh.export(tmp_path / "bad.ply")
    with pytest.raises(InvalidDescription, match=rf"bad\.ply: {mistake}|{mistake}"):
        read_mesh(tmp_path / "bad.ply", None)


def test_a_mesh_that_large_is_read_if_its_scale_is_given(tmp_path: Path):
    wedge().apply_scale(1000.0).export(tmp_path / "hall.stl")
    assert np.ptp(read_mesh(tmp_path / "hall.stl", 1.0).vertices[:, 0]) == 2000.0


def test_a_mesh_without_a_file_is_refused():
    with pytest.raises(InvalidDescription, match=r"file is missing: an STL, OBJ, PLY or"):
        parse_course(COURSE.replace('file = "arena.stl"', ""), "arena.toml")


def test_files_that_are_no_meshes_are_refused(tmp_path: Path):
    (tmp_path / "text.stl").write_text("no mesh")
    (tmp_path / "empty.obj").write_text("")
    for name, mistake in (
        ("text.stl", "cannot be read as STL|has no triangles"),
        ("empty.obj", "cannot be read as OBJ|has no triangles"),
        ("missing.ply", "there is no such file"),
        ("arena.step", "must be a file that ends in .stl, .obj, .ply, .glb, not in '.step'"),
    ):
        with pytest.raises(InvalidDescription, match=mistake):
            read_mesh(tmp_path / name, None)


def test_a_glb_file_stands_upright(tmp_path: Path):
    tall = trimesh.creation.box((0.2, 1.5, 0.4))  # y points up in GLB files
    (tmp_path / "tall.glb").write_bytes(tall.export(file_type="glb"))
    vertices, triangles = read_mesh(tmp_path / "tall.glb", None)
    assert np.ptp(vertices, axis=0) == pytest.approx((0.2, 0.4, 1.5))
    assert len(triangles) == 12
