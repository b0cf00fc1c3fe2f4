"""Lenses, pinholes, and poses from pixels or points."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from grouser.description import load_rig, parse_rig
from grouser.geometry import Pose
from grouser.laws.camera import (
    IN_SPACE,
    distort,
    overhead_view,
    pose_from_pixels,
    rigid_fit,
    undistort,
)

RIG = load_rig("tp100-overhead")
LENS = (-0.25, 0.08, 0.001, -0.002, -0.01)
TILTED = parse_rig(
    RIG.text.replace("latency_s =", "yaw_deg = 7.0\ntilt_deg = 12.0\nlatency_s =").replace(
        "[0.0, 0.0, 0.0, 0.0, 0.0]", str(list(LENS))
    ),
    "tilted",
)
POINTS = np.concatenate([marker.corners() for marker in RIG.markers])
PLACES = np.stack(np.meshgrid(np.linspace(-0.6, 0.6, 9), np.linspace(-0.35, 0.35, 7)), axis=-1)


def test_undistort_takes_back_what_distort_does():
    assert undistort(distort(PLACES, LENS), LENS) == pytest.approx(PLACES, abs=1e-9)


def test_a_camera_shows_points_where_opencv_shows_them():
    camera = overhead_view(TILTED)
    (cx, cy), f = camera.centre, camera.focal
    matrix = np.array([[f, 0.0, cx], [0.0, f, cy], [0.0, 0.0, 1.0]])
    shift = -camera.rotation @ camera.position
    expected, _ = cv2.projectPoints(POINTS, camera.turn, shift, matrix, np.array(LENS))
    assert camera.project(POINTS) == pytest.approx(expected.reshape(-1, 2), abs=1e-8)


def test_lifting_a_pixel_gives_back_the_point_that_it_shows():
    camera = overhead_view(TILTED)
    points = np.concatenate((PLACES, np.full((*PLACES.shape[:2], 1), 0.06)), axis=-1)
    assert camera.lift(camera.project(points), 0.06) == pytest.approx(points, abs=1e-9)


def test_straight_above_a_pixel_is_a_centimetre_over_focal_length_and_height():
    # P0's camera: 2.5 m high; a marker of 50 mm at 62 mm is 1700 * 0.05 / 2.438 pixels wide.
    camera = overhead_view(RIG)
    corners = camera.project(RIG.markers[0].corners())
    assert corners[1] - corners[0] == pytest.approx((1700 * 0.05 / 2.438, 0.0), abs=1e-9)
    # World y is up in the picture, where rows are counted downwards.
    assert corners[3, 1] > corners[0, 1]


@pytest.mark.parametrize("rig", [RIG, TILTED], ids=lambda rig: f"tilt {rig.camera.tilt:.1f}")
def test_exact_pixels_give_the_exact_pose_on_the_floor(rig):
    camera, pose = overhead_view(rig), Pose(x=0.4, y=-0.3, yaw=2.2)
    pixels = camera.project(pose.rotation.apply(POINTS) + np.array((0.4, -0.3, 0.0)))
    found = pose_from_pixels(camera, POINTS, pixels, Pose(x=0.3, y=-0.2, yaw=1.8))
    assert (found.pose.x, found.pose.y, found.pose.yaw) == pytest.approx((0.4, -0.3, 2.2), abs=1e-9)
    assert found.error == pytest.approx(0.0, abs=1e-6)


def test_exact_pixels_give_the_exact_pose_in_space():
    camera, pose = overhead_view(RIG), Pose(x=0.4, y=-0.3, z=0.05, roll=0.1, pitch=-0.3, yaw=1.0)
    pixels = camera.project(pose.rotation.apply(POINTS) + np.array((0.4, -0.3, 0.05)))
    guess = Pose(x=0.38, y=-0.3, yaw=0.9)
    found = pose_from_pixels(camera, POINTS, pixels, guess, IN_SPACE).pose
    assert [getattr(found, n) for n in IN_SPACE] == pytest.approx(
        [getattr(pose, n) for n in IN_SPACE], abs=1e-6
    )


def test_forgetting_the_height_of_markers_would_shift_the_pose_by_centimetres():
    """A marker 60 mm above the floor is seen 60 / 2440 farther out than below it."""
    camera = overhead_view(RIG)
    pixels = camera.project(POINTS + np.array((1.0, 0.0, 0.0)))
    flat = POINTS * np.array((1.0, 1.0, 0.0))
    wrong = pose_from_pixels(camera, flat, pixels, Pose(x=1.0)).pose
    assert wrong.x - 1.0 == pytest.approx(1.0 * 0.057 / (2.5 - 0.057), abs=1e-3)


def test_the_spread_of_poses_is_what_the_law_says():
    camera, generator = overhead_view(RIG), np.random.default_rng(3)
    pixels = camera.project(POINTS)
    found = [
        pose_from_pixels(camera, POINTS, pixels + generator.normal(0.0, 0.5, pixels.shape), Pose())
        for _ in range(100)
    ]
    seen = np.std([(f.pose.x, f.pose.y, f.pose.yaw) for f in found], axis=0)
    expected = 0.5 * np.sqrt(np.diag(found[0].spread))
    # The deviation of 100 samples is known within 7 %: three of those.
    assert seen == pytest.approx(expected, rel=0.21)


FLAT_POINTS = np.array([(0.3, 0.1), (-0.2, 0.1), (0.0, -0.4)])


def moved(x: float, y: float, yaw: float) -> np.ndarray:
    turn = np.array([(np.cos(yaw), -np.sin(yaw)), (np.sin(yaw), np.cos(yaw))])
    return FLAT_POINTS @ turn.T + (x, y)


def test_exact_points_give_the_exact_pose_for_one_body_and_for_many():
    poses = [(0.0, 0.0, 0.0), (1.0, -2.0, 0.7), (-0.3, 0.4, -3.1)]
    for pose in poses:
        assert rigid_fit(FLAT_POINTS, moved(*pose)) == pytest.approx(pose)
    many = np.stack([moved(*pose) for pose in poses])
    assert np.stack(rigid_fit(FLAT_POINTS, many), axis=-1) == pytest.approx(np.array(poses))


def test_no_other_pose_is_nearer_to_noisy_points():
    seen = moved(0.2, 0.1, 0.5) + np.random.default_rng(3).normal(0.0, 0.05, FLAT_POINTS.shape)
    best = np.array(rigid_fit(FLAT_POINTS, seen))
    least = np.sum((moved(*best) - seen) ** 2)
    for axis in np.eye(3):
        for step in (-1e-3, 1e-3):
            assert np.sum((moved(*(best + step * axis)) - seen) ** 2) > least


def test_it_is_what_a_camera_straight_above_finds_in_its_picture():
    camera = replace(overhead_view(load_rig("tp100-overhead")), distortion=(0.0,) * 5)
    flat = np.column_stack((FLAT_POINTS, np.zeros(len(FLAT_POINTS))))
    true = moved(0.1, -0.05, 0.4)
    pixels = camera.project(np.column_stack((true, np.zeros(len(true)))))
    pixels = pixels + np.random.default_rng(4).normal(0.0, 2.0, pixels.shape)
    found = pose_from_pixels(camera, flat, pixels, Pose(x=0.1, y=-0.05, yaw=0.4)).pose
    # Without a lens the floor is the picture, scaled and mirrored.
    scale = camera.position[2] / camera.focal
    seen = (pixels - camera.centre) * scale * (1.0, -1.0) + camera.position[:2]
    assert rigid_fit(FLAT_POINTS, seen) == pytest.approx((found.x, found.y, found.yaw), abs=1e-6)
