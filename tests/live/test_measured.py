"""A log that is played as a robot: belts of all kinds, as `grouser identify` takes them."""

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.errors import InvalidLog
from grouser.identify import read_record
from grouser.live import LogRobot
from grouser.log import read_foreign

ROBOT = load_robot("tp100")
HEADS = "t,piece,a,b,x,y,yaw"
TIME = 0.1 * np.arange(30)
TRAVELS = 0.1 * TIME, 0.05 * TIME + 0.01 * np.sin(TIME)


def table(left, right, *, pieces: int = 1, blank: str = "") -> str:
    """Return rows with two belts and a pose, the right belt only in each second row if `blank`."""
    rows = [HEADS]
    for piece in range(pieces):
        for k, time in enumerate(TIME):
            b = "" if blank and k % 2 else f"{right[k]:.9g}"
            rows.append(f"{time:.3f},{piece},{left[k]:.9g},{b},{0.1 * time:.6f},0,0")
    return "\n".join(rows) + "\n"


def column_map(entry: str, family: str, *, pieces: bool = False) -> str:
    lines = ["[columns]", 'time = {column = "t", unit = "s"}']
    lines += [f'{n} = {{column = "{n}", unit = "{u}"}}' for n, u in
              (("x", "m"), ("y", "m"), ("yaw", "rad"))]  # fmt: skip
    lines += ['piece = {column = "piece", unit = "1"}'] if pieces else []
    lines += [f'{family}.{side} = {{column = "{c}", {entry}}}' for side, c in
              (("left", "a"), ("right", "b"))]  # fmt: skip
    return "\n".join(lines) + "\n"


def counts(per: float) -> tuple[np.ndarray, np.ndarray]:
    left, right = (np.round(travel / per) for travel in TRAVELS)
    return left, right


RADIUS = ROBOT.sprocket_radius
SPEEDS = np.full(30, 0.1), 0.05 + 0.01 * np.cos(TIME)
TURNS = tuple(travel / RADIUS for travel in TRAVELS)
MAPS = {
    "speeds": (table(*SPEEDS), column_map('unit = "m/s"', "belt_speed")),
    "speeds in cm/s": (table(*SPEEDS), column_map('unit = "cm/s"', "belt_speed")),
    "counts": (table(*counts(1e-4)),
               column_map('unit = "1", metres_per_count = 1e-4', "encoder")),
    "travel": (table(*TRAVELS), column_map('unit = "m"', "encoder")),
    "angles, radius of the map": (table(*TURNS),
                                  column_map('unit = "rad", radius_m = 0.03', "encoder")),
    "angles, radius of the robot": (table(*TURNS), column_map('unit = "rad"', "joint_position")),
    "wheel speeds": (table(*SPEEDS), column_map('unit = "rad/s"', "wheel_speed")),
    "speeds of wheels in rpm": (table(*SPEEDS),
                                column_map('unit = "rpm", radius_m = 0.03', "belt_speed")),
    "counts and encoders of the robot": (table(*counts(1e-3)), column_map('unit = "1"', "encoder")),
    "sides at different rates": (table(*SPEEDS, blank="b"),
                                 column_map('unit = "m/s"', "belt_speed")),
    "pieces": (table(*counts(1e-4), pieces=3),
               column_map('unit = "1", metres_per_count = 1e-4', "encoder", pieces=True)),
    "commands": (table(*SPEEDS), column_map('unit = "m/s"', "belt_speed_commanded")),
}  # fmt: skip


def play(log, robot=ROBOT):
    """Return all measurements of a log that is played."""
    clock = [0.0]
    played = LogRobot(log, robot, now=lambda: clock[0])
    found = []
    while not played.is_over:
        while (measurement := played.take()) is not None:
            found.append(measurement)
        clock[0] += 1.0
    while (measurement := played.take()) is not None:
        found.append(measurement)
    return found


@pytest.mark.parametrize("kind", MAPS)
def test_every_map_that_identify_takes_is_played_with_the_same_belt_speeds(kind, tmp_path):
    text, entries = MAPS[kind]
    file, column_map = tmp_path / "a.csv", tmp_path / "a.map.toml"
    file.write_text(text)
    column_map.write_text(entries)
    log = read_foreign(file, column_map)
    assert ROBOT.sensors.encoder is not None
    record = read_record(log, "a.csv", ROBOT)
    played = [m.belts for m in play(log) if m.belts is not None]
    assert np.array(played) == pytest.approx(np.stack([record.left, record.right], axis=1))
    assert len(played) > 25


def test_pieces_are_played_one_after_the_other_and_each_begins_anew(tmp_path):
    text, entries = MAPS["pieces"]
    file, column_map = tmp_path / "a.csv", tmp_path / "a.map.toml"
    file.write_text(text)
    column_map.write_text(entries)
    found = play(read_foreign(file, column_map))
    times = np.array([m.time for m in found])
    assert len(found) == 90
    assert np.all(np.diff(times) > 0.0)
    assert [k for k, m in enumerate(found) if m.begins] == [30, 60]


def test_a_table_of_steady_states_cannot_be_played(tmp_path):
    file, column_map = tmp_path / "a.csv", tmp_path / "a.map.toml"
    file.write_text(table(*SPEEDS))
    entries = column_map_of_steady()
    column_map.write_text(entries)
    with pytest.raises(InvalidLog, match="table of steady states, without time"):
        LogRobot(read_foreign(file, column_map), ROBOT)


def column_map_of_steady() -> str:
    lines = column_map('unit = "m/s"', "belt_speed").splitlines()
    return "\n".join(["steady = true", *(line for line in lines if "time" not in line)]) + "\n"
