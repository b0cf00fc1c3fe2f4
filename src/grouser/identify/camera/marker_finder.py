"""Finds the markers of a rig in pictures."""

import numpy as np
from numpy.typing import NDArray

from grouser.description import Rig
from grouser.identify.camera.import_cv2 import import_cv2


class MarkerFinder:
    """Looks for the markers that a rig names, and for no others."""

    def __init__(self, rig: Rig) -> None:
        """Prepare the search.

        Raises:
            MissingExtra: OpenCV is not installed.
        """
        self._cv2 = cv2 = import_cv2()
        family = getattr(cv2.aruco, f"DICT_{rig.dictionary.upper()}")
        parameters = cv2.aruco.DetectorParameters()
        parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        self._detector = cv2.aruco.ArucoDetector(
            cv2.aruco.getPredefinedDictionary(family), parameters
        )
        self._ids = {marker.id for marker in rig.markers}

    def find(self, picture: NDArray[np.uint8]) -> dict[int, NDArray[np.float64]]:
        """Return the corners (4, 2) of each marker by its number, clockwise from its upper left.

        A marker that is seen twice is not known, and left out.

        Args:
            picture: Pixels (height, width) in grey, or (height, width, 3) in blue, green, red.
        """
        grey = (
            picture if picture.ndim == 2 else self._cv2.cvtColor(picture, self._cv2.COLOR_BGR2GRAY)
        )
        corners, numbers, _ = self._detector.detectMarkers(grey)
        if numbers is None:
            return {}
        seen = [int(number) for number in np.ravel(numbers)]
        return {
            number: np.asarray(four, dtype=np.float64).reshape(4, 2)
            for number, four in zip(seen, corners, strict=True)
            if number in self._ids and seen.count(number) == 1
        }
