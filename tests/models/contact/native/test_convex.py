"""Sides and corners of convex shapes."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from grouser.models.ground.convex import FEW, convex_hull

BOX = np.array([(x, y, z) for x in (-0.3, 0.2) for y in (-0.1, 0.1) for z in (0.05, 0.25)])


def test_a_box_has_six_sides_and_its_corners():
    inside = np.array([[0.0, 0.0, 0.1], [0.2, 0.0, 0.1], [0.2, 0.1, 0.1]])  # on a side, an edge
    sides, corners = convex_hull(np.concatenate((BOX, inside)))
    assert len(sides) == 6
    assert np.array_equal(corners, BOX)
    assert (corners @ sides[:, :3].T + sides[:, 3]).max() < 1e-12


@pytest.mark.parametrize("count", [4, 8, FEW, FEW + 1])
def test_few_points_have_the_same_hull_as_many(count):
    points = np.random.default_rng(count).normal(size=(count, 3))
    sides, corners = convex_hull(points)
    hull = ConvexHull(points)
    assert np.array_equal(corners, points[hull.vertices])
    known = np.unique(np.round(hull.equations, 9), axis=0)
    assert len(sides) == len(known)
    nearest = np.abs(sides[:, None] - known).max(axis=2).min(axis=1)
    assert nearest.max() < 2e-9
