"""Quaternions, geographic positions, frames, radii and counters of foreign tables."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grouser.errors import InvalidDescription, InvalidLog
from grouser.log import read_foreign
from grouser.log.conversions import local_position

TIME = {"time": {"column": "t", "unit": "s"}}


@pytest.fixture
def read(tmp_path):
    def read(headings: str, rows, columns):
        lines = [headings, *(",".join(f"{cell!r}" for cell in row) for row in rows)]
        (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
        return read_foreign(tmp_path / "a.csv", {**TIME, **columns})

    return read


def test_a_quaternion_gives_yaw_without_jumps_pitch_nose_down_and_roll(read):
    yaw = np.linspace(3.0, 3.4, 5)
    quaternions = Rotation.from_euler("ZYX", [[a, 0.2, -0.1] for a in yaw]).as_quat()
    entry = {"quaternion": ["qx", "qy", "qz", "qw"]}
    log = read(
        "t,qx,qy,qz,qw",
        [(float(i), *map(float, q)) for i, q in enumerate(quaternions)],
        {"yaw": entry, "pitch": entry, "roll": entry},
    )
    assert log["yaw"] == pytest.approx(yaw)
    assert log["pitch"] == pytest.approx([0.2] * 5)
    assert log["roll"] == pytest.approx([-0.1] * 5)


def test_a_quaternion_of_norm_0_is_named(read):
    entry = {"yaw": {"quaternion": ["qx", "qy", "qz", "qw"]}}
    with pytest.raises(InvalidLog, match=r"line 3: the quaternion in columns 'qx'.*norm 0, not 1"):
        read("t,qx,qy,qz,qw", [(0, 0, 0, 0, 1), (1, 0, 0, 0, 0)], entry)


def test_latitude_and_longitude_become_metres_east_and_north_of_the_first_fix(read):
    entry = {"latitude": "lat", "longitude": "lon"}
    rows = [(0, math.nan, math.nan), (1, 46.78, -71.27), (2, 46.781, -71.27), (3, 46.78, -71.269)]
    log = read("t,lat,lon", rows, {"x": entry, "y": entry})
    # Lengths of a thousandth of a degree at 46.78 degrees north, by the WGS 84 series of arcs.
    at = math.radians(46.78)
    north = 111.13292 - 0.55982 * math.cos(2 * at) + 0.001175 * math.cos(4 * at)
    east = 111.41284 * math.cos(at) - 0.0935 * math.cos(3 * at) + 0.000118 * math.cos(5 * at)
    assert log["x"] == pytest.approx([math.nan, 0.0, 0.0, east], abs=1e-3, nan_ok=True)
    assert log["y"] == pytest.approx([math.nan, 0.0, north, 0.0], abs=1e-3, nan_ok=True)


def test_longitudes_may_pass_the_date_line():
    east, _ = local_position(np.array([0.0, 0.0]), np.array([179.999, -179.999]))
    assert east[1] == pytest.approx(0.002 * 111_319.49, rel=1e-6)


def test_a_latitude_beyond_90_degrees_is_named(read):
    entry = {"latitude": "lat", "longitude": "lon"}
    sentence = "line 3: column 'lat' holds 5180000, beyond ±90 degrees; if these are metres"
    with pytest.raises(InvalidLog, match=sentence):
        read("t,lat,lon", [(0, 46.0, 7.0), (1, 5_180_000.0, 7.0)], {"x": entry, "y": entry})


def test_north_east_down_becomes_east_north_up(read):
    ned = {"frame": "ned"}
    columns = {
        "x": {"column": "n", "unit": "m", **ned},
        "y": {"column": "e", "unit": "m", **ned},
        "z": {"column": "d", "unit": "m", **ned},
        "yaw": {"column": "heading", "unit": "deg", **ned},
        "gyro_yaw_rate": {"column": "r", "unit": "deg/s", **ned},
    }
    log = read("t,n,e,d,heading,r", [(0, 1.0, 2.0, 3.0, 90.0, 10.0)], columns)
    assert (log["x"][0], log["y"][0], log["z"][0]) == (2.0, 1.0, -3.0)
    assert log["yaw"][0] == pytest.approx(0.0)  # eastward
    assert log["gyro_yaw_rate"][0] == pytest.approx(-math.radians(10.0))


def test_a_quaternion_of_north_east_down_gives_our_attitude(read):
    heading, nose_up = math.radians(30.0), 0.1
    q = [float(n) for n in Rotation.from_euler("ZYX", [heading, nose_up, 0.0]).as_quat()]
    entry = {"quaternion": ["qx", "qy", "qz", "qw"], "frame": "ned"}
    log = read("t,qx,qy,qz,qw", [(0, *q)], {"yaw": entry, "pitch": entry})
    assert log["yaw"][0] == pytest.approx(math.radians(60.0))
    assert log["pitch"][0] == pytest.approx(-0.1)


def test_a_radius_makes_speeds_of_turns(read):
    columns = {
        "belt_speed.front_left": {"column": "w", "unit": "rad/s", "radius_m": 0.165},
        "belt_speed.rear_left": {"column": "n", "unit": "rpm", "radius_m": 0.1, "sign": -1},
        "encoder.right": {"column": "w", "unit": "deg", "radius_m": 0.2},
    }
    log = read("t,w,n", [(0, 2.0, 60.0)], columns)
    assert log["belt_speed.front_left"][0] == pytest.approx(0.33)
    assert log["belt_speed.rear_left"][0] == pytest.approx(-0.2 * math.pi)
    assert log["encoder.right"][0] == pytest.approx(0.2 * math.radians(2.0))
    assert log.unit("encoder.right") == "m"


def test_a_counter_goes_on_where_it_starts_again_at_0(read):
    entry = {"column": "n", "unit": "1", "metres_per_count": 0.001, "wraps_at": 65536}
    counts = [65530, math.nan, 4, 65532, 10]
    log = read("t,n", list(enumerate(counts)), {"encoder.left": entry})
    metres = [65.530, math.nan, 65.540, 65.532, 65.546]
    assert log["encoder.left"] == pytest.approx(metres, nan_ok=True)


@pytest.mark.parametrize(
    ("name", "entry", "mistake"),
    [
        ("belt_speed.left", {"column": "w", "unit": "rad/s"}, "add radius_m, or call it wheel_spe"),
        ("belt_speed.left", {"column": "n", "unit": "1", "metres_per_count": 1}, "call it enc"),
        ("belt_speed.left", {"column": "n", "unit": "m/s", "radius_m": 1}, "come with an angle or"),
        ("encoder.left", {"column": "n", "unit": "m", "wraps_at": 9}, 'come with counts: unit "1"'),
        ("encoder.left", {"column": "n", "unit": "1", "wraps_at": 1}, "be a number from 2 to"),
        ("x", {"quaternion": ["a", "b", "c", "d"]}, "x is a length in m"),
        ("yaw", {"quaternion": ["a", "b", "c"]}, "quaternion must be four headings"),
        ("yaw", {"quaternion": "abcd"}, "quaternion must be four headings"),
        ("x", {"latitude": "lat"}, "have the key longitude"),
        ("z", {"latitude": "lat", "longitude": "lon"}, "latitude and longitude give x and y"),
        ("x", {"column": "n", "unit": "m", "frame": "ned"}, "swaps x and y, so both are needed"),
        ("x", {"column": "n", "unit": "m", "frame": "nwu"}, "frame must be one of enu, ned"),
        ("encoder.left", {"column": "n", "unit": "m", "frame": "ned"}, "frame applies only to"),
        ("x", {"column": "n", "unit": "m", "plus": {"column": "k", "unit": "m"}}, "for time only"),
        ("time", {"column": "n", "unit": "s", "plus": {"column": "k", "unit": "m"}}, "same kind"),
        ("piece", {"column": "n", "unit": "1", "where": "k"}, "file and where cannot be given"),
    ],
)  # fmt: skip
def test_a_wrong_entry_is_described(read, name, entry, mistake):
    with pytest.raises(InvalidDescription, match=mistake):
        read("t,n", [(0, 1)], {name: entry})
