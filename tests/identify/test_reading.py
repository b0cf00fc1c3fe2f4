"""Belt speeds of a record: pieces, and sides at different rates."""

import numpy as np
import pytest

from grouser.description import load_robot
from grouser.errors import InvalidLog
from grouser.identify import read_record
from grouser.log import Column, Log

NAN = np.nan


def make_log(unit: str = "m/s", **columns) -> Log:
    units = {"time": "s", "piece": "1", "gyro_yaw_rate": "rad/s"}
    found = {
        name.replace("__", "."): Column(np.array(values, dtype=float), units.get(name, unit))
        for name, values in columns.items()
    }
    return Log(found)


def test_sides_at_different_rates_are_known_at_all_their_times():
    log = make_log(
        time=[0.0, 0.1, 0.2, 0.3, 0.4],
        belt_speed__left=[1.0, NAN, 1.2, NAN, 1.4],
        belt_speed__right=[2.0, 2.1, NAN, NAN, 2.4],
        gyro_yaw_rate=[0.0] * 5,
    )
    record = read_record(log, "log", gauge=0.5)
    assert record.time == pytest.approx([0.0, 0.1, 0.2, 0.4])  # at 0.3 s neither was measured
    assert record.left == pytest.approx([1.0, 1.1, 1.2, 1.4])
    assert record.right == pytest.approx([2.0, 2.1, 2.2, 2.4])


def test_long_gaps_and_gaps_between_pieces_are_not_filled():
    log = make_log(
        time=[0.0, 0.1, 2.0, 2.1, 0.0, 0.1],
        piece=[0, 0, 0, 0, 1, 1],
        belt_speed__left=[1.0, NAN, 1.0, NAN, 1.0, 1.0],
        belt_speed__right=[1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        gyro_yaw_rate=[0.0] * 6,
    )
    assert read_record(log, "log", gauge=0.5).time.tolist() == pytest.approx([0.0, 2.0, 12.1, 12.2])


def test_travel_is_not_derived_across_pieces():
    log = make_log(
        "m",
        time=[0.0, 1.0, 2.0, 0.0, 1.0],
        piece=[0, 0, 0, 1, 1],
        encoder__left=[0.0, 1.0, 2.0, 50.0, 53.0],
        encoder__right=[0.0, 1.0, 2.0, 50.0, 53.0],
        gyro_yaw_rate=[0.0] * 5,
    )
    record = read_record(log, "log", gauge=0.5)
    assert record.left.tolist() == [1.0, 1.0, 3.0]
    assert record.time.tolist() == [1.0, 2.0, 13.0]  # ten seconds between pieces


def test_a_robot_that_was_given_but_has_no_encoder_is_named():
    counts = {"encoder__left": [0.0, 5.0, 9.0], "encoder__right": [0.0, 5.0, 9.0]}
    log = make_log("1", time=[0.0, 1.0, 2.0], gyro_yaw_rate=[0.0] * 3, **counts)
    with pytest.raises(InvalidLog, match="name a robot with encoders"):
        read_record(log, "log", gauge=0.5)
    with pytest.raises(InvalidLog) as told:
        read_record(log, "log", load_robot("absolem"))
    assert "robot 'absolem' has no [sensors.encoder]: add it, or write metres_per_count" in str(
        told.value
    )
    assert "--robot" not in str(told.value)
