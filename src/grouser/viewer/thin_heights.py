"""Height maps that are dropped on a page: checked, thinned to what a page can show, kept anew."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from grouser import limits
from grouser.description.height_files import Heights, Spacings, read_heights, write_heights
from grouser.errors import InvalidDescription


def keep_heights(file: Path, kept: str, is_picture: bool) -> dict[str, Any]:
    """Read a height map and write it anew, the path being `kept` and an ending.

    A picture stays one; all others become numbers in metres.

    Returns:
        `kept`, the path that was written; `shape`, rows and columns of the file; `kept_shape`,
        those that were kept; `spacings`, their distances along rows and columns, if the file has
        them [m]; `corner`, where the upper left node lies on a map, if it is known [m]; `lowest`
        and `border`, the least height and the greatest of the border, from 0 for black to 1 for
        white in a picture [m].
    """
    heights, spacings, corner = read_heights(file, (0.0, 1.0) if is_picture else None)
    thinned, spacings = thin(file, heights, spacings)
    is_square = spacings is None or math.isclose(*spacings)
    written = Path(kept + (".png" if is_picture else ".npy" if is_square else ".tif"))
    write_heights(written, thinned, spacings)
    border = np.concatenate((thinned[0], thinned[-1], thinned[:, 0], thinned[:, -1]))
    return {
        "kept": str(written),
        "shape": heights.shape,
        "kept_shape": thinned.shape,
        "spacings": spacings,
        "corner": corner,
        "lowest": float(np.nanmin(thinned)),
        "border": max((h for h in border.tolist() if not math.isnan(h)), default=0.0),
    }


def thin(file: Path, heights: Heights, spacings: Spacings) -> tuple[Heights, Spacings]:
    """Return every so many rows and columns, so that there are `PAGE_SAMPLES` at most."""
    rows, columns = heights.shape
    step = math.isqrt(max(rows * columns // limits.PAGE_SAMPLES, 1))
    while -(-rows // step) * -(-columns // step) > limits.PAGE_SAMPLES:
        step += 1
    thinned = heights[::step, ::step]
    if min(thinned.shape) < 2 or np.isnan(thinned).all():
        most = f"a page shows {limits.PAGE_SAMPLES:,} pixels"
        mistake = f"has too little left when it is thinned: {most}, not {columns:,} x {rows:,}"
        raise InvalidDescription(file, [mistake])
    return thinned, None if spacings is None else (step * spacings[0], step * spacings[1])
