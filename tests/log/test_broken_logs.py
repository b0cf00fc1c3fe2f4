"""Broken logs of other programs; the sentence that names each is in a table of docs/logs.md."""

import os
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from rosbags.rosbag2 import StoragePlugin

from grouser.cli.foreign_logs import read_any_log
from grouser.cli.terminal import Terminal
from grouser.errors import GrouserError
from grouser.identify import read_record
from grouser.log.stamps import on_clock_of
from tests.log.test_rosbag import write_bag

PAGE = Path(__file__).parents[2] / "docs" / "logs.md"
HEADS = "t_s,left_m_s,right_m_s,x_m,y_m,yaw_rad"
ROWS = [f"{0.1 * i:.1f},0.5,0.6,{0.05 * i:.2f},0,{0.02 * i:.2f}" for i in range(20)]
TABLE = "\n".join([HEADS, *ROWS]) + "\n"
TIME = 'time = {column = "t_s", unit = "s"}'
LEFT = 'belt_speed.left = {column = "left_m_s", unit = "m/s"}'
RIGHT = 'belt_speed.right = {column = "right_m_s", unit = "m/s"}'
POSE = """x = {column = "x_m", unit = "m"}
y = {column = "y_m", unit = "m"}
yaw = {column = "yaw_rad", unit = "rad"}"""
OTHER = '[files."right.csv"]\ntime = {column = "t", unit = "s"}'


def table(content: str | bytes) -> Callable[[Path], None]:
    data = content if isinstance(content, bytes) else content.encode()
    return lambda folder: (folder / "log.csv").write_bytes(data) and None


def mapped(*entries: str, content: str = TABLE, after: str = "") -> Callable[[Path], None]:
    def build(folder: Path) -> None:
        (folder / "log.csv").write_text(content)
        text = "\n".join(["[columns]", *entries, after]) + "\n"
        (folder / "map.toml").write_text(text)

    return build


def change(row: int, old: str, new: str) -> str:
    """Return the table with another text in one of its lines, counted from 1."""
    lines = TABLE.splitlines()
    assert old in lines[row - 1]
    lines[row - 1] = lines[row - 1].replace(old, new, 1)
    return "\n".join(lines) + "\n"


def truncated_database(folder: Path) -> None:
    write_bag(folder / "whole", StoragePlugin.SQLITE3)
    data = next((folder / "whole").glob("*.db3")).read_bytes()
    (folder / "log.db3").write_bytes(data[: len(data) // 2])


def bag_without_metadata(folder: Path) -> None:
    write_bag(folder / "log", StoragePlugin.SQLITE3)
    (folder / "log" / "metadata.yaml").unlink()


def bag_without_belts(folder: Path) -> None:
    shutil.move(write_bag(folder / "bag", StoragePlugin.MCAP), folder / "log")
    (folder / "map.toml").write_text(
        '[columns]\ntime = {column = "/vrpn/pose.stamp", unit = "s"}\n'
        'x = {column = "/vrpn/pose.pose.position.x", unit = "m"}\n'
    )


def bag_without_the_topic(folder: Path) -> None:
    write_bag(folder / "log", StoragePlugin.SQLITE3)
    (folder / "map.toml").write_text('[columns]\ntime = {column = "/odom.stamp", unit = "s"}\n')


def poses_of_another_day(folder: Path) -> None:
    (folder / "log.csv").write_text("\n".join(line.rsplit(",", 3)[0] for line in TABLE.split()))
    (folder / "poses.csv").write_text("t_s,x_m,y_m,yaw_rad\n900,0,0,0\n901,1,0,0\n")


PIECES = "window,t_s,left_m_s,right_m_s,gyro_z_rad_s\n"
QUATERNIONS = "t_s,left_m_s,right_m_s,x_m,y_m,qx,qy,qz,qw\n0,1,1,0,0,0,0,0,1\n1,1,1,1,0,0,0,0,0\n"
FIXES = "t_s,left_m_s,right_m_s,lat,lon\n0,1,1,46,7\n1,1,1,146,7\n"

CASES: dict[str, Callable[[Path], None]] = {
    "a column of the map is missing": mapped(TIME, LEFT, RIGHT.replace("right_m_s", "r"), POSE),
    "text in a number": table(change(7, ",0.5,", ",fast,")),
    "a row is too short": table(change(9, ",0.6", "")),
    "a row is too long, by decimal commas": table(change(9, "0.5", "0,5")),
    "decimal commas in a table of semicolons": table(
        TABLE.replace(",", ";").replace(";0.5;", ";0,5;")
    ),
    "two columns of one heading": mapped(
        TIME, LEFT, POSE, content=TABLE.replace("right_m_s", "left_m_s")
    ),
    "an empty file": table(""),
    "headings without rows": mapped(TIME, LEFT, RIGHT, POSE, content=HEADS + "\n"),
    "a binary file": table(b"\x89PNG\r\n\x1a\n"),
    "NUL bytes": table(TABLE.encode("utf-16-le")),
    "no headings": table("\n".join(ROWS)),
    "no time": table(TABLE.replace("t_s", "number")),
    "a speed without unit, too large for m/s": table("t,velL,velR\n0,1,1\n1,20,30\n"),
    "wheels that may be counts, angles or speeds": table(
        "t,wheel_l,wheel_r\n" + "".join(f"{i},{0.1 * i:.1f},{0.1 * i:.1f}\n" for i in range(30))
    ),
    "time goes back within a piece": table(
        PIECES + "0,0,1,1,0\n0,2,1,1,0\n0,1,1,1,0\n1,0,1,1,0\n1,1,1,1,0\n"
    ),
    "time goes back again and again": table("t_s,left_m_s,right_m_s\n3,1,1\n2,1,1\n1,1,1\n0,1,1\n"),
    "constant time": table("t_s,left_m_s,right_m_s\n5,1,1\n5,1,2\n5,1,3\n"),
    "a piece without number": table(
        PIECES + "0,0,1,1,0\nnan,1,1,1,0\n1,2,1,1,0\n1,3,1,1,0\n1,4,1,1,0\n"
    ),
    "a piece that comes back": mapped(
        TIME,
        'piece = {column = "window", unit = "1"}',
        content=PIECES + "0,0,1,1,0\n1,1,1,1,0\n0,2,1,1,0\n",
    ),
    "a quaternion of norm 0": mapped(
        TIME, LEFT, 'yaw = {quaternion = ["qx", "qy", "qz", "qw"]}', content=QUATERNIONS
    ),
    "a latitude beyond 90 degrees": table(FIXES),
    "counts without metres": table(
        "t_s,left_ticks,right_ticks,gyro_z\n0,1,1,0\n1,2,2,0\n2,3,3,0\n"
    ),
    "rad/s without radius": table("t_s,left_rad_s,right_rad_s,gyro_z\n0,1,1,0\n1,2,2,0\n2,3,3,0\n"),
    "only one side": mapped(TIME, LEFT, POSE),
    "no motion observed": mapped(TIME, LEFT, RIGHT),
    "belts never measured": mapped(TIME, LEFT, RIGHT, POSE, content=TABLE.replace(",0.5,", ",,")),
    "an unknown unit": mapped(TIME, LEFT.replace('"m/s"', '"mph"'), RIGHT),
    "rows of one time that contradict each other": table(
        "t_s,left_m_s,right_m_s\n0,1,\n0,,1\n1,2,\n1,3,4\n"
    ),
    "another file that is not there": mapped(
        TIME, LEFT, RIGHT.replace("}", ', file = "right.csv"}'), after=OTHER
    ),
    "another file without its time": mapped(
        TIME, LEFT, RIGHT.replace("}", ', file = "right.csv"}')
    ),
    "a truncated .db3 file": truncated_database,
    "a folder without metadata.yaml": bag_without_metadata,
    "a bag without the topic of the map": bag_without_the_topic,
    "a bag without belts": bag_without_belts,
    "poses of another time": poses_of_another_day,
}


def read_as_identify_does(folder: Path) -> None:
    """Read what was built, as `grouser identify` would."""
    path = next(p for name in ("log.csv", "log.db3", "log") if (p := folder / name).exists())
    column_map = folder / "map.toml" if (folder / "map.toml").exists() else None
    log = read_any_log(path, column_map, Terminal())
    poses = folder / "poses.csv"
    observed = None
    if poses.exists():
        observed = on_clock_of(read_any_log(poses, None, Terminal()), log, poses)
    read_record(log, str(path), None, 0.5, None, observed)


@pytest.mark.parametrize("case", CASES)
def test_a_broken_log_is_named_with_place_finding_and_remedy(case, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (folder := tmp_path / "logs").mkdir()
    CASES[case](folder)
    with pytest.raises(GrouserError) as caught:
        read_as_identify_does(folder)
    assert str(caught.value).replace(f"{folder}{os.sep}", "") == sentences()[case]


def test_the_whole_table_that_they_are_made_of_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table(TABLE)(tmp_path)
    read_as_identify_does(tmp_path)


def test_the_page_lists_these_cases_and_no_others():
    assert list(sentences()) == list(CASES)
    assert len(CASES) >= 30


@cache
def sentences() -> dict[str, str]:
    """Return the sentence of each case, from the table of the page."""
    section = PAGE.read_text().partition("### Broken logs")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| ([^|`]+) \| `([^`]+)` \|$", section, re.M))
