"""What was read from a foreign table, in words."""

import numpy as np

from grouser.log import Column, ForeignColumn, Log
from grouser.log.describe_columns import HEADS, describe_columns


def test_each_column_has_its_source_first_numbers_rate_and_gaps():
    log = Log(
        {
            "time": Column(np.array([0.0, 0.1, 0.2, 0.0, 0.1]), "s"),
            "piece": Column(np.array([0.0, 0.0, 0.0, 1.0, 1.0]), "1"),
            "x": Column(np.array([1.0, np.nan, 1.5, np.nan, 2.0]), "m"),
        }
    )
    columns = {
        "time": ForeignColumn(column="t", unit="ms"),
        "x": ForeignColumn(latitude="lat", longitude="lon", where="fix"),
    }
    rows = list(describe_columns(log, columns))
    assert [row[0] for row in rows] == ["time", "piece", "x"]
    assert rows[0] == ("time", "t", "ms", "0, 0.1, 0.2", "5", "10", "0.1")
    assert rows[1][1] == "time that starts again"
    assert rows[2] == ("x", "lat, lon, fix", "deg", "1, 1.5, 2", "3", "5", "0.2")
    assert all(len(row) == len(HEADS) for row in rows)


def test_a_table_without_time_has_no_rates():
    log = Log({"slip.left": Column(np.array([0.1, 0.2]), "1")})
    columns = {"slip.left": ForeignColumn(column="s", unit="%")}
    assert list(describe_columns(log, columns)) == [
        ("slip.left", "s", "%", "0.1, 0.2", "2", "", "")
    ]


def test_large_numbers_have_enough_digits_to_check_them():
    columns = {
        "x": Column(np.array([500123.412, 500123.43, 500123.5]), "m"),
        "y": Column(np.array([5400000.25, 5400000.25, 5400000.25]), "m"),
        "yaw": Column(np.array([0.123456, 1.0, 1e-5]), "rad"),
        "vx": Column(np.array([0.500001, 0.500002, 0.5]), "m/s"),
    }
    maps = {name: ForeignColumn(column=name, unit=column.unit) for name, column in columns.items()}
    first = {row[0]: row[3] for row in describe_columns(Log(columns), maps)}
    assert first == {
        "x": "500123.41, 500123.43, 500123.5",
        "y": "5400000.25, 5400000.25, 5400000.25",
        "yaw": "0.1235, 1, 1e-05",
        "vx": "0.500001, 0.500002, 0.5",
    }
