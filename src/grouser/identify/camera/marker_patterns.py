"""What the markers of a rig look like."""

import numpy as np
from numpy.typing import NDArray

from grouser.description import Rig
from grouser.identify.camera.import_cv2 import import_cv2


def marker_patterns(rig: Rig) -> dict[int, NDArray[np.uint8]]:
    """Return the cells of each marker by its number, black rim included: 0 black, 255 white.

    Raises:
        MissingExtra: OpenCV is not installed.
    """
    cv2 = import_cv2()
    family = getattr(cv2.aruco, f"DICT_{rig.dictionary.upper()}")
    dictionary = cv2.aruco.getPredefinedDictionary(family)
    cells = dictionary.markerSize + 2
    return {
        marker.id: cv2.aruco.generateImageMarker(dictionary, marker.id, cells)
        for marker in rig.markers
    }
