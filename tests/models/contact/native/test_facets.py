"""Triangle meshes as facets and edges."""

import logging

import numpy as np
import pytest

from grouser.description.solids import Plane
from grouser.description.terrain import Terrain
from grouser.models.ground.facets import (
    edge_rows,
    face_corners,
    mesh_features,
    sample_mesh,
    triangle_rows,
)
from grouser.models.ground.ground import build_ground
from tests.models.contact.native.scenes import (
    REACH,
    box,
    build,
    covered,
    cuboid,
    edge_points,
    face_points,
    mesh_of,
    on_edges,
    owned_corners,
)


def grid_mesh(heights, spacing):
    """Return a sheet of triangles over nodes (rows along y, columns along x)."""
    rows, columns = heights.shape
    x, y = np.meshgrid(np.arange(columns) * spacing, np.arange(rows) * spacing)
    a = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    triangles = np.concatenate(
        (
            np.column_stack((a, a + 1, a + columns + 1)),
            np.column_stack((a, a + columns + 1, a + columns)),
        )
    )
    return np.column_stack((x.ravel(), y.ravel(), heights.ravel())), triangles


def ball(rings, turns):
    """Return vertices and outward triangles of a ball of radius 1."""
    polar = np.linspace(0.0, np.pi, rings + 1)[1:-1, None]
    azimuth = np.arange(turns) * 2.0 * np.pi / turns
    ring = np.stack(
        np.broadcast_arrays(
            np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth), np.cos(polar)
        ),
        -1,
    )
    vertices = np.concatenate((ring.reshape(-1, 3), [[0, 0, 1.0], [0, 0, -1.0]]))
    k, after = np.arange(turns), (np.arange(turns) + 1) % turns
    triangles = [np.column_stack((np.full(turns, len(vertices) - 2), k, after))]
    for r in range(rings - 2):
        a, b = r * turns + k, r * turns + after
        triangles += [
            np.column_stack((a, a + turns, b)),
            np.column_stack((b, a + turns, b + turns)),
        ]
    low = (rings - 2) * turns
    triangles.append(np.column_stack((low + k, np.full(turns, len(vertices) - 1), low + after)))
    return vertices, np.concatenate(triangles)


def turned(vertices, seed=0):
    """Return vertices turned any way."""
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return vertices @ (q * np.sign(np.linalg.det(q))).T


def test_a_cuboid_is_six_rectangles_and_twelve_edges():
    vertices, triangles = cuboid([0.0, 0.0, 0.0], [1.0, 0.5, 0.2])
    faces, segments = mesh_features(turned(vertices), triangles, 3)
    assert faces.shape == (6, 16)
    assert (faces[:, 14] == 3.0).all()
    assert sorted(faces[:, 15]) == list(range(6))
    assert sorted(4.0 * faces[:, 12] * faces[:, 13]) == pytest.approx(sorted([0.5, 0.2, 0.1] * 2))
    middle = turned(vertices).mean(axis=0)
    assert (np.einsum("ij,ij->i", faces[:, :3] - middle, faces[:, 9:12]) > 0.0).all()
    edges = edge_rows(segments)
    assert len(edges) == 12
    assert edges[:, 6].sum() == pytest.approx(4 * 1.7)
    owned = edges[edges[:, 9] > 0, :3]
    assert len(owned) == len(np.unique(np.round(owned, 6), axis=0)) == 8


def test_a_mesh_whose_triangles_share_no_vertices_is_the_same():
    vertices, triangles = cuboid([0.0, 0.0, 0.0], [1.0, 0.5, 0.2])
    faces, segments = mesh_features(
        vertices[triangles].reshape(-1, 3), np.arange(36).reshape(-1, 3), 0
    )
    assert len(faces) == 6
    assert len(edge_rows(segments)) == 12


def test_a_mesh_of_a_box_on_the_ground_equals_the_box():
    mesh, slab = (
        build(mesh_of(*cuboid([-0.5, -0.3, 0.0], [0.5, 0.3, 0.2]))),
        build(box(0, 0, 1, 0.6, 0.2)),
    )
    assert len(mesh.faces) == 5
    assert len(mesh.edges) == 8
    points, which = face_points(slab.faces)
    assert covered(points, slab.faces[which, 9:12], mesh.faces).all()
    assert on_edges(edge_points(slab.edges), mesh.edges).max() < 1e-9
    assert len(owned_corners(mesh)) == 4


def test_a_flat_sheet_is_one_face_with_its_outline():
    vertices, triangles = grid_mesh(np.zeros((21, 11)), 0.1)
    faces, segments = mesh_features(turned(vertices), triangles, 0)
    assert len(faces) == 1
    assert sorted(faces[0, 12:14]) == pytest.approx([0.5, 1.0])
    edges = edge_rows(segments)
    assert sorted(edges[:, 6]) == pytest.approx([1.0, 1.0, 2.0, 2.0])
    assert (edges[:, 9] == 1.0).all()


def test_an_l_shaped_facet_stays_triangles_with_one_number():
    vertices, triangles = grid_mesh(np.zeros((3, 3)), 1.0)
    centres = vertices[triangles].mean(axis=1)
    faces, segments = mesh_features(vertices, triangles[(centres[:, :2].min(axis=1) < 1.0)], 0)
    assert len(faces) == 6
    assert (faces[:, 12] < 0.0).all()
    assert set(faces[:, 15]) == {0.0}
    edges = edge_rows(segments)
    assert len(edges) == 6
    assert edges[:, 6].sum() == pytest.approx(8.0)


def test_triangles_hold_their_own_points_only():
    rng = np.random.default_rng(0)
    corners = rng.normal(size=(50, 3, 3))
    rows = triangle_rows(corners, np.zeros(50), np.zeros(50))
    assert face_corners(rows)[:, :3] == pytest.approx(corners)
    for row, (a, b, c) in zip(rows, corners, strict=True):
        s, t = rng.uniform(-0.5, 1.5, (2, 100))
        away = a + s[:, None] * (b - a) + t[:, None] * (c - a) - row[:3]
        pu, pv = away @ row[3:6], away @ row[6:9]
        inside = (pu > -1 / 3) & (pv > -1 / 3) & (pu + pv < 1 / 3)
        assert (inside == ((s > 0) & (t > 0) & (s + t < 1))).all()
        assert -row[12] == pytest.approx(max(np.linalg.norm(p - row[:3]) for p in (a, b, c)))


def test_only_edges_that_stick_out_count():
    heights = np.zeros((2, 5))
    heights[:, 1], heights[:, 3] = 0.3, -0.3  # a ridge at 1, a valley at 3
    vertices, triangles = grid_mesh(heights, 1.0)
    _, segments = mesh_features(vertices, triangles, 0)
    across = edge_rows(segments)
    across = across[np.abs(across[:, 4]) > 0.9]
    assert sorted(across[:, 0]) == pytest.approx([0.0, 1.0, 4.0])


def test_every_corner_of_a_ball_belongs_to_one_edge():
    vertices, triangles = ball(8, 12)
    faces, segments = mesh_features(vertices, triangles, 0)
    assert (np.einsum("ij,ij->i", faces[:, :3], faces[:, 9:12]) > 0.5).all()
    edges = edge_rows(segments)
    owned = edges[edges[:, 9] > 0, :3]
    assert len(owned) == len(np.unique(np.round(owned, 6), axis=0)) == len(vertices)
    assert (edges[:, 6] > 0.0).all()


def test_a_corner_that_no_edge_is_left_for_becomes_an_edge_without_length():
    # A sheet of one triangle in the air above three others: a tree of edges has a corner too many.
    vertices = np.array([[0, 0, 0], [1, 0, -1], [-1, 1, -1], [-1, -1, -1.0]])
    faces, segments = mesh_features(vertices, np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1]]), 0)
    edges = edge_rows(segments)
    owned = edges[edges[:, 9] > 0, :3]
    assert len(faces) == 3
    assert len(owned) == 4
    assert len(edges) == 6


def test_a_dense_mesh_becomes_a_height_field(caplog):
    x, y = np.meshgrid(np.arange(60) * 0.05, np.arange(50) * 0.05)
    shape = 0.1 * np.sin(2 * x) * np.cos(3 * y)
    mesh = mesh_of(*grid_mesh(shape, 0.05), name="scan")
    with caplog.at_level(logging.WARNING, "grouser"):
        tables = build_ground(Terrain(solids=(Plane(z=-1.0), mesh)), reach=REACH)
    assert len(tables.faces) == len(tables.edges) == 0
    assert len(tables.fields) == 1
    row = tables.fields[0]
    assert row[:2] == pytest.approx([0.0, 0.0], abs=1e-12)
    columns, rows = int(row[6]), int(row[7])
    nodes = tables.heights.reshape(rows, columns)
    nodes = nodes[:, : int(2.9 * row[4])][: int(2.4 * row[5])]
    j, i = np.indices(nodes.shape)
    wanted = 0.1 * np.sin(2 * i / row[4]) * np.cos(3 * j / row[5])
    assert np.abs(nodes - wanted).max() < 1e-3
    (sentence,) = caplog.messages
    assert "'scan' of 5,782 triangles" in sentence
    assert "height field with a spacing of 0.0285 m." in sentence
    assert "overhang" not in sentence


def test_overhangs_of_a_dense_mesh_are_told(caplog):
    vertices, triangles = ball(60, 80)
    with caplog.at_level(logging.WARNING, "grouser"):
        tables = build(mesh_of(vertices + [0.0, 0.0, 1.5], triangles))
    assert len(tables.fields) == 1
    assert "overhangs" in caplog.messages[0]


def test_a_dense_mesh_of_two_layers_stays_triangles(caplog):
    x, y = np.meshgrid(np.arange(40) * 0.05, np.arange(40) * 0.05)
    low, triangles = grid_mesh(0.02 * np.sin(9 * x) * np.cos(8 * y), 0.05)
    vertices = np.concatenate((low, low + [0.0, 0.0, 1.0]))
    mesh = mesh_of(vertices, np.concatenate((triangles, triangles + len(low))))
    with caplog.at_level(logging.WARNING, "grouser"):
        tables = build(mesh, plane=False)
    assert len(tables.fields) == 0
    assert len(tables.faces) == 2 * len(triangles)
    assert "96 % of it lie under other parts" in caplog.messages[0]


def test_a_sparse_mesh_stays_triangles(caplog):
    with caplog.at_level(logging.WARNING, "grouser"):
        tables = build(mesh_of(*cuboid([0, 0, 0], [1, 1, 1])))
    assert len(tables.fields) == 0
    assert caplog.messages == []


def test_samples_of_a_mesh_are_its_highest_faces():
    low, triangles = grid_mesh(np.zeros((21, 21)), 0.1)
    high, more = grid_mesh(np.full((7, 7), 0.3), 0.1)
    heights, spacing, hidden = sample_mesh(
        np.concatenate((low, high + [0.5, 0.7, 0.0])), np.concatenate((triangles, more + len(low)))
    )
    place = np.arange(heights.shape[1]) * spacing
    x, y = np.meshgrid(place, place)
    upper = np.maximum(np.abs(x - 0.8), np.abs(y - 1.0)) < 0.3
    whole = (x <= 2.0) & (y <= 2.0)
    assert heights[upper] == pytest.approx(0.3)
    assert heights[whole & ~upper] == pytest.approx(0.0)
    assert np.isnan(heights[~whole]).all()
    assert hidden == pytest.approx(upper.sum() / whole.sum(), rel=0.15)  # but on inner edges
