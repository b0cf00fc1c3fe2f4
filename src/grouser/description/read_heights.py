"""Heights from pictures and maps."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidDescription
from grouser.extras import require_extra

if TYPE_CHECKING:
    from PIL.Image import Image

FULL_SCALE = {"L": 255.0, "I;16": 65535.0, "I;16B": 65535.0}
"""Largest number of a grey picture, by Pillow's name of its kind."""

# Tags of a GeoTIFF, and the key and value by which it says that it is measured in degrees.
_PIXEL_SCALE, _GEO_KEYS, _NO_DATA = 33550, 34735, 42113
_MODEL_TYPE_KEY, _GEOGRAPHIC = 1024, 2


def read_heights(
    file: Path, height_range: tuple[float, float] | None
) -> tuple[NDArray[np.float64], tuple[float, float] | None]:
    """Return the heights of a picture or map, first row on top, and its spacings.

    Args:
        file: A grey PNG, or a TIFF of grey or of heights in metres.
        height_range: Heights of black and white; None if numbers are metres already [m].

    Returns:
        Heights (rows, columns), NaN where a map has no data [m], and the distances between
        columns and between rows [m], or None if the file does not say.

    Raises:
        InvalidDescription: The file is missing, of another kind, or lacks a scale.
        MissingExtra: Pillow is not installed.
    """
    require_extra("reading a height field from a picture or map", "terrain", "PIL")
    from PIL import Image

    try:
        with Image.open(file) as image:
            image.load()
    except OSError as error:
        raise InvalidDescription(file, [f"the picture cannot be read: {error}"]) from None
    if len(image.getbands()) != 1 or image.mode in ("1", "P"):
        raise InvalidDescription(file, [f"must be grey with 8 bits or more, not {image.mode!r}"])
    if min(image.size) < 2:
        raise InvalidDescription(file, [f"must have 2 x 2 pixels at least, not {image.size}"])
    tags = dict(getattr(image, "tag_v2", {}))
    return _heights(file, image, height_range, tags), _spacings(file, tags)


def _heights(
    file: Path, image: "Image", height_range: tuple[float, float] | None, tags: dict
) -> NDArray[np.float64]:
    numbers = np.asarray(image).astype(np.float64)
    if _NO_DATA in tags:
        numbers[numbers == float(str(tags[_NO_DATA]).strip("\0 "))] = np.nan
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


def _spacings(file: Path, tags: dict) -> tuple[float, float] | None:
    if _PIXEL_SCALE not in tags:
        return None
    # The directory of keys is a row of fours: key, where its value is, how many, the value.
    numbers = tags.get(_GEO_KEYS, ())
    if (_MODEL_TYPE_KEY, _GEOGRAPHIC) in zip(numbers[0::4], numbers[3::4], strict=False):
        mistake = "the map is measured in degrees; project it to metres first"
        raise InvalidDescription(file, [mistake])
    along, across = (float(scale) for scale in tags[_PIXEL_SCALE][:2])
    if not (along > 0.0 and across > 0.0):
        raise InvalidDescription(file, [f"the scale of the map must be positive, not {along}"])
    return along, across
