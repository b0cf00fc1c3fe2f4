"""Stamps and frames."""

import math

import pytest

from grouser.description import load_robot
from grouser.geometry import Pose
from grouser.models import Motion
from grouser.plugs.foxglove.frames import FrameTree, SessionTime
from tests.plugs.foxglove.protocol import transforms

START = 1_700_000_000 * 10**9
LEVEL = Motion(
    pose=Pose(x=1.0, y=-2.0, z=0.5, roll=0.1, pitch=-0.2, yaw=2.5),
    twist=None,  # type: ignore[arg-type]
    belt_speeds_commanded=(), belt_speeds=(), belt_travels=(), flipper_angles=(0.5, 0.5, 0.0, -0.3),
)  # fmt: skip


def test_time_never_goes_back_when_a_run_begins_anew():
    time = SessionTime(START)
    assert time.at(1, 0.0) == START
    assert time.at(1, 2.5) == START + 2_500_000_000
    assert time.at(2, 0.0) == START + 2_500_000_000
    assert time.at(2, 0.01) == START + 2_510_000_000
    assert time.of(0.005) == START + 2_505_000_000
    assert time.at(2, 0.0) == START + 2_510_000_000


def test_every_frame_leads_to_the_map(live):
    robot = live.simulation.loaded.robot
    tree = transforms(FrameTree(robot).fixed(START).encode())
    moving = transforms(FrameTree(robot).moving(live.frames(1)[0].motion, START).encode())
    assert not tree.keys() & moving.keys()
    tree |= moving
    assert tree["odom"][0] == "map"
    assert tree["base_link"][0] == "odom"
    assert {"front_lidar_link", "points_lidar_link", "gnss_link"} <= tree.keys()
    for frame in tree:
        seen = {frame}
        while frame != "map":
            frame = tree[frame][0]
            assert frame not in seen
            seen.add(frame)


def test_a_mounted_sensor_is_where_its_table_says(live):
    tree = transforms(FrameTree(live.simulation.loaded.robot).fixed(START).encode())
    parent, place, _ = tree["front_lidar_link"]
    assert (parent, place) == ("base_link", (0.1, 0.0, 0.1))
    half = math.sqrt(0.5)
    assert tree["gnss_link"][2] == pytest.approx((0.0, 0.0, half, half))


def test_body_and_flippers_are_where_the_motion_says():
    tree = transforms(FrameTree(load_robot("absolem")).moving(LEVEL, START).encode())
    _, place, turn = tree["base_link"]
    w, x, y, z = LEVEL.pose.quaternion.tolist()
    assert place == (1.0, -2.0, 0.5)
    assert turn == pytest.approx((x, y, z, w))
    names = [flipper.name for flipper in load_robot("absolem").flippers]
    angles = [2.0 * math.asin(tree[f"{name}_link"][2][1]) for name in names]
    assert angles == pytest.approx(LEVEL.flipper_angles)
    hinge = load_robot("absolem").flippers[0].hinge
    assert tree[f"{names[0]}_link"][:2] == ("base_link", pytest.approx(hinge))
