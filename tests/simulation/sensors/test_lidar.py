"""Lidars: ranges against geometry, symmetry, motion during a scan, noise, scan matching."""

import math

import numpy as np
import pytest
from scipy.spatial import cKDTree

from grouser import Simulation, load_course, make_model
from grouser.drivers import Constant, Sides
from grouser.errors import InvalidDescription
from grouser.geometry import Pose, Twist
from tests.simulation.sensors.moments import (
    distance_in_room,
    make_sensor,
    moment,
    motion,
    room,
    still,
    with_sensors,
)

FULL = "[[sensors.lidar]]\nrays = 720\nrange_m = [0.1, 30.0]\nposition_m = [0.0, 0.0, 0.5]\n"
FRONT = FULL.replace("720", "271") + "field_of_view_deg = 270.0\n"
MILLIMETRE = 1e-3


def scan(lidar, **place):
    lidar.sample(still(**place))
    return np.asarray(lidar.array, np.float64)


@pytest.mark.parametrize("yaw", [0.0, 0.3, -2.0])
def test_ranges_in_a_room_are_those_of_geometry(yaw):
    lidar = make_sensor(FULL, room())
    found = scan(lidar, x=0.4, y=0.3, yaw=yaw)
    expected = distance_in_room(0.4, 0.3, lidar.azimuths + yaw)
    near_corner = np.abs(np.gradient(expected)) > 0.2
    assert near_corner.sum() < 10
    assert np.abs(found - expected)[~near_corner].max() < MILLIMETRE


def test_a_robot_that_turns_by_rays_rolls_its_scan():
    lidar = make_sensor(FULL, room())
    step = lidar.azimuths[1] - lidar.azimuths[0]
    before, after = scan(lidar, x=0.4, y=0.3), scan(lidar, x=0.4, y=0.3, yaw=25 * step)
    assert after == pytest.approx(np.roll(before, -25), abs=1e-5)
    assert np.ptp(before) > 1.0


def test_a_mirrored_course_gives_a_mirrored_scan():
    here = scan(make_sensor(FRONT, room()), x=0.4, y=0.3, yaw=0.2)
    there = scan(make_sensor(FRONT, room(mirrored=True)), x=0.4, y=-0.3, yaw=-0.2)
    assert there == pytest.approx(here[::-1], abs=1e-6)
    assert not np.allclose(there, here, atol=0.1)


def test_points_of_a_tilted_3d_lidar_lie_on_the_ground():
    text = FULL.replace("720", "90") + "rings = 5\nelevation_deg = [-40.0, -10.0]\nroll_deg = 5.0\n"
    course = load_course("rough")
    lidar = make_sensor(text, course)
    pose = Pose(x=1.0, y=0.2, z=0.3, roll=0.1, pitch=-0.2, yaw=0.7)
    lidar.sample(moment(motion(pose)))
    points = np.asarray(lidar.array, np.float64)
    assert points.shape == (5, 90, 3)
    points = points[np.isfinite(points).all(axis=2)]
    turn, own = pose.matrix, lidar._mounting
    world = (points @ own.turn_to_body.T + own.place_in_body) @ turn.T + (1.0, 0.2, 0.3)
    assert len(points) > 300
    assert np.abs(world[:, 2] - course.terrain.height(*world.T[:2])).max() < MILLIMETRE


def test_too_far_too_near_and_lost_are_told_apart():
    lidar = make_sensor(FULL.replace("[0.1, 30.0]", "[1.0, 4.0]") + "dropout = 0.5\n", room())
    found = scan(lidar, x=4.5, y=0.0)
    expected = distance_in_room(4.5, 0.0, lidar.azimuths)
    assert (found[expected < 0.999] == -np.inf).all()
    assert (found[expected > 4.001] == np.inf).all()
    between = (expected > 1.001) & (expected < 3.999)
    assert np.isnan(found[between]).mean() == pytest.approx(0.5, abs=0.1)


def test_noise_has_its_deviation_and_is_replayed():
    text = FULL + "noise_m = 0.02\n"
    clean = scan(make_sensor(FULL, room()), x=0.4)
    first, again, other = (scan(make_sensor(text, room(), seed), x=0.4) for seed in (1, 1, 2))
    assert np.std(first - clean) == pytest.approx(0.02, rel=0.1)
    assert abs(np.mean(first - clean)) < 0.003
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


@pytest.mark.parametrize(
    "twist", [Twist(yaw_rate=1.5), Twist(vx=1.0, yaw_rate=-0.8), Twist(vx=2.0)]
)
def test_rays_of_a_scan_that_takes_time_are_cast_from_where_the_robot_was(twist):
    text = FULL.replace("0.0, 0.0, 0.5", "0.2, 0.1, 0.5") + "scan_time_s = 0.1\n"
    rolling, frozen = (make_sensor(t, room()) for t in (text, text.replace("0.1\n", "0.0\n")))
    rolling.sample(moment(motion(Pose(x=0.4, y=0.3, yaw=0.5), twist)))
    for ray in (0, 100, 444, 719):
        age = 0.1 * ray / 719
        angle = -float(twist.yaw_rate) * age
        half = 0.5 + 0.5 * angle  # direction of the chord of the arc
        chord = float(twist.vx) * age * np.sinc(0.5 * angle / math.pi)
        x, y = 0.4 - chord * math.cos(half), 0.3 - chord * math.sin(half)
        there = scan(frozen, x=x, y=y, yaw=0.5 + angle)
        assert rolling.array[ray] == pytest.approx(there[ray], abs=1e-5)


def match(source, target):
    """Return the turn and shift that lay points (n, 2) onto others, by iterated closest points."""
    tree, turn, shift = cKDTree(target), np.eye(2), np.zeros(2)
    for _ in range(60):
        moved = source @ turn.T + shift
        distance, nearest = tree.query(moved)
        good = distance < 3.0 * np.median(distance) + 1e-6
        a, b = moved[good], target[nearest[good]]
        u, _, vt = np.linalg.svd((a - a.mean(axis=0)).T @ (b - b.mean(axis=0)))
        step = vt.T @ np.diag([1.0, np.linalg.det(vt.T @ u.T)]) @ u.T
        turn, shift = step @ turn, step @ (shift - a.mean(axis=0)) + b.mean(axis=0)
    return math.atan2(turn[1, 0], turn[0, 0]), shift


def test_scan_matching_of_two_poses_gives_their_difference():
    lidar = make_sensor(FULL.replace("720", "2880") + "noise_m = 0.003\n", room())
    clouds = []
    for place in ({"x": 0.0, "y": 0.0}, {"x": 0.12, "y": -0.07, "yaw": 0.08}):
        ranges = scan(lidar, **place)
        clouds.append(
            ranges[:, None] * np.stack((np.cos(lidar.azimuths), np.sin(lidar.azimuths)), 1)
        )
    yaw, shift = match(clouds[1], clouds[0])
    assert yaw == pytest.approx(0.08, abs=0.002)
    assert shift == pytest.approx([0.12, -0.07], abs=0.006)


def test_columns_are_the_nearest_distance_or_all_of_them():
    lidar = make_sensor(FULL + "log_ranges = true\n", room())
    values = dict(zip((name for name, _ in lidar.columns), lidar.sample(still(x=4.0)), strict=True))
    assert values["lidar_nearest"] == pytest.approx(1.0, abs=1e-4)
    assert values["lidar_nearest_azimuth"] == pytest.approx(0.0, abs=1e-9)
    assert values["lidar_returns"] == 720
    assert [values[f"lidar_range.{n}"] for n in range(720)] == pytest.approx(lidar.array, abs=1e-5)


def test_messages_have_the_angles_of_the_rays():
    lidar = make_sensor(FRONT + "rate_hz = 20.0\nscan_time_s = 0.03\n", room())
    (declared,) = lidar.declarations
    found = declared.constants
    assert (declared.kind, declared.topic, declared.array) == (
        "sensor_msgs/msg/LaserScan", "scan", "ranges",
    )  # fmt: skip
    assert declared.frame == "lidar_link"
    last = found["angle_min"] + 270 * found["angle_increment"]
    assert found["angle_max"] == pytest.approx(last) == pytest.approx(math.radians(135.0))
    assert found["time_increment"] == pytest.approx(-0.03 / 270)
    cloud = make_sensor(FULL + 'name = "top"\nrings = 4\nelevation_deg = [0.0, 9.0]\n', room())
    (declared,) = cloud.declarations
    assert (declared.topic, declared.frame) == ("top/points", "top_link")
    assert declared.constants["row_step"] == 720 * 12


def test_scans_come_at_their_rate_and_after_their_latency_and_change_no_other_noise():
    lidar = FULL + "rate_hz = 5.0\nlatency_s = 0.1\nnoise_m = 0.01\n"
    other = '[[sensors.lidar]]\nname = "other"\nrays = 7\nrange_m = [0.1, 9.0]\nnoise_m = 0.3\n'
    runs = []
    for text in (lidar, lidar + other):
        robot = with_sensors(text)
        simulation = Simulation(make_model("ideal"), robot, load_course("slope"), seed=3)
        seen = []
        for _ in range(50):
            simulation.run(Constant(robot, Sides(left=0.1, right=0.1)), simulation.time + 0.01)
            seen += [
                (round(simulation.time, 6), s.time, s.array.tolist())
                for s in simulation.reading.fresh
                if s.sensor == "lidar"
            ]
        runs.append(seen)
    assert [known for known, _, _ in runs[0]] == pytest.approx([0.1, 0.3, 0.5])
    assert [taken for _, taken, _ in runs[0]] == pytest.approx([0.0, 0.2, 0.4])
    assert repr(runs[0]) == repr(runs[1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("range_m = [5.0, 2.0]", "range_m must go from the smaller to the larger distance"),
        ("range_m = [0.1, 9.0]\nrays = 0", "rays"),
        ("range_m = [0.1, 9.0]\nfield_of_view_deg = 400.0", "field_of_view_deg: .* 360"),
        ("range_m = [0.1, 9.0]\nscan_time_s = 0.5", "scan_time_s must be at most .* 0.1, not 0.5"),
        ("range_m = [0.1, 9.0]\nelevation_deg = [5.0, -5.0]", "elevation_deg must go from the"),
        ("range_m = [0.1, 9.0]\ndropout = 1.5", "dropout: .* given 1.5"),
        ("range_m = [0.1, 9.0]\nspin = 1.5", "spin is not a known key"),
        ("rays = 5", "range_m is missing"),
    ],
)
def test_a_bad_table_is_rejected_with_one_sentence(change, message):
    rays = "" if "rays" in change else "rays = 10\n"
    with pytest.raises(InvalidDescription, match=message) as caught:
        with_sensors(f"[[sensors.lidar]]\n{rays}{change}\n")
    assert len(caught.value.mistakes) == 1
