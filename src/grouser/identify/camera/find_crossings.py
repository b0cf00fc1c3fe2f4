"""Where the lines of a grid cross in a picture."""

import numpy as np
from numpy.typing import NDArray

from grouser.identify.camera.import_cv2 import import_cv2

MOST = 5000
"""Most places that are looked at."""
QUALITY = 0.02
"""Weakest place that counts, as a share of the strongest [1]."""


def find_crossings(picture: NDArray[np.uint8], spacing: float) -> NDArray[np.float64]:
    """Return places (n, 2) that may be crossings, to a fraction of a pixel [pixels].

    Corners of other things are among them: a lattice tells which belong to the grid.

    Args:
        picture: Pixels (height, width) in grey, or (height, width, 3) in blue, green, red.
        spacing: Distance between two lines, about [pixels].
    """
    cv2 = import_cv2()
    grey = picture if picture.ndim == 2 else cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    # Where two lines cross are four corners; a blur as wide as a line makes them one.
    soft = cv2.GaussianBlur(grey, (0, 0), max(0.02 * spacing, 1.0))
    block = 2 * round(0.06 * spacing) + 3
    found = cv2.goodFeaturesToTrack(soft, MOST, QUALITY, 0.35 * spacing, blockSize=block)
    if found is None:
        return np.empty((0, 2))
    window = max(round(0.1 * spacing), 3)
    ending = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 1e-3)
    refined = cv2.cornerSubPix(grey, found, (window, window), (-1, -1), ending)
    return refined.reshape(-1, 2).astype(np.float64)
