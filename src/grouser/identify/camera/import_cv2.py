"""OpenCV, if it is there."""

from typing import Any

from grouser.extras import require_extra


def import_cv2() -> Any:
    """Return OpenCV.

    Raises:
        MissingExtra: It is not installed.
    """
    require_extra("finding markers", "camera", "cv2")
    import cv2  # here, because it is optional and slow to import

    return cv2
