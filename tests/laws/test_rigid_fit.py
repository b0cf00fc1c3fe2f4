"""Where a flat body is, from where points of it are."""

from dataclasses import replace

import numpy as np
import pytest

from grouser.description import load_rig
from grouser.geometry import Pose
from grouser.laws.overhead_view import overhead_view
from grouser.laws.pose_from_pixels import pose_from_pixels
from grouser.laws.rigid_fit import rigid_fit

POINTS = np.array([(0.3, 0.1), (-0.2, 0.1), (0.0, -0.4)])


def moved(x: float, y: float, yaw: float) -> np.ndarray:
    turn = np.array([(np.cos(yaw), -np.sin(yaw)), (np.sin(yaw), np.cos(yaw))])
    return POINTS @ turn.T + (x, y)


def test_exact_points_give_the_exact_pose_for_one_body_and_for_many():
    poses = [(0.0, 0.0, 0.0), (1.0, -2.0, 0.7), (-0.3, 0.4, -3.1)]
    for pose in poses:
        assert rigid_fit(POINTS, moved(*pose)) == pytest.approx(pose)
    many = np.stack([moved(*pose) for pose in poses])
    assert np.stack(rigid_fit(POINTS, many), axis=-1) == pytest.approx(np.array(poses))


def test_no_other_pose_is_nearer_to_noisy_points():
    seen = moved(0.2, 0.1, 0.5) + np.random.default_rng(3).normal(0.0, 0.05, POINTS.shape)
    best = np.array(rigid_fit(POINTS, seen))
    least = np.sum((moved(*best) - seen) ** 2)
    for axis in np.eye(3):
        for step in (-1e-3, 1e-3):
            assert np.sum((moved(*(best + step * axis)) - seen) ** 2) > least


def test_it_is_what_a_camera_straight_above_finds_in_its_picture():
    camera = replace(overhead_view(load_rig("tp100-overhead")), distortion=(0.0,) * 5)
    flat = np.column_stack((POINTS, np.zeros(len(POINTS))))
    true = moved(0.1, -0.05, 0.4)
    pixels = camera.project(np.column_stack((true, np.zeros(len(true)))))
    pixels = pixels + np.random.default_rng(4).normal(0.0, 2.0, pixels.shape)
    found = pose_from_pixels(camera, flat, pixels, Pose(x=0.1, y=-0.05, yaw=0.4)).pose
    # Without a lens the floor is the picture, scaled and mirrored.
    scale = camera.position[2] / camera.focal
    seen = (pixels - camera.centre) * scale * (1.0, -1.0) + camera.position[:2]
    assert rigid_fit(POINTS, seen) == pytest.approx((found.x, found.y, found.yaw), abs=1e-6)
