"""Meshes that are too large for a page."""

import json

import numpy as np
import pytest
import trimesh

from grouser.description.mesh_file import read_mesh
from grouser.viewer import thin_mesh
from grouser.viewer.thin_mesh import inspect_mesh, thin


def test_a_thinned_mesh_stays_closed_and_keeps_its_volume(tmp_path, monkeypatch):
    monkeypatch.setattr(thin_mesh, "MOST", 1000)
    ball = trimesh.creation.icosphere(subdivisions=5, radius=0.4)
    ball.export(tmp_path / "ball.stl")
    summary = inspect_mesh(tmp_path / "ball.stl", tmp_path / "thin.stl")
    assert summary.triangles == len(ball.faces) == 20480
    assert summary.high == pytest.approx((0.4, 0.4, 0.4), abs=1e-4)
    vertices, triangles = read_mesh(tmp_path / "thin.stl", None)  # raises unless it is closed
    assert 400 < len(triangles) == summary.kept <= 1000
    thinned = trimesh.Trimesh(vertices, triangles)
    assert thinned.volume == pytest.approx(ball.volume, rel=0.06)


def test_a_small_mesh_stays_as_it_is(tmp_path):
    trimesh.creation.box((1.0, 2.0, 3.0)).export(tmp_path / "box.ply")
    summary = inspect_mesh(tmp_path / "box.ply", tmp_path / "thin.stl")
    assert (summary.triangles, summary.kept, summary.scale) == (12, 12, 1.0)
    assert not (tmp_path / "thin.stl").exists()


def test_a_large_file_is_read_by_a_process_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(thin_mesh, "OWN_PROCESS", 0)
    trimesh.creation.box((100.0, 200.0, 300.0)).export(tmp_path / "box.stl")
    summary = inspect_mesh(tmp_path / "box.stl", tmp_path / "thin.stl")
    assert (summary.triangles, summary.scale) == (12, 0.001)


def test_that_process_lists_the_mistakes_of_a_file(tmp_path, capsys):
    (tmp_path / "broken.stl").write_bytes(b"no mesh" * 40)
    thin_mesh.main(str(tmp_path / "broken.stl"), str(tmp_path / "thin.stl"))
    (mistake,) = json.loads(capsys.readouterr().out)["mistakes"]
    assert mistake == "has no triangles, or some whose corners it does not list"


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
