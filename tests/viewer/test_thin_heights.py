"""Height maps that are dropped on a page."""

import numpy as np
import pytest
from PIL import Image

from grouser import limits
from grouser.description.height_files import read_heights, write_heights
from grouser.errors import InvalidDescription
from grouser.viewer.thin_heights import keep_heights, thin

HEIGHTS = np.arange(12.0).reshape(3, 4) / 8.0


def test_a_picture_is_written_anew_with_the_same_greys(tmp_path):
    greys = np.arange(0, 240, 20, dtype=np.uint8).reshape(3, 4)
    Image.fromarray(greys).save(tmp_path / "a.png")
    found = keep_heights(tmp_path / "a.png", str(tmp_path / "kept"), is_picture=True)
    assert found["kept"] == str(tmp_path / "kept.png")
    assert found["shape"] == found["kept_shape"] == (3, 4)
    before, after = (read_heights(tmp_path / name, (0.0, 2.0))[0] for name in ("a.png", "kept.png"))
    assert np.array_equal(before, after)


def test_a_table_becomes_an_array_in_metres(tmp_path):
    np.savetxt(tmp_path / "a.csv", HEIGHTS, delimiter=",")
    found = keep_heights(tmp_path / "a.csv", str(tmp_path / "kept"), is_picture=False)
    assert found["kept"] == str(tmp_path / "kept.npy")
    assert np.array_equal(read_heights(tmp_path / "kept.npy", None)[0], HEIGHTS)
    assert (found["lowest"], found["border"], found["corner"]) == (0.0, 11.0 / 8.0, None)


def test_a_map_keeps_spacings_that_differ(tmp_path):
    write_heights(tmp_path / "a.tif", HEIGHTS, (0.5, 0.25))
    found = keep_heights(tmp_path / "a.tif", str(tmp_path / "kept"), is_picture=False)
    heights, spacings, _ = read_heights(tmp_path / "kept.tif", None)
    assert spacings == found["spacings"] == (0.5, 0.25)
    assert np.array_equal(heights, HEIGHTS)


def test_of_a_large_map_every_so_many_rows_and_columns_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "PAGE_SAMPLES", 100)
    heights = np.add.outer(np.arange(50.0), np.arange(30.0))
    thinned, spacings = thin(tmp_path / "a.npy", heights, (0.1, 0.2))
    assert thinned.size <= 100
    assert np.array_equal(thinned, heights[::5, ::5])
    assert spacings == pytest.approx((0.5, 1.0))


def test_a_map_of_which_nothing_would_be_left_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "PAGE_SAMPLES", 100)
    with pytest.raises(InvalidDescription, match="has too little left when it is thinned"):
        thin(tmp_path / "a.npy", np.zeros((2, 5000)), None)
