import io
from pathlib import Path

import numpy as np
import pytest

from grouser.description import parse_course
from grouser.description.height_files import read_heights
from grouser.errors import InvalidDescription

HEIGHTS = np.array([[0.0, 0.5, 1.0], [0.25, np.nan, 0.75]])
GRID = "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 0.5\nNODATA_value -9999\n"


def npy(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


FILES = {
    "heights.npy": npy(HEIGHTS),
    "columns.npy": npy(np.asfortranarray(HEIGHTS)),
    "small.npy": npy(HEIGHTS.astype(np.float32)),
    "heights.csv": b"0,0.5,1\n0.25,nan,0.75\n",
    "spaces.CSV": b" 0 , 0.5, 1 \r\n0.25,nan,0.75",
    "heights.asc": (GRID + "0 0.5 1\n0.25 -9999 0.75\n").encode(),
}


@pytest.mark.parametrize("name", FILES)
def test_numbers_are_metres_and_the_first_row_is_on_top(tmp_path: Path, name: str):
    (tmp_path / name).write_bytes(FILES[name])
    heights, spacings, _ = read_heights(tmp_path / name, None)
    assert np.array_equal(heights, HEIGHTS, equal_nan=True)
    assert spacings == ((0.5, 0.5) if name.endswith("asc") else None)


def test_a_course_names_a_file_beside_it(tmp_path: Path):
    (tmp_path / "heights.npy").write_bytes(npy(np.nan_to_num(HEIGHTS)))
    text = 'name = "x"\n[[terrain]]\nkind = "heightfield"\nfile = "heights.npy"\nspacing_m = 0.5\n'
    text += "[datum]\nelevation_m = 0.0\n"
    course = parse_course(text, tmp_path / "x.toml")
    assert course.terrain.height(0.5, 0.25) == 1.0
    before = course.content_hash
    (tmp_path / "heights.npy").write_bytes(npy(np.zeros((2, 2))))
    assert parse_course(text, tmp_path / "x.toml").content_hash != before


REFUSED = {
    "text.npy": (b"no array", "cannot be read as an array of numpy"),
    "words.npy": (npy(np.array([["a", "b"]])), "must be numbers in rows and columns"),
    "row.npy": (npy(np.zeros(3)), "of shape"),
    "short.npy": (FILES["heights.npy"][:-8], "must have 48 bytes of numbers, not 40"),
    "large.npy": (npy(np.zeros((2, 2))).replace(b"(2, 2)", b"(9999999999, 2)"), "at most 16,000"),
    "line.csv": (b"1,2,3\n", "must have 2 x 2 pixels at least"),
    "ragged.csv": (b"1,2\n3\n", "must be rows of numbers, each equally long"),
    "words.csv": (b"a,b\n1,2\n", "must be rows of numbers"),
    "empty.csv": (b"", "must have 2 x 2|must be rows of numbers"),
    "headless.asc": (b"1 2\n3 4\n", "ncols is missing"),
    "wrong.asc": ((GRID + "1 2\n3 4\n").encode(), "must have 2 rows of 3, not 2 rows of 2"),
    "huge.asc": (GRID.replace("3", "9e9").encode(), "ncols times nrows must be at most"),
    "point.asc": (GRID.replace("0.5", "0").encode() + b"1 2 3\n1 2 3", "cellsize must be from"),
    "odd.asc": (GRID.replace("0.5", "wide").encode() + b"1 2 3\n1 2 3", "cellsize must be a numb"),
    "high.csv": (b"1e30,1\n1,1", "heights must be from -100000 to 100000 m"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_tables_that_are_no_heights_are_refused(tmp_path: Path, name: str):
    content, mistake = REFUSED[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidDescription, match=mistake):
        read_heights(tmp_path / name, None)


def test_metres_need_no_range(tmp_path: Path):
    with pytest.raises(InvalidDescription, match="metres already: leave out height_range_m"):
        read_heights(tmp_path / "heights.npy", (0.0, 1.0))
