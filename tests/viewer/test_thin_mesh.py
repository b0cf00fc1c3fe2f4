"""Meshes that are dropped on a page."""

import numpy as np
import pytest
import trimesh

from grouser import limits
from grouser.description.mesh_file import read_mesh
from grouser.errors import InvalidDescription
from grouser.viewer.thin_mesh import keep_mesh, thin
from tests.viewer.bombs import many_groups


def test_a_thinned_mesh_stays_closed_and_keeps_its_volume(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "PAGE_TRIANGLES", 1000)
    ball = trimesh.creation.icosphere(subdivisions=5, radius=0.4)
    ball.export(tmp_path / "ball.stl")
    found = keep_mesh(tmp_path / "ball.stl", str(tmp_path / "thin.stl"))
    assert found["triangles"] == len(ball.faces) == 20480
    assert found["high"] == pytest.approx((0.4, 0.4, 0.4), abs=1e-4)
    vertices, triangles = read_mesh(tmp_path / "thin.stl", None)  # raises unless it is closed
    assert 400 < len(triangles) == found["kept"] <= 1000
    thinned = trimesh.Trimesh(vertices, triangles)
    assert thinned.volume == pytest.approx(ball.volume, rel=0.06)


def test_a_small_mesh_is_written_anew_with_all_its_triangles(tmp_path):
    trimesh.creation.box((1.0, 2.0, 3.0)).export(tmp_path / "box.ply")
    found = keep_mesh(tmp_path / "box.ply", str(tmp_path / "kept.stl"))
    assert (found["triangles"], found["kept"], found["scale"]) == (12, 12, 1.0)
    vertices, triangles = read_mesh(tmp_path / "kept.stl", None)
    assert len(triangles) == 12
    assert np.ptp(vertices, axis=0) == pytest.approx((1.0, 2.0, 3.0))


def test_a_mesh_of_which_no_closed_one_is_left_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "PAGE_TRIANGLES", 100)
    (tmp_path / "groups.obj").write_bytes(many_groups(400))
    with pytest.raises(InvalidDescription, match="cannot be thinned to 100 triangles .*: it "):
        keep_mesh(tmp_path / "groups.obj", str(tmp_path / "kept.stl"))


def test_a_large_one_is_taken_as_millimetres(tmp_path):
    trimesh.creation.box((100.0, 200.0, 300.0)).export(tmp_path / "box.stl")
    assert keep_mesh(tmp_path / "box.stl", str(tmp_path / "kept.stl"))["scale"] == 0.001


def test_any_closed_mesh_stays_closed_however_coarse():
    torus = trimesh.creation.torus(1.0, 0.3, major_sections=60, minor_sections=30)
    for most in (2000, 300, 40):
        corners, faces = thin(np.asarray(torus.vertices), np.asarray(torus.faces), most)
        edges = np.concatenate([faces[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
        ways = {(int(a), int(b)): 0 for a, b in edges}
        for a, b in edges:
            ways[int(a), int(b)] += 1
        assert all(count == ways.get((b, a)) for (a, b), count in ways.items())
        assert len(faces) <= most
        assert np.isfinite(corners).all()
