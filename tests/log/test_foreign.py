"""Tables of other programs read by a column map."""

import math

import numpy as np
import pytest

from grouser.errors import InvalidDescription, InvalidLog, InvalidValue
from grouser.log import ForeignColumn, Provenance, read_column_map, read_foreign

MAP = {
    "time": {"column": "t", "unit": "ms"},
    "x": {"column": "X (cm)", "unit": "cm"},
    "y": {"column": "Y (cm)", "unit": "cm", "sign": -1},
    "yaw": {"column": "heading", "unit": "deg", "sign": -1, "offset": 90},
}
TABLE = "t,heading,X (cm),unused,Y (cm)\n0,90,1.5,a,-2\n50,80,2.5,b,4\n"
MAP_FILE = """
[columns]
time = {column = "t", unit = "ms"}
x = {column = "X (cm)", unit = "cm"}
y = {column = "Y (cm)", unit = "cm", sign = -1}
yaw = {column = "heading", unit = "deg", sign = -1, offset = 90}
belt_speed.left = {column = "X (cm)", unit = "cm/s"}
"encoder.left" = {column = "X (cm)", unit = "rpm"}
"""


@pytest.fixture
def read(tmp_path):
    def read(table: str | bytes, column_map=MAP, **options):
        path = tmp_path / "camera.csv"
        path.write_bytes(table if isinstance(table, bytes) else table.encode())
        return read_foreign(path, column_map, **options)

    return read


def test_numbers_become_si_with_sign_and_offset(read):
    log = read(TABLE)
    assert log.names == ("time", "x", "y", "yaw")
    assert log.time == pytest.approx([0.0, 0.05])
    assert log["x"] == pytest.approx([0.015, 0.025])
    assert log["y"] == pytest.approx([0.02, -0.04])
    assert log["yaw"] == pytest.approx([0.0, math.radians(10.0)])
    assert [log.unit(name) for name in log.names] == ["s", "m", "m", "rad"]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_the_delimiter_is_found(read, delimiter):
    assert read(TABLE.replace(",", delimiter)) == read(TABLE)


@pytest.mark.parametrize(
    "change",
    [
        lambda table: "device 3; firmware 2, 'beta\n\n# started at noon\n" + table,
        lambda table: 'a "quoted, preamble\n' + table,
        lambda table: table.replace("\n", "\r\n"),
        lambda table: "\ufeff" + table,
        lambda table: table.rstrip("\n"),
        lambda table: table.replace("\n50", "\n\n# pause\n50"),
        lambda table: table.replace("X (cm)", '" X (cm) "'),
        lambda table: table.replace("Y (cm)\n", "Y (cm),\n"),
        lambda table: table.replace("-2\n", "-2,\n"),
    ],
    ids=["preamble", "quote above", "crlf", "bom", "no last newline", "gaps", "quoted",
         "comma after headings", "comma after cells"],
)  # fmt: skip
def test_habits_of_other_programs_do_not_matter(read, change):
    assert read(change(TABLE)) == read(TABLE)


def test_the_map_can_be_a_file_with_dotted_names(read, tmp_path):
    path = tmp_path / "map.toml"
    path.write_text(MAP_FILE)
    log = read(TABLE, path)
    assert log["belt_speed.left"] == pytest.approx([0.015, 0.025])
    assert log["encoder.left"] == pytest.approx([1.5 * math.pi / 30.0, 2.5 * math.pi / 30.0])
    assert read_column_map(path)["y"] == ForeignColumn(column="Y (cm)", unit="cm", sign=-1)
    assert read(TABLE, str(path)) == log


def test_the_provenance_names_file_and_columns(read):
    notes = read(TABLE).provenance.notes
    assert notes["foreign_file"] == "camera.csv"
    assert notes["column_map"]["y"] == {
        "column": "Y (cm)", "unit": "cm", "sign": -1, "offset": 0.0, "scale": 1.0,
    }  # fmt: skip
    mine = Provenance(robot="tp100", driver="a person")
    assert read(TABLE, provenance=mine).provenance == mine


def test_nan_is_read_as_not_measured(read):
    assert np.isnan(read(TABLE.replace("1.5", "nan"))["x"][0])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("X (cm)", "X", r"has no column 'X \(cm\)'; its columns are 't', 'heading', 'X', 'unused'"),
        ("unused", "heading", "has 2 columns 'heading'; give them different headings"),
        ("2.5", "2.5m", r"line 3, column 'X \(cm\)': '2.5m' is not a number; correct it"),
        ("2.5", '"2,5"', r"line 3, column 'X \(cm\)': '2,5' is not a number; write a decimal poi"),
        ("50,", "0,", r"line 3, column 'X \(cm\)': its x is 0.025, but 0.015 in line 2, both"),
        (",b,4", ",b,4,5", "line 3 has 6 cells below 5 headings; with decimal commas"),
        ("50,", "-10,", "line 3: time must increase, but -0.01 s follows 0 s, and goes back 1"),
        ("50,", "nan,", "line 3: the time is nan s, not a number within"),
        ("50,", "inf,", "line 3: the time is inf s, not a number within"),
        ("\n0,", "\nnan,", "line 2: the time is nan"),
        (",b,4", "", "line 3 has 3 of 5 cells; complete or remove it"),
        (TABLE, TABLE.split("\n")[0], "has headings but no rows"),
        (TABLE, "\n \n", "the file is empty"),
    ],
)
def test_a_bad_table_is_described(read, old, new, sentence):
    assert old in TABLE
    with pytest.raises(InvalidLog, match=rf"camera\.csv: {sentence}"):
        read(TABLE.replace(old, new))


def test_rows_that_repeat_the_one_before_are_left_out_and_counted(read):
    last = TABLE.splitlines()[-1] + "\n"
    log = read(TABLE + last + last)
    assert log.time.tolist() == read(TABLE).time.tolist()
    assert log.provenance.notes["repeated_rows"] == 2
    assert "repeated_rows" not in read(TABLE).provenance.notes


@pytest.mark.parametrize("number", ["1_0", "٣", "0x10", "1e999", "1\0"])
def test_numbers_in_python_syntax_raise_an_error(read, number):
    with pytest.raises(InvalidLog, match=r"line 3, column 'X \(cm\)': '.*' is not a number"):
        read(TABLE.replace("2.5", number))


def test_lines_and_tables_have_limits(read):
    with pytest.raises(InvalidLog, match="line 3 has more than 1,048,576 characters"):
        read(TABLE.replace("2.5", "1" * 2_000_000))
    many = ",".join(f"c{i}" for i in range(10_001))
    with pytest.raises(InvalidLog, match=r"has 10,00\d columns; at most 10,000 are read"):
        read(TABLE.replace("unused", many))


def test_byte_positions_are_counted_from_the_top_of_the_file(read):
    table = TABLE.encode() + b"100,1,2,a,3\n" * 5000
    with pytest.raises(InvalidLog, match=f"byte {len(table) + 1} is not UTF-8 text"):
        read(table + b"\xff")


def test_lines_are_counted_from_the_top_of_the_file(read):
    with pytest.raises(InvalidLog, match="line 6, column"):
        read("device\n\n" + TABLE.replace("\n50", "\n\n50").replace("2.5", "?"))


def test_what_is_not_utf8_raises_an_error(read):
    with pytest.raises(InvalidLog, match="byte 9 is not UTF-8 text; save the table as CSV"):
        read("t,Winkel°\n".encode("latin-1"))


def test_a_missing_table_raises_an_error(tmp_path):
    with pytest.raises(InvalidLog, match="there is no such file"):
        read_foreign(tmp_path / "camera.csv", MAP)


@pytest.mark.parametrize(
    ("name", "entry", "sentence"),
    [
        ("x", {"column": "x", "unit": "deg"}, "x is a length in m; 'deg' becomes rad"),
        ("slip.left", {"column": "x", "unit": "m"}, "slip.left is a plain number in 1; 'm' becom"),
        ("x", {"column": "x", "unit": "cms"}, r"x: no unit named 'cms' \(did you mean"),
        ("x", {"column": "x", "unit": 5}, 'x: unit must be a text such as "cm", not 5'),
        ("x", {"column": "x"}, "x: entry must have the key unit, like"),
        ("x", {"unit": "m"}, "x: entry must have the key column, like"),
        ("x", {"column": " ", "unit": "m"}, "x: column must be a heading"),
        ("x", {"column": "x", "unit": "m", "gain": 2}, "x: entry must have only the keys column"),
        ("x", {"column": "x", "unit": "m", "sign": 2}, "x: sign must be 1 or -1, not 2"),
        ("x", {"column": "x", "unit": "m", "offset": math.nan}, "x: offset must be a finite"),
        ("x", {"column": "x", "unit": "m", "offset": "1"}, "x: offset must be a finite number"),
        ("x", "X", "x: entry must look like"),
    ],
)
def test_a_bad_map_is_described(read, name, entry, sentence):
    with pytest.raises(InvalidDescription, match=f"^column map: {sentence}"):
        read(TABLE, {**MAP, name: entry})


def test_all_mistakes_of_a_map_are_listed(read):
    with pytest.raises(InvalidDescription, match="3 mistakes") as caught:
        read(TABLE, {"x": {"column": "x", "unit": "deg"}, "y": {"column": "y", "unit": "?"}})
    assert [mistake[:5] for mistake in caught.value.mistakes] == ["y: no", "x is ", "time:"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[columns", r"this is not TOML"),
        ("x = 1", r"must have one table \[columns\] and nothing else; it has x"),
        ("", "it has nothing"),
        ('[columns]\nx = "X"\ntime = {column = "t", unit = "s"}', "x: entry must look like"),
    ],
)
def test_a_bad_map_file_is_described(tmp_path, content, sentence):
    path = tmp_path / "map.toml"
    path.write_text(content)
    with pytest.raises(InvalidDescription, match=rf"map\.toml: .*{sentence}"):
        read_column_map(path)


def test_a_missing_map_file_raises_an_error(tmp_path):
    with pytest.raises(InvalidDescription, match=r"map\.toml: there is no such file"):
        read_column_map(tmp_path / "map.toml")


def test_ticks_that_are_not_whole_raise_an_error(read):
    with pytest.raises(InvalidLog, match=r"camera\.csv: column 'tick' must hold whole numbers"):
        read(TABLE, {**MAP, "tick": {"column": "X (cm)", "unit": "1"}})


def test_a_column_is_checked_when_it_is_made():
    with pytest.raises(InvalidValue, match="sign must be 1 or -1, not 0"):
        ForeignColumn(column="x", unit="m", sign=0)


@pytest.mark.parametrize(
    ("line", "mistake"),
    [
        ("x = {column = 'X', unit = 'm', sign = true}", "x: sign must be 1 or -1, not True"),
        ("x = {column = 'X', unit = 'm', scale = 0}", "scale must be a finite number of 1e-15 to"),
        ("x = {column = 'X', unit = 'm', offset = 1e300}", "offset must be a finite number of 0"),
        ("x = {column = '  ', unit = 'm'}", "column must be a heading of the table"),
        ("x = {column = 'X', unit = 1979-05-27}", "unit must be a text"),
        ("'a,b' = {column = 'X', unit = 'm'}", "'a,b' must be a name of a column"),
        ("motor_voltage_commanded.left = {column = 'u', unit = 'm'}", "is a voltage in V"),
        ("x = " + "[" * 600, "nested 32 deep"),
    ],
)
def test_a_wrong_entry_of_a_map_raises_an_error(tmp_path, line, mistake):
    text = f"[columns]\ntime = {{column = 't', unit = 's'}}\n{line}\n"
    (tmp_path / "map.toml").write_text(text)
    with pytest.raises(InvalidDescription, match=rf"map\.toml: .*{mistake}"):
        read_column_map(tmp_path / "map.toml")
    (tmp_path / "map.toml").write_text("headings = ['t', 't']\nsteady = true\n[columns]\n")
    with pytest.raises(InvalidDescription, match="headings must differ; 't' is there 2 times"):
        read_column_map(tmp_path / "map.toml")
