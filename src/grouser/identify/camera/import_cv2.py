"""OpenCV, if it is there."""

from typing import Any

from grouser.errors import MissingExtra


def import_cv2() -> Any:
    """Return OpenCV.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import cv2  # here, because it is optional and slow to import
    except ImportError:
        raise MissingExtra("finding markers", "opencv-python-headless", "camera") from None
    return cv2
