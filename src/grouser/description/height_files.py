"""Heights of a height field from files: pictures, maps, tables of numbers.

| ending | what | heights | spacing |
|---|---|---|---|
| .png | grey picture, 8 or 16 bit | from black to white, as `height_range_m` says | `spacing_m` |
| .tif, .tiff | GeoTIFF | its numbers, in metres | its own, in metres |
| .npy | array of numpy (rows, columns) of numbers | its numbers, in metres | `spacing_m` |
| .csv | rows of numbers with commas, no heading | its numbers, in metres | `spacing_m` |
| .asc | ESRI grid | its numbers, in metres | its `cellsize`, in metres |

The first row is the one on top of a map. NaN, or a map's number for no data, is no height.
"""

import io
import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.errors import GrouserError, InvalidDescription, Unreadable
from grouser.extras import require_extra
from grouser.storage import read_file

if TYPE_CHECKING:
    from PIL.Image import Image

Heights: TypeAlias = NDArray[np.float64]
"""Heights (rows, columns), the first row on top, NaN without data [m]."""
Spacings: TypeAlias = tuple[float, float] | None
"""Distances of columns and of rows [m]; None if a file has none."""
Corner: TypeAlias = tuple[float, float] | None
"""Map coordinates of the first node of the first row: x east, y north [m]; None if not known."""


class HeightMap(NamedTuple):
    """What a file of heights has."""

    heights: Heights
    """Heights [m]."""
    spacings: Spacings = None
    """Distances of columns and of rows [m]."""
    corner: Corner = None
    """Where the upper left node lies on the map [m]."""


KINDS = ("PNG", "TIFF")
"""Kinds of files that are read, by Pillow's names."""
FULL_SCALE = {"L": 255.0, "I;16": 65535.0, "I;16B": 65535.0}
"""Largest number of a grey picture, by Pillow's name of its kind."""

# Tags of a GeoTIFF, and the key and value that mark coordinates in degrees.
_PIXEL_SCALE, _TIE_POINT, _GEO_KEYS, _NO_DATA = 33550, 33922, 34735, 42113
_MODEL_TYPE_KEY, _GEOGRAPHIC = 1024, 2
_RASTER_TYPE_KEY, _PIXEL_IS_POINT = 1025, 2


def read_heights(file: Path, height_range: tuple[float, float] | None) -> HeightMap:
    """Return what a file has: heights, their spacings, where they lie on a map.

    `height_range` are the heights of black and white; None if numbers are metres already [m].

    Raises:
        InvalidDescription: The file is missing, of another kind, or lacks a scale.
        MissingExtra: Pillow is not installed, which reads pictures and maps.
    """
    ending = file.suffix.lower()
    if ending in (".npy", ".csv", ".asc"):
        if height_range is not None:
            mistake = f"numbers of {ending} files are metres already: leave out height_range_m"
            raise InvalidDescription(file, [mistake])
        content = _read(file)
        readers = {".npy": _read_npy, ".csv": _read_csv, ".asc": _read_asc}
        found = readers[ending](file, content)
    else:
        found = _read_picture(file, height_range)
    _check_heights(file, found.heights)
    return found


def write_heights(file: Path, heights: Heights, spacings: Spacings) -> None:
    """Write heights to a new file: .npy, .tif with spacings, or .png, 0 being black and 1 white.

    Raises:
        MissingExtra: Pillow is not installed, which writes pictures and maps.
    """
    with file.open("xb") as stream:
        if file.suffix == ".npy":
            np.save(stream, heights)
            return
        require_extra("writing a height field", "terrain", "PIL")
        from PIL import Image, TiffImagePlugin

        if file.suffix == ".png":
            greys = np.rint(heights * FULL_SCALE["I;16"]).astype(np.uint16)
            Image.fromarray(greys).save(stream, "PNG")
            return
        tags = TiffImagePlugin.ImageFileDirectory_v2()
        tags[_PIXEL_SCALE], tags.tagtype[_PIXEL_SCALE] = (*(spacings or (1.0, 1.0)), 0.0), 12
        Image.fromarray(heights.astype(np.float32)).save(stream, "TIFF", tiffinfo=tags)


def _read(file: Path) -> bytes:
    try:
        return read_file(file, limits.PICTURE_BYTES)
    except Unreadable as error:
        raise InvalidDescription(file, [error.problem]) from None


def _read_npy(file: Path, content: bytes) -> HeightMap:
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        header = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, by_columns, kind = header(stream)
    except Exception as error:  # a damaged header raises any exception
        reason = f"{type(error).__name__}: {error}".replace("\n", " ")[:200]
        mistake = f"cannot be read as an array of numpy, as numpy.save writes it ({reason})"
        raise InvalidDescription(file, [mistake]) from None
    if kind.kind not in "fiu" or len(shape) != 2:
        mistake = f"must be numbers in rows and columns, not {kind} of shape {shape}"
        raise InvalidDescription(file, [mistake])
    rows, columns = shape
    _check_size(file, columns, rows)
    data = content[stream.tell() :]
    if len(data) != rows * columns * kind.itemsize:
        mistake = (
            f"must have {rows * columns * kind.itemsize:,} bytes of numbers, not {len(data):,}"
        )
        raise InvalidDescription(file, [mistake])
    numbers = np.frombuffer(data, kind).reshape(shape, order="F" if by_columns else "C")
    with np.errstate(invalid="ignore"):
        return HeightMap(numbers.astype(np.float64))


def _read_csv(file: Path, content: bytes) -> HeightMap:
    return HeightMap(_table(file, content, ",", 0))


_GRID_KEYS = ("ncols", "nrows", "cellsize")


def _read_asc(file: Path, content: bytes) -> HeightMap:
    head: dict[str, str] = {}
    lines = io.BytesIO(content)
    for line in lines:
        key, *value = line[: limits.NAME_LENGTH].decode("latin-1").lower().split()[:2] or [""]
        if not value or not key[:1].isalpha() or key in ("nan", "inf"):
            break
        head[key] = value[0]
    columns, rows, cell = (_grid_number(file, head, key) for key in _GRID_KEYS)
    if not rows * columns <= limits.HEIGHT_SAMPLES:
        most = f"ncols times nrows must be at most {limits.HEIGHT_SAMPLES:,}"
        raise InvalidDescription(file, [f"{most}, not {columns:g} times {rows:g}"])
    heights = _table(file, content, None, len(head))
    if heights.shape != (rows, columns):
        given = f"{heights.shape[0]:,} rows of {heights.shape[1]:,} numbers"
        raise InvalidDescription(file, [f"must have {rows:g} rows of {columns:g}, not {given}"])
    least, most = limits.RANGES["m"]
    if not least <= cell <= most:
        mistake = f"cellsize must be from {least:g} to {most:g} m, not {cell:g}"
        raise InvalidDescription(file, [mistake])
    if "nodata_value" in head:
        heights[heights == _grid_number(file, head, "nodata_value")] = np.nan
    return HeightMap(heights, (cell, cell), _grid_corner(file, head, cell, int(rows)))


def _grid_corner(file: Path, head: dict[str, str], cell: float, rows: int) -> Corner:
    """Return the place of the upper left node: a grid states the lower left corner or centre."""
    place: list[float] = []
    for axis in "xy":
        for key, inward in ((f"{axis}llcorner", 0.5 * cell), (f"{axis}llcenter", 0.0)):
            if key in head:
                place.append(_grid_number(file, head, key) + inward)
                break
    return _on_map(place[0], place[1] + (rows - 1) * cell) if len(place) == 2 else None


def _on_map(east: float, north: float) -> Corner:
    """Return a place on a map, or nothing if no map has it."""
    is_there = abs(east) <= limits.COORDINATE and abs(north) <= limits.COORDINATE
    return (east, north) if is_there else None


def _grid_number(file: Path, head: dict[str, str], key: str) -> float:
    try:
        return float(head[key])
    except KeyError:
        mistake = f"must begin with lines ncols, nrows and cellsize, and {key} is missing"
    except ValueError:
        mistake = f"{key} must be a number, not {head[key][:40]!r}"
    raise InvalidDescription(file, [mistake])


def _table(file: Path, content: bytes, comma: str | None, skipped: int) -> Heights:
    """Return the numbers of a text, row by row."""
    least = content.count(b",") if comma else 0
    if least > limits.HEIGHT_SAMPLES:
        mistake = f"must have at most {limits.HEIGHT_SAMPLES:,} numbers, not {least:,} and more"
        raise InvalidDescription(file, [mistake])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a text without numbers
            numbers = np.loadtxt(
                io.BytesIO(content),
                delimiter=comma,
                skiprows=skipped,
                comments=None,
                ndmin=2,
                encoding="latin-1",
            )
    except (ValueError, OverflowError) as error:
        reason = str(error).split("; use")[0].replace("\n", " ")[:200]
        mistake = f"must be rows of numbers, each equally long ({reason})"
        raise InvalidDescription(file, [mistake]) from None
    _check_size(file, numbers.shape[1], numbers.shape[0])
    return numbers


def _read_picture(file: Path, height_range: tuple[float, float] | None) -> HeightMap:
    require_extra("reading a height field from a picture or map", "terrain", "PIL")
    from PIL import Image

    content = _read(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is odd about a file that can be read
        try:
            # Only the documented formats: some other decoders run programs.
            with Image.open(io.BytesIO(content), formats=KINDS) as image:
                _check_size(file, *image.size)
                image.load()
            tags = dict(getattr(image, "tag_v2", {}))
        except (GrouserError, MemoryError):
            raise
        except Exception as error:  # decoders raise any exception on damaged bytes
            reason = f"{type(error).__name__}: {error}"
            mistake = (
                f"the picture cannot be read as {' or '.join(KINDS)} ({reason}); "
                f"endings of other files: .npy, .csv, .asc"
            )
            raise InvalidDescription(file, [mistake.replace("\n", " ")]) from None
    if len(image.getbands()) != 1 or image.mode in ("1", "P"):
        raise InvalidDescription(file, [f"must be grey with 8 bits or more, not {image.mode!r}"])
    spacings = _spacings(file, tags)
    corner = None if spacings is None else _corner(tags, spacings)
    return HeightMap(_heights(file, image, height_range, tags), spacings, corner)


def _check_size(file: Path, columns: int, rows: int) -> None:
    if min(columns, rows) < 2:
        raise InvalidDescription(file, [f"must have 2 x 2 pixels at least, not {columns, rows}"])
    if columns * rows > limits.HEIGHT_SAMPLES:
        most = f"must have at most {limits.HEIGHT_SAMPLES:,} pixels"
        raise InvalidDescription(file, [f"{most}, not {columns:,} x {rows:,}"])


def _check_heights(file: Path, heights: NDArray[np.float64]) -> None:
    known = heights[~np.isnan(heights)]
    if not known.size:
        raise InvalidDescription(file, ["has no height: every pixel is without data"])
    low, high = float(known.min()), float(known.max())
    if max(-low, high) > limits.LENGTH:
        allowed = f"from {-limits.LENGTH:g} to {limits.LENGTH:g} m"
        raise InvalidDescription(file, [f"heights must be {allowed}, not from {low:g} to {high:g}"])


def _heights(
    file: Path, image: "Image", height_range: tuple[float, float] | None, tags: dict
) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):  # some kinds of NaN are worth a warning to numpy
        numbers = np.asarray(image).astype(np.float64)
    if _NO_DATA in tags:
        numbers[numbers == _no_data(file, tags[_NO_DATA])] = np.nan
    if height_range is None:
        if image.format != "TIFF":
            mistake = "a picture needs height_range_m, the heights of black and white"
            raise InvalidDescription(file, [mistake])
        return numbers
    if image.mode not in FULL_SCALE:
        mistake = f"numbers of kind {image.mode!r} are metres already: leave out height_range_m"
        raise InvalidDescription(file, [mistake])
    low, high = height_range
    return low + (high - low) * numbers / FULL_SCALE[image.mode]


def _no_data(file: Path, tag: object) -> float:
    word = str(tag).strip("\0 ")
    try:
        return float(word)
    except ValueError:
        mistake = f"the map's number for no data (tag {_NO_DATA}) must be a number"
        raise InvalidDescription(file, [f"{mistake}, not {word[:40]!r}"]) from None


def _has_key(tags: dict, key: int, value: int) -> bool:
    # The directory of keys is a row of fours: key, where its value is, how many, the value.
    given = tags.get(_GEO_KEYS)
    numbers: tuple[object, ...] = given if isinstance(given, tuple) else ()
    return (key, value) in zip(numbers[0::4], numbers[3::4], strict=False)


def _corner(tags: dict, spacings: tuple[float, float]) -> Corner:
    """Return where the upper left pixel's middle is, by a tie point; None without a valid one."""
    try:
        column, row, _, east, north = (float(number) for number in tags[_TIE_POINT][:5])
    except (KeyError, TypeError, ValueError, ArithmeticError):
        return None
    inward = 0.0 if _has_key(tags, _RASTER_TYPE_KEY, _PIXEL_IS_POINT) else 0.5
    along, across = spacings
    return _on_map(east + (inward - column) * along, north - (inward - row) * across)


def _spacings(file: Path, tags: dict) -> tuple[float, float] | None:
    if _PIXEL_SCALE not in tags:
        return None
    if _has_key(tags, _MODEL_TYPE_KEY, _GEOGRAPHIC):
        mistake = "the map is measured in degrees; project it to metres first"
        raise InvalidDescription(file, [mistake])
    scale = tags[_PIXEL_SCALE]
    try:
        along, across = (float(number) for number in scale[:2])
    except (TypeError, ValueError, ArithmeticError):
        along = across = math.nan
    least, most = limits.RANGES["m"]
    if not (least <= along <= most and least <= across <= most):
        mistake = f"the scale of the map (tag {_PIXEL_SCALE}) must be two numbers"
        allowed = f"from {least:g} to {most:g} m"
        raise InvalidDescription(file, [f"{mistake} {allowed}, not {str(scale)[:60]}"])
    return along, across
