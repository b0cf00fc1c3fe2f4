"""Marker patterns of a rig, and the times of a film's pictures.

A video file contains a frame rate, but not when its pictures were taken. These times are a log
beside the film, which also contains the rig.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.description import Rig, parse_rig
from grouser.errors import InvalidLog
from grouser.extras import require_extra
from grouser.log import Column, Log, Provenance, read_log, write_log
from grouser.version import VERSION


def import_cv2() -> Any:
    """Return OpenCV."""
    require_extra("finding markers", "camera", "cv2")
    import cv2  # optional, and slow to import

    return cv2


def marker_patterns(rig: Rig) -> dict[int, NDArray[np.uint8]]:
    """Return the cells of each marker by its id, black border included: 0 black, 255 white."""
    cv2 = import_cv2()
    family = getattr(cv2.aruco, f"DICT_{rig.dictionary.upper()}")
    dictionary = cv2.aruco.getPredefinedDictionary(family)
    cells = dictionary.markerSize + 2
    return {
        marker.id: cv2.aruco.generateImageMarker(dictionary, marker.id, cells)
        for marker in rig.markers
    }


def encode_picture(pixels: NDArray[np.uint8]) -> bytes:
    """Return pixels (height, width, 3) in red, green, blue as the content of a PNG file."""
    cv2 = import_cv2()
    _, content = cv2.imencode(".png", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR))
    return content.tobytes()


def times_file(film: str | Path) -> Path:
    """Return the path of the log with the times of a film or of a folder of pictures."""
    film = Path(film)
    return film / "times.csv" if film.is_dir() else film.with_suffix(".times.csv")


def write_times(film: str | Path, times: NDArray[np.float64], rig: Rig) -> None:
    """Write the times [s] of the pictures of a film, and its rig."""
    notes = {"rig": rig.name, "rig_text": rig.text, "rig_parameters": rig.choices}
    origin = Provenance(grouser_version=VERSION, notes=notes)
    write_log(Log({"time": Column(times, "s")}, origin), times_file(film))


def read_times(film: str | Path) -> tuple[NDArray[np.float64] | None, Rig | None]:
    """Return the times of a film [s] and its rig, each None if unknown."""
    file = times_file(film)
    if not file.is_file():
        return None, None
    log = read_log(file, needs=("time",))
    notes = log.provenance.notes
    text, parameters = notes.get("rig_text", ""), notes.get("rig_parameters", {})
    if not isinstance(text, str) or not isinstance(parameters, dict):
        raise InvalidLog(file, "provenance.notes: rig_text and rig_parameters are damaged")
    rig = parse_rig(text, str(file), **parameters) if text else None
    return log.time, rig
