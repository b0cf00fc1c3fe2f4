"""`grouser identify` reads tables of other programs without a column map."""

import math
from pathlib import Path

import numpy as np
import pytest

from grouser.cli.foreign_logs import read_any_log
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidLog
from grouser.identify import read_record

GAUGE = 0.5
RATIO = 0.8
"""Share of the speed difference that turns the robot."""


def write_drive(*, with_poses: bool = True, shift: float = 0.0) -> None:
    """Write a drive with slip as wheels.csv, perhaps with poses, and its poses as track.txt."""
    time = np.arange(0.0, 40.0, 0.05)
    left = 0.4 + 0.3 * np.sin(0.5 * time)
    right = 0.4 + 0.3 * np.sin(0.7 * time + 1.0)
    yaw = np.concatenate([[0.0], np.cumsum(0.05 * RATIO * (right - left)[1:] / GAUGE)])
    speed = 0.5 * (left + right)
    heading = np.concatenate([[0.0], 0.5 * (yaw[1:] + yaw[:-1])])
    x, y = (
        np.concatenate([[0.0], np.cumsum(0.05 * (speed * turn(heading))[1:])])
        for turn in (np.cos, np.sin)
    )
    heads, columns = "stamp,velL,velR", [1_700_000_000 + time, left, right]
    if with_poses:
        heads, columns = f"{heads},x_m,y_m,theta", [*columns, x, y, yaw]
    lines = [",".join(f"{cell:.6f}" for cell in row) for row in zip(*columns, strict=True)]
    Path("wheels.csv").write_text("\n".join([heads, *lines]) + "\n")
    poses = [
        f"{1_700_000_000 + shift + t:.6f} {a:.6f} {b:.6f} 0 0 0 {math.sin(c / 2)} {math.cos(c / 2)}"
        for t, a, b, c in zip(time, x, y, yaw, strict=True)
    ]
    Path("track.txt").write_text("\n".join(poses[20:]) + "\n")


def turning_ratio(answer) -> float:
    return answer.json["fits"]["turning"]["parameters"]["speed_difference_slope"]["value"]


def test_a_table_without_a_map_is_read_by_a_guess_that_is_shown_and_kept(grouser):
    write_drive()
    answer = grouser(f"identify wheels.csv --gauge {GAUGE} --family turning --json")
    assert answer.code == 0
    assert turning_ratio(answer) == pytest.approx(RATIO, abs=0.01)
    assert "wheels.csv is read by the guessed map wheels.map.toml: check it" in answer.err
    assert "column 'velL' has no unit: taken as m/s" in answer.err
    assert (
        'belt_speed.left = {column = "velL", unit = "m/s"}' in Path("wheels.map.toml").read_text()
    )


def test_a_map_that_is_there_is_used_and_never_replaced(grouser):
    write_drive()
    line = f"identify wheels.csv --gauge {GAUGE} --family turning --json"
    grouser(line)
    kept = Path("wheels.map.toml")
    again = grouser(line)
    assert "is read by wheels.map.toml, which was there already\n" in again.err
    mine = kept.read_text().replace('unit = "m/s"', 'unit = "m/s", scale = 2.0')
    kept.write_text(mine)
    other = grouser(line)
    assert "which was there already and differs from the guess" in other.err
    assert kept.read_text() == mine
    assert turning_ratio(other) == pytest.approx(0.5 * turning_ratio(again), rel=0.02)


def test_a_trajectory_of_another_program_may_hold_the_poses_by_the_same_clock(grouser):
    write_drive(with_poses=False)
    line = f"identify wheels.csv --poses track.txt --gauge {GAUGE} --family turning --json"
    answer = grouser(line)
    assert answer.code == 0, answer.err
    assert turning_ratio(answer) == pytest.approx(RATIO, abs=0.01)
    assert abs(answer.json["fits"]["turning"]["parameters"]["time_offset"]["value"]) < 0.03


def test_poses_may_have_a_map_of_their_own(grouser):
    write_drive(with_poses=False)
    Path("mine.toml").write_text(
        'headings = ["t", "a", "b", "c", "d", "e", "f", "g"]\n[columns]\n'
        'time = {column = "t", unit = "s"}\nx = {column = "a", unit = "m"}\n'
        'y = {column = "b", unit = "m"}\nyaw = {quaternion = ["d", "e", "f", "g"]}\n'
    )
    line = f"identify wheels.csv --poses track.txt --poses-map mine.toml --gauge {GAUGE}"
    answer = grouser(f"{line} --family turning --json")
    assert turning_ratio(answer) == pytest.approx(RATIO, abs=0.01)
    assert not Path("track.map.toml").exists()
    alone = grouser(f"identify wheels.csv --poses-map mine.toml --gauge {GAUGE}")
    assert "--poses-map must come with --poses, not 'mine.toml'" in alone.err


def test_poses_without_a_common_time_are_named(grouser):
    write_drive(with_poses=False, shift=1000.0)
    answer = grouser(f"identify wheels.csv --poses track.txt --gauge {GAUGE}")
    assert answer.code != 0
    assert "track.txt: has no time in common with the log: its times are 1001 to" in answer.err


def test_pieces_of_a_calibration_drive_are_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{w},{w // 2},{0.05 * i},{0.5},{0.6},{3.0},{3.6},{0.1 * i},0,{0.01 * i},0.2,{i % 2}"
        for w in range(4)
        for i in range(10)
    ]
    heads = "window,step,t_s,left_m_s,right_m_s,cmd_left_rad_s,cmd_right_rad_s,x_m,y_m,yaw_rad,"
    Path("husky.csv").write_text("\n".join([f"{heads}gyro_z_rad_s,new_pose", *rows]) + "\n")
    log = read_any_log(Path("husky.csv"), None, Terminal())
    assert log["piece"].max() == 3.0
    assert log["group"].max() == 1.0
    record = read_record(log, "husky.csv", gauge=0.55)
    assert record.observation.kind == "pose"
    assert record.observation.time.size == 20  # half of the poses only repeat
    assert record.time.size == 40


def test_what_is_no_table_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("notes.csv").write_text("these are\nnotes\n")
    with pytest.raises(InvalidLog, match=r"notes\.csv: has no line of headings above numbers"):
        read_any_log(Path("notes.csv"), None, Terminal())
    with pytest.raises(
        InvalidLog, match=r"missing\.csv: there is no such file; its folder holds n"
    ):
        read_any_log(Path("missing.csv"), None, Terminal())
    assert not Path("notes.map.toml").exists()


def test_many_tables_of_one_kind_share_the_map_of_the_first(grouser):
    write_drive()
    heads, *lines = Path("wheels.csv").read_text().splitlines()
    names = [f"window_{number}.csv" for number in range(10)]
    for number, name in enumerate(names):
        Path(name).write_text("\n".join([heads, *lines[80 * number : 80 * (number + 1)]]) + "\n")
    answer = grouser(f"identify {' '.join(names)} --gauge {GAUGE} --family turning icr --json")
    assert answer.code == 0, answer.err
    assert turning_ratio(answer) == pytest.approx(RATIO, abs=0.01)
    assert [path.name for path in Path().glob("*.map.toml")] == ["window_0.map.toml"]
    assert answer.err.count("guessed map") == 1
