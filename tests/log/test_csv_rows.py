"""Rows are the same, and so are messages, whether Python or pyarrow parses them."""

import io
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from grouser.errors import InvalidLog
from grouser.log import csv_rows
from grouser.log.csv_rows import read_rows

NAMES = ("tick", "time", "x")
CELLS = st.one_of(
    st.floats().map(repr),
    st.integers(-(2**64), 2**64).map(str),
    st.text("0123456789+-.eEnaifxX(_) \t\r\"'\0٣", max_size=6),
    st.sampled_from(
        [
            "nan", "NaN", "-nan", "+nan", "nan(1)", "inf", "-inf", "+Inf", "infinity", "1e999",
            "-1e999", "1e-999", "0x10", "0x1p3", "007", "+1", "-0", "1.", ".5", ".", "1e", "1e+",
            "+-1", "1d5", "1_0", "NULL", "N/A", "#", "2.4703282292062327e-324",
            "2.2250738585072011e-308", "9007199254740993",
            "0.1000000000000000055511151231257827021181583404541015625",
        ]
    ),
)  # fmt: skip
LINES = st.one_of(
    st.tuples(st.integers(0, 9).map(str), CELLS, CELLS).map(",".join),
    st.tuples(CELLS, CELLS, CELLS).map(",".join),
    st.lists(CELLS, max_size=4).map(",".join),
)


def read(content: bytes, *, quick: bool, rows: int | None = None) -> list[bytes] | str:
    """Return the bits of the columns, NaN without its sign, or the message."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_rows, "QUICK_BYTES", 0 if quick else 1 << 60)
        try:
            columns = read_rows(io.BytesIO(content), NAMES, rows, "a.csv")
        except InvalidLog as error:
            return str(error)
    for column in columns:
        column[np.isnan(column)] = np.nan if column.dtype == np.float64 else 0
    return [column.tobytes() for column in columns]


@given(st.lists(LINES, max_size=4), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
@example(["0,1,nan(1)"], "\n", False)
@example(["0x10,1,2"], "\n", False)
@example(["", "0,1,2"], "\n", False)
@settings(deadline=None, max_examples=400)
def test_python_and_pyarrow_agree(lines, end, is_cut):
    content = "".join(f"{line}{end}" for line in lines).encode()[: -1 if is_cut else None]
    assert read(content, quick=True) == read(content, quick=False)


@pytest.fixture
def _small_blocks(monkeypatch):
    monkeypatch.setattr(csv_rows, "_BLOCK", 64)
    monkeypatch.setattr(csv_rows, "_GROUP", 3)


GOOD = [f"{i},{0.1 * i!r},{i / 7.0!r}\n" for i in range(100)]


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("rows", [None, 100])
def test_blocks_are_joined(quick, rows):
    times = np.array([0.1 * i for i in range(100)])
    found = read("".join(GOOD).encode(), quick=quick, rows=rows)
    assert found == [np.arange(100).tobytes(), times.tobytes(), (np.arange(100) / 7.0).tobytes()]


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize(
    ("row", "cells", "sentence"),
    [
        (97, "1,2\n", "row 98 (line 102) has 2 of 3 cells"),
        (50, "1,2,3,4\n", "row 51 (line 55) has 4 of 3 cells"),
        (50, "50,5.0,1e999\n", "row 51 (line 55), column 'x': '1e999' is not a number"),
        (50, "1e2,5.0,1.0\n", "row 51 (line 55), column 'tick': '1e2' is not a whole number"),
        (50, "0x10,5.0,1.0\n", "row 51 (line 55), column 'tick': '0x10' is not a whole number"),
        (50, "50,5.0,inf\n", ""),
    ],
)
def test_the_line_is_named_across_blocks_and_the_first_error_comes_first(
    quick, row, cells, sentence
):
    """The last line is cut off, which is found only after the wrong row."""
    lines = [*GOOD[:row], cells, *GOOD[row + 1 :]]
    cut = "".join(lines).encode()[:-1]
    found = read(cut, quick=quick, rows=100)
    assert isinstance(found, str)
    assert found.startswith(f"a.csv: {sentence or 'cut off in line 104, which has no end'}")


@pytest.mark.parametrize("rows", [10**14, 2**62])
def test_a_wrong_number_of_rows_does_not_fill_the_memory(rows):
    assert "rows, but 2 are there" in read(b"0,1,2\n1,2,3\n", quick=True, rows=rows)


def test_large_files_are_read_without_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert read("".join(GOOD).encode(), quick=True) == read("".join(GOOD).encode(), quick=False)
