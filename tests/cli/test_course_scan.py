"""`grouser course from-scan`."""

from pathlib import Path

import numpy as np
import pytest

from grouser.description import load_course
from tests.description.scans import ply_points


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    """A level yard of 3 by 2 m with a step of 0.1 m, 412 m above the sea, in map coordinates."""
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(61) * 0.05, np.arange(41) * 0.05))
    points = np.column_stack((482300.0 + x, 5421000.0 + y, 412.0 + np.where(x > 2.0, 0.1, 0.0)))
    np.savetxt(tmp_path / "yard.xyz", points, fmt="%.3f")
    return tmp_path / "yard.xyz"


def test_a_scan_becomes_a_course_that_drives_at_once(grouser, scan):
    answer = grouser("course from-scan yard.xyz --out yard.toml --json")
    assert answer.code == 0
    assert answer.json["nodes"] == {"seen": 2501, "filled": 0, "holes": 0, "under overhangs": 0}
    assert answer.json["size_m"] == pytest.approx([3.0, 2.0])
    assert answer.json["datum"] == pytest.approx(
        {"east_m": 482301.5, "north_m": 5421001.0, "elevation_m": 412.0}
    )
    course = load_course(scan.with_name("yard.toml"))
    assert course.start_pose.z == 0.0
    assert course.terrain.height(1.0, 0.5) == pytest.approx(0.1)
    assert course.datum is not None
    assert course.datum.to_map(1.0, 0.5, 0.1) == pytest.approx((482302.5, 5421001.5, 412.1))
    driven = grouser("run --course yard.toml --model icr --driver constant:speed=0.2 --duration 60")
    assert driven.code == 0
    assert "the robot left the ground at x 1.5" in driven.err
    assert "the height field ends or has a hole there" in driven.err


def test_what_became_of_the_points_is_told(grouser, scan):
    text = scan.read_text() + "482301.0 5421001.0 414.0\n482301.0 5421001.0 nan\n"
    scan.write_text(text)
    out = grouser("course from-scan yard.xyz --crop 482300,482302,5421000,5421002").out
    assert "yard.xyz: 2 x 2 m, 41 x 41 nodes" in out
    for words in ("points not finite", "points cropped", "nodes under overhangs", "share"):
        assert words in out
    assert "least headroom under overhangs: 2 m" in out
    assert "origin of the course: x 482301.000, y 5421001.000, z 412.000 m of the scan" in out
    assert "drive it: grouser drive --course out/yard.toml" in out


def test_a_spacing_that_is_too_small_for_the_points_is_told(grouser, scan):
    answer = grouser("course from-scan yard.xyz --spacing 0.02 --fill 0")
    assert "only 16 % of the nodes have points" in answer.err
    assert "a larger --spacing" in answer.err
    assert grouser("course from-scan yard.xyz --spacing 0.05 --fill 0").err == ""


def test_no_file_is_replaced(grouser, scan):
    first, second = (grouser("course from-scan yard.xyz --json").json for _ in range(2))
    assert (first["course"], first["heights"]) == ("out/yard.toml", "out/yard.npy")
    assert (second["course"], second["heights"]) == ("out/yard-2.toml", "out/yard-2.npy")
    answer = grouser("course from-scan yard.xyz --out out/yard.toml")
    assert answer.code == 2
    assert "--overwrite replaces this one" in answer.err
    assert grouser("course from-scan yard.xyz --out out/yard.toml --overwrite").code == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("none.ply", "none.ply: there is no such file"),
        ("yard.xyz --spacing 0", "--spacing must be from 0.001 to 100, not 0.0"),
        ("yard.xyz --percentile 101", "--percentile must be from 0 to 100"),
        ("yard.xyz --unit inch", "--unit must be one of m, cm, mm, ft"),
        ("yard.xyz --crop 1,0,0,1", "--crop must be west,east,south,north in metres"),
        ("yard.xyz --crop a,b,c,d", "--crop must be west,east,south,north in metres"),
        ("yard.xyz --out yard.csv", "--out must end in .toml, not 'yard.csv'"),
        ("yard.xyz --unit mm", "must cover two nodes of 0.05 m either way"),
    ],
)
def test_a_mistake_gets_a_sentence_and_writes_nothing(grouser, scan, options, sentence):
    answer = grouser(f"course from-scan {options}")
    assert answer.code == 2
    assert sentence in answer.err
    assert not list(scan.parent.rglob("*.toml"))
    assert not list(scan.parent.rglob("*.npy"))


def test_names_with_odd_characters_become_courses(grouser, scan):
    odd = scan.with_name('a"b\\c (1).ply')
    odd.write_bytes(ply_points())
    command = ["course", "from-scan", str(odd), "--spacing", "1", "--out", 'x"y 1.toml']
    from grouser.cli import main

    assert main(command) == 0
    assert load_course(scan.with_name('x"y 1.toml')).name == "x-y-1"
