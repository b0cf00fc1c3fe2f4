"""Height fields: pictures (PNG), maps (TIFF), tables (npy, CSV, ESRI grid).

Nonsense: no height at all, a height that is infinite or absurd, a spacing that is not positive.
"""

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, TiffImagePlugin

from grouser.description.height_files import HeightMap, read_heights
from tests.fuzz.target import Target, require, write_input

GREY = np.arange(48, dtype=np.uint8).reshape(6, 8)


def _picture(array: Any, **how: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(array).save(file, **how)
    return file.getvalue()


def _map(array: Any, **how: Any) -> bytes:
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[33550] = (0.5, 0.25, 0.0)
    tags.tagtype[33550] = 12
    tags[34735] = (1, 1, 0, 1, 1024, 0, 1, 1)
    tags.tagtype[34735] = 3
    tags[42113] = "-9999"
    return _picture(array, format="TIFF", tiffinfo=tags, **how)


def _array(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def _read(height_range: tuple[float, float] | None, suffix: str) -> Any:
    def read(content: bytes, folder: Path) -> Any:
        return read_heights(write_input(folder, suffix, content), height_range)

    return read


def _check(found: HeightMap) -> None:
    heights, spacings, _ = found
    known = heights[~np.isnan(heights)]
    require(known.size > 0 and min(heights.shape) > 1, "no height")
    require(bool(np.all(np.abs(known) <= 1e6)), f"heights up to {np.abs(known).max()}")
    if spacings is not None:
        require(all(1e-7 < spacing < 1e6 for spacing in spacings), f"spacings {spacings}")


TARGETS = [
    Target(
        name="height field PNG",
        samples=lambda: [
            _picture(GREY, format="PNG"),
            _picture(GREY.astype(np.uint16) * 1000, format="PNG"),
        ],
        attempt=_read((0.0, 1.0), ".png"),
        check=_check,
        is_text=False,
    ),
    Target(
        name="height field TIFF",
        samples=lambda: [
            _map(GREY.astype(np.float32)),
            _map(GREY.astype(np.float32), compression="tiff_lzw"),
            _map(GREY.astype(np.int32)),
            _map(GREY, compression="tiff_deflate"),
        ],
        attempt=_read(None, ".tif"),
        check=_check,
        is_text=False,
    ),
    Target(
        name="height field npy",
        samples=lambda: [_array(GREY), _array(GREY / 9.0), _array(np.asfortranarray(GREY))],
        attempt=_read(None, ".npy"),
        check=_check,
        is_text=False,
    ),
    Target(
        name="height field CSV",
        samples=lambda: [b"0,1,2\n3,4.5,nan\n", b"-1e-3,2\r\n3,4\r\n"],
        attempt=_read(None, ".csv"),
        check=_check,
        words=(",", "nan", "inf", "1e400", "#", '"'),
    ),
    Target(
        name="height field ESRI grid",
        samples=lambda: [b"ncols 3\nnrows 2\ncellsize 0.5\nNODATA_value -9999\n0 1 2\n3 4 -9999\n"],
        attempt=_read(None, ".asc"),
        check=_check,
        words=("ncols", "nrows", "cellsize", "nan", "inf", "1e400"),
    ),
]
