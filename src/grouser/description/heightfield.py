"""Height fields, and their reading from PNG and GeoTIFF."""

import math
import warnings
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from grouser import limits
from grouser.description.surface import EDGE_TOLERANCE, Rectangle
from grouser.errors import GrouserError, InvalidDescription, Unreadable
from grouser.extras import require_extra
from grouser.geometry import Scalar, rotate
from grouser.storage import read_file

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeightField:
    """Heights at the nodes of a grid, bilinear between them, nothing outside.

    `heights[j, i]` stands at the field's own coordinates u = i `spacing_along`,
    v = j `spacing_across`, both from its first node; u points along `yaw`, v to the left of it.
    A NaN node makes a hole of the cells around it.
    """

    name: str = "heightfield"
    """Name in drawings."""
    x: float = 0.0
    """Centre along world x [m]."""
    y: float = 0.0
    """Centre along world y [m]."""
    yaw: float = 0.0
    """Direction of its rows, counter-clockwise from world x [rad]."""
    spacing_along: float
    """Distance between nodes of a row [m]."""
    spacing_across: float
    """Distance between rows [m]."""
    heights: NDArray[np.float64]
    """Height of each node (rows, columns) [m]."""
    surface: str = "ground"
    """Name of its surface."""

    @property
    def footprint(self) -> Rectangle:
        """Footprint seen from above."""
        rows, columns = self.heights.shape
        return Rectangle(
            x=self.x,
            y=self.y,
            yaw=self.yaw,
            length=(columns - 1) * self.spacing_along,
            width=(rows - 1) * self.spacing_across,
        )

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the height at world points; NaN outside [m]."""
        (h00, h10, h01, h11), u, v = self._cell(x, y)
        return (h00 * (1.0 - u) + h10 * u) * (1.0 - v) + (h01 * (1.0 - u) + h11 * u) * v

    def gradient(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return how the height rises along world x and y; NaN outside [1]."""
        (h00, h10, h01, h11), u, v = self._cell(x, y)
        along = ((h10 - h00) * (1.0 - v) + (h11 - h01) * v) / self.spacing_along
        across = ((h01 - h00) * (1.0 - u) + (h11 - h10) * u) / self.spacing_across
        return rotate(along, across, self.yaw)

    def _cell(self, x: Scalar, y: Scalar) -> tuple[tuple[Scalar, ...], Scalar, Scalar]:
        """Return the four nodes around each point, and where it is between them (0 to 1)."""
        rows, columns = self.heights.shape
        u, v = rotate(np.subtract(x, self.x), np.subtract(y, self.y), -self.yaw)
        u = u / self.spacing_along + 0.5 * (columns - 1)
        v = v / self.spacing_across + 0.5 * (rows - 1)
        slack_u = EDGE_TOLERANCE / self.spacing_along
        slack_v = EDGE_TOLERANCE / self.spacing_across
        inside = (
            (u >= -slack_u) & (u <= columns - 1 + slack_u)
            & (v >= -slack_v) & (v <= rows - 1 + slack_v)
        )  # fmt: skip
        # Points outside must not be turned into an index; they read node 0 and become NaN.
        i = np.clip(np.floor(np.where(inside, u, 0.0)).astype(np.intp), 0, columns - 2)
        j = np.clip(np.floor(np.where(inside, v, 0.0)).astype(np.intp), 0, rows - 2)
        nodes = (
            self.heights[j, i],
            self.heights[j, i + 1],
            self.heights[j + 1, i],
            self.heights[j + 1, i + 1],
        )
        return nodes, np.where(inside, u - i, np.nan), v - j


KINDS = ("PNG", "TIFF")
"""Kinds of files that are read, by Pillow's names."""
FULL_SCALE = {"L": 255.0, "I;16": 65535.0, "I;16B": 65535.0}
"""Largest number of a grey picture, by Pillow's name of its kind."""

# Tags of a GeoTIFF, and the key and value that mark coordinates in degrees.
_PIXEL_SCALE, _GEO_KEYS, _NO_DATA = 33550, 34735, 42113
_MODEL_TYPE_KEY, _GEOGRAPHIC = 1024, 2


def read_heights(
    file: Path, height_range: tuple[float, float] | None
) -> tuple[NDArray[np.float64], tuple[float, float] | None]:
    """Return heights (rows, columns), the first row on top, NaN without data [m], and the spacings.

    Spacings are those of columns and of rows [m], None if the file has none. `height_range` are the
    heights of black and white; None if numbers are metres already [m].

    Raises:
        InvalidDescription: The file is missing, of another kind, or lacks a scale.
        MissingExtra: Pillow is not installed.
    """
    require_extra("reading a height field from a picture or map", "terrain", "PIL")
    from PIL import Image

    content = _read(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is odd about a file that can be read
        try:
            # Only the documented formats: some other decoders run programs.
            with Image.open(BytesIO(content), formats=KINDS) as image:
                _check_size(file, *image.size)
                image.load()
            tags = dict(getattr(image, "tag_v2", {}))
        except (GrouserError, MemoryError):
            raise
        except Exception as error:  # decoders raise any exception on damaged bytes
            reason = f"{type(error).__name__}: {error}"
            mistake = f"the picture cannot be read as {' or '.join(KINDS)} ({reason})"
            raise InvalidDescription(file, [mistake.replace("\n", " ")]) from None
    if len(image.getbands()) != 1 or image.mode in ("1", "P"):
        raise InvalidDescription(file, [f"must be grey with 8 bits or more, not {image.mode!r}"])
    heights = _heights(file, image, height_range, tags)
    _check_heights(file, heights)
    return heights, _spacings(file, tags)


def _read(file: Path) -> bytes:
    try:
        return read_file(file, limits.PICTURE_BYTES)
    except Unreadable as error:
        raise InvalidDescription(file, [error.problem]) from None


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


def _spacings(file: Path, tags: dict) -> tuple[float, float] | None:
    if _PIXEL_SCALE not in tags:
        return None
    # The directory of keys is a row of fours: key, where its value is, how many, the value.
    given = tags.get(_GEO_KEYS)
    numbers: tuple[object, ...] = given if isinstance(given, tuple) else ()
    if (_MODEL_TYPE_KEY, _GEOGRAPHIC) in zip(numbers[0::4], numbers[3::4], strict=False):
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
