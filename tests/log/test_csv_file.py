"""Round trips through CSV are bit-exact, and damaged files raise errors."""

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grouser.errors import InvalidLog
from grouser.log import Column, Log, Provenance, csv_rows
from grouser.log.csv_file import format_csv
from grouser.log.csv_file import parse_csv as parse_file


def parse_csv(content: bytes, origin: str) -> Log:
    return parse_file(io.BytesIO(content), origin)


@pytest.fixture(params=["python", "pyarrow"], autouse=True, scope="module")
def _way(request):
    """Read each file in both ways; large ones are read by pyarrow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_rows, "QUICK_BYTES", 1 << 60 if request.param == "python" else 0)
        yield


GOOD = """\
# grouser log 1
# rows = 2
# provenance = {"robot": "tp100"}
tick [1],time [s],x [m]
0,0.0,1.5
1,0.1,-0.0
"""


@st.composite
def logs(draw: st.DrawFn) -> Log:
    rows = draw(st.integers(0, 5))
    floats = hnp.arrays(np.float64, rows, elements=st.floats())
    whole = hnp.arrays(np.int64, rows, elements=st.integers(-(2**63), 2**63 - 1))
    columns = {"tick": Column(draw(whole), "1"), "x": Column(draw(floats), "m")}
    return Log(columns, Provenance(robot_text=draw(st.text())))


@given(logs())
@settings(deadline=None)
def test_round_trip_bit_for_bit(log):
    assert parse_csv(format_csv(log), "a.csv") == log


def test_round_trip_of_awkward_numbers(log):
    again = parse_csv(format_csv(log), "a.csv")
    assert again == log
    assert again.names == log.names
    assert np.signbit(again["x"][0])
    assert again["tick"][2] == 2**60 + 1


def test_the_file_looks_as_documented(log):
    lines = format_csv(log).decode().split("\n")
    assert lines[0] == "# grouser log 1"
    assert lines[1] == "# rows = 3"
    assert lines[2].startswith('# provenance = {"grouser_version": ')
    assert lines[3].startswith("tick [1],time [s],x [m],belt_speed.left [m/s],")
    assert lines[4] == "0,0.0,-0.0,0.1,0.0,0.0"
    assert lines[7:] == [""]


def test_good_text_is_read():
    log = parse_csv(GOOD.encode(), "a.csv")
    assert log["x"].tolist() == [1.5, -0.0]
    assert log.provenance.robot == "tp100"


UNFINISHED = GOOD.replace("rows = 2", "rows = unknown")


@pytest.mark.parametrize("tail", ["", "2", "2,0.2", "2,0.2,4", "\0\0\0"])
def test_an_unfinished_file_is_read_up_to_its_last_whole_line(tail):
    log = parse_csv((UNFINISHED + tail).encode(), "a.csv")
    assert log["x"].tolist() == [1.5, -0.0]
    assert log.provenance.status == "unfinished"


def test_an_unfinished_file_may_be_cut_anywhere_below_its_headings(log):
    content = format_csv(log).replace(b"rows = 3", b"rows = unknown")
    rows = content.split(b"\n", 4)[4]
    head = len(content) - len(rows)
    for length in range(len(content)):
        if length < head:
            with pytest.raises(InvalidLog, match=r"^a\.csv: "):
                parse_csv(content[:length], "a.csv")
        else:
            read = parse_csv(content[:length], "a.csv")
            assert len(read) == content[head:length].count(b"\n")


def test_final_words_may_be_written_over_the_first_ones():
    padded = GOOD.replace("rows = 2", "rows = 2      ").replace('"tp100"}', '"tp100"}    ')
    assert parse_csv(padded.encode(), "a.csv") == parse_csv(GOOD.encode(), "a.csv")


def test_windows_line_ends_and_byte_order_mark_are_read():
    content = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    assert parse_csv(content, "a.csv") == parse_csv(GOOD.encode(), "a.csv")


def test_a_file_cut_off_anywhere_raises_an_error(log):
    content = format_csv(log)
    for length in range(len(content)):
        with pytest.raises(InvalidLog, match=r"^a\.csv: "):
            parse_csv(content[:length], "a.csv")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("1,0.1,-0.0\n", "", "line 2 says 2 rows, but 1 are there; copy the file again"),
        ("1,0.1,-0.0\n", "1,0.1,-0.0\n2,0.2,3.0\n", "line 2 says 2 rows, but 3 are there"),
        ("1,0.1,-0.0\n", "1,0.1,-0", "cut off in line 6, which has no end; copy the file"),
        ("1,0.1,-0.0", "1,0.1", r"row 2 \(line 6\) has 2 of 3 cells; copy the file again"),
        ("0,0.0,1.5", "0,0.0,1.5.2", r"row 1 \(line 5\), column 'x': '1.5.2' is not a number; co"),
        ("0,0.0,1.5", "0,0.0,", r"row 1 \(line 5\), column 'x': '' is not a number"),
        ("1,0.1", "1.5,0.1", r"row 2 \(line 6\), column 'tick': '1.5' is not a whole number"),
        ("x [m]", "x [cm]", "column 'x': unit of a column must be one of .*, not 'cm'"),
        ("x [m]", "x [rad]", "unit of column 'x' must be 'm', not 'rad'"),
        ("x [m]", "x", "line 4: 'x' must be a name and a unit like 'x \\[m\\]'"),
        ("x [m]", "time [s]", "column 'time' appears more than once"),
        ("1,0.1", "1,0.0", r"row 2 \(line 6\): time must increase, but 0 s follows 0 s; sort the"),
        ("1,0.1", "1,-0.1", r"row 2 \(line 6\): time must increase, but -0.1 s follows 0 s"),
        ("1,0.1", "1,nan", r"row 2 \(line 6\): the time is nan s, not a number within"),
        ("0,0.0", "0,-inf", r"row 1 \(line 5\): the time is -inf s"),
        ("1,0.1", "1,1e8", r"row 2 \(line 6\): 100000000 s is .* after the first row; logs of at"),
        ("1.5", "1_5", r"row 1 \(line 5\), column 'x': '1_5' is not a number"),
        ("1.5", "0x1p3", r"row 1 \(line 5\), column 'x': '0x1p3' is not a number"),
        ("1.5", "٣", r"row 1 \(line 5\), column 'x': '٣' is not a number"),
        ("1.5", "1e999", r"row 1 \(line 5\), column 'x': '1e999' is not a number"),
        ("1.5", "1\0", r"row 1 \(line 5\), column 'x': '1.*' is not a number"),
        ("\n1,0.1", f"\n{'9' * 5000},0.1", r"row 2 .*, column 'tick': '9+\.\.\.' is not a whole"),
        (
            "\n1,0.1",
            f"\n{2**63},0.1",
            r"row 2 .*, column 'tick': '9\d+' is not a whole number below",
        ),
        ("1.5", "1" * 4_000_000, "line 5 has more than 1,048,576 bytes"),
        ("x [m]", ",".join(f"x{i} [m]" for i in range(10_001)), "has 10,0.. columns; at most 10,0"),
        ("x [m]", "x" * 101 + " [m]", "the name of column 'x.*' has 101 characters; at most 100"),
        ("tp100", "x" * 9_000_000, "line 3 has more than 8,388,608 bytes"),
        (
            '"tp100"',
            "[" * 100_000,
            "line 3: provenance must be written as JSON, not 'values may be n",
        ),
        ('{"robot"', '{"dt": NaN, "robot"', "line 3: provenance.dt must be greater than 0"),
        ('{"robot"', f'{{"dt": {"9" * 400}, "robot"', "line 3: provenance.dt must be greater th"),
        (
            '{"robot"',
            '{"seed": -1, "robot"',
            "line 3: provenance.seed must be a whole number from 0",
        ),
        ("rows = 2", f"rows = {'2' * 5000}", "line 2 must count the rows, not '222"),
        ("rows = 2", "rows = two", "line 2 must count the rows, not 'two'"),
        ("# rows", "# lines", "line 2 must begin with '# rows = ', not '# lines = 2'"),
        ('{"robot"', '{"robot', "line 3: provenance must be written as JSON"),
        ('"tp100"', "7", "line 3: provenance.robot must be a text, not 7"),
        ("log 1", "log 2", "written in format '2', but this version of grouser reads 1; install"),
    ],
)
def test_damage_is_described(old, new, sentence):
    assert old in GOOD
    with pytest.raises(InvalidLog, match=rf"^a\.csv: {sentence}"):
        parse_csv(GOOD.replace(old, new).encode(), "a.csv")


def test_a_foreign_table_is_pointed_to_a_column_map():
    with pytest.raises(InvalidLog, match=r"not a log written by grouser \(it begins with 't,x'\).*"
                       "column map"):  # fmt: skip
        parse_csv(b"t,x\n1,2\n", "a.csv")


def test_what_is_not_text_raises_an_error():
    with pytest.raises(InvalidLog, match=r"byte 1 \(line 1\) is not text"):
        parse_csv(b"\xff\xfe\x00", "a.csv")
