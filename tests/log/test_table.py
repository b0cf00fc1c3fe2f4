"""Text tables: delimiters, headings behind a #, empty cells, other files."""

import numpy as np
import pytest

from grouser.errors import InvalidDescription, InvalidLog
from grouser.log import read_foreign

MAP = {
    "time": {"column": "t", "unit": "s"},
    "belt_speed.left": {"column": "left", "unit": "m/s"},
    "belt_speed.right": {"column": "right", "unit": "m/s"},
}


@pytest.fixture
def read(tmp_path):
    def read(table: str, column_map=MAP, name="drive.csv"):
        (tmp_path / name).write_text(table)
        return read_foreign(tmp_path / name, column_map)

    return read


@pytest.mark.parametrize(
    "table",
    [
        "t,left,right\n0,1,2\n1,3,4\n",
        "t;left;right\n0;1;2\n1;3;4\n",
        "t\tleft\tright\n0\t1\t2\n1\t3\t4\n",
        "t left   right\n 0  1 2\n1    3  4 \n",
        "# t left right\n0 1 2\n1 3 4\n",
        "#t,left,right\n0,1,2\n1,3,4\n",
        "# recorded outside\n# t, left, right\n0, 1, 2\n1, 3, 4\n",
    ],
)
def test_cells_may_be_separated_in_four_ways_and_headings_may_follow_a_hash(read, table):
    log = read(table)
    assert log.time.tolist() == [0.0, 1.0]
    assert log["belt_speed.left"].tolist() == [1.0, 3.0]
    assert log["belt_speed.right"].tolist() == [2.0, 4.0]


def test_an_empty_cell_is_nan(read):
    log = read("t,left,right\n0,,2\n1,3, \n")
    assert np.isnan(log["belt_speed.left"][0])
    assert np.isnan(log["belt_speed.right"][1])
    assert log["belt_speed.left"][1] == 3.0


def test_rows_of_one_time_with_other_cells_filled_become_one(read):
    log = read("t,left,right\n0,1,\n0,,2\n1,3,\n1,3,4\n")
    assert log.time.tolist() == [0.0, 1.0]
    assert log["belt_speed.left"].tolist() == [1.0, 3.0]
    assert log["belt_speed.right"].tolist() == [2.0, 4.0]
    assert log.provenance.notes["merged_rows"] == 2


def test_rows_of_one_time_that_contradict_each_other_are_named(read):
    sentence = r"line 4, column 'left': its belt_speed.left is 5, but 1 in line 2, both at 0 s"
    with pytest.raises(InvalidLog, match=sentence):
        read("t,left,right\n0,1,\n0,,2\n0,5,\n1,3,4\n")


def test_sides_at_different_rates_keep_all_their_times(read):
    log = read("t,left,right\n0,1,1\n0.5,1.5,\n1,2,2\n1.5,2.5,\n")
    assert log.time.tolist() == [0.0, 0.5, 1.0, 1.5]
    assert np.isnan(log["belt_speed.right"]).tolist() == [False, True, False, True]


TWO_FILES = """
[columns]
time = {column = "t", unit = "s"}
belt_speed.left = {column = "v", unit = "m/s"}
belt_speed.right = {column = "v", unit = "cm/s", file = "right.csv"}

[files."right.csv"]
time = {column = "stamp", unit = "ms"}
"""


@pytest.fixture
def two_files(tmp_path):
    (tmp_path / "left.csv").write_text("t,v\n0,1\n1,2\n")
    (tmp_path / "map.toml").write_text(TWO_FILES)
    return tmp_path


def test_a_column_may_be_in_another_file_with_times_of_its_own(two_files):
    (two_files / "right.csv").write_text("stamp;v\n0;100\n250;150\n1000;200\n")
    log = read_foreign(two_files / "left.csv", two_files / "map.toml")
    assert log.time.tolist() == [0.0, 0.25, 1.0]
    assert log["belt_speed.left"].tolist() == pytest.approx([1.0, np.nan, 2.0], nan_ok=True)
    assert log["belt_speed.right"].tolist() == pytest.approx([1.0, 1.5, 2.0])


def test_pieces_of_two_files_must_be_known_in_both(two_files):
    (two_files / "right.csv").write_text("stamp;v\n0;1\n500;1\n900;2\n0;2\n500;3\n")
    with pytest.raises(InvalidLog, match=r"left\.csv: has no pieces, but right\.csv has"):
        read_foreign(two_files / "left.csv", two_files / "map.toml")


def test_a_missing_other_file_is_named(two_files):
    with pytest.raises(InvalidLog, match=r"right\.csv: there is no such file"):
        read_foreign(two_files / "left.csv", two_files / "map.toml")


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        (TWO_FILES.partition("[files")[0], r"file needs a table \[files.\"right.csv\"\]"),
        (TWO_FILES.replace("right.csv", "../right.csv"), "file must be the name of a file in"),
        (TWO_FILES.replace('time = {column = "stamp"', 'when = {column = "stamp"'), "it has wh"),
        (TWO_FILES.replace('unit = "ms"', 'unit = "m"'), "time is a time in s; 'm' becomes m"),
        (TWO_FILES.replace('[files."right.csv"]', "[other]"), "and nothing else; it has other"),
    ],
)
def test_a_wrong_table_of_files_is_described(two_files, text, mistake):
    (two_files / "map.toml").write_text(text)
    with pytest.raises(InvalidDescription, match=mistake):
        read_foreign(two_files / "left.csv", two_files / "map.toml")


PIECES = {**MAP, "piece": {"column": "run", "unit": "1"}, "group": {"column": "day", "unit": "1"}}


def test_texts_of_pieces_and_groups_are_numbered_as_they_appear(read):
    log = read("t,left,right,run,day\n0,1,1,b,mon\n1,1,1,b,mon\n0,1,1,a,mon\n1,1,1,a,mon\n", PIECES)
    assert log["piece"].tolist() == [0.0, 0.0, 1.0, 1.0]
    assert log["group"].tolist() == [0.0] * 4
    assert log.duration == 2.0


def test_numbers_of_pieces_stay_as_they_are(read):
    log = read("t,left,right,run,day\n0,1,1,7,3\n1,1,1,7,3\n0,1,1,5,3\n", PIECES)
    assert log["piece"].tolist() == [7.0, 7.0, 5.0]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("0,1,1,0,0\n2,1,1,0,0\n1,1,1,0,0\n0,1,1,1,0\n",
         "line 4: time must increase within a piece, but 1 s follows 2 s"),
        ("0,1,1,,0\n", "line 2, column 'run': the cell is empty, so the piece of this row"),
        ("0,1,1,nan,0\n", "line 2: column 'piece' holds nan, not the number of a piece"),
        ("0,1,1,0,0\n1,1,1,1,0\n2,1,1,0,0\n", "line 4: piece 0 continues after piece 1; keep"),
    ],
)  # fmt: skip
def test_a_piece_that_is_wrong_is_named(read, rows, sentence):
    with pytest.raises(InvalidLog, match=sentence):
        read(f"t,left,right,run,day\n{rows}", PIECES)


def test_time_that_starts_again_begins_a_new_piece(read):
    log = read("t,left,right\n0,1,1\n1,1,1\n2,1,1\n0,1,1\n1,1,1\n2,2,2\n")
    assert log["piece"].tolist() == [0.0] * 3 + [1.0] * 3
    assert log.provenance.notes["pieces_by_restart"] == 2
    assert log.duration == 4.0


def test_where_another_column_is_zero_nothing_was_measured(read):
    x = {"column": "left", "unit": "m", "where": "right"}
    log = read("t,left,right\n0,1,0\n1,2,1\n2,3,\n", {"time": MAP["time"], "x": x})
    assert log["x"].tolist() == pytest.approx([np.nan, 2.0, np.nan], nan_ok=True)


def test_headings_of_the_map_serve_a_file_of_blanks_without_headings(tmp_path):
    (tmp_path / "d.txt").write_text("0 1 2\n1  3 4\n")
    (tmp_path / "m.toml").write_text(
        'headings = ["t", "l", "r"]\n[columns]\ntime = {column = "t", unit = "s"}\n'
        'belt_speed.left = {column = "l", unit = "m/s"}\n'
    )
    assert read_foreign(tmp_path / "d.txt", tmp_path / "m.toml")["belt_speed.left"].tolist() == [
        1,
        3,
    ]
