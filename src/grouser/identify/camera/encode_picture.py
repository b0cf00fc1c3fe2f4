"""Pixels as a PNG."""

import numpy as np
from numpy.typing import NDArray

from grouser.identify.camera.import_cv2 import import_cv2


def encode_picture(pixels: NDArray[np.uint8]) -> bytes:
    """Return pixels (height, width, 3) in red, green, blue as the content of a PNG file.

    Raises:
        MissingExtra: OpenCV is not installed.
    """
    cv2 = import_cv2()
    _, content = cv2.imencode(".png", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR))
    return content.tobytes()
