"""Pictures of a robot's cameras for pages that show them: newest only, a few per second."""

import base64
from collections.abc import Collection
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.drawing.picture import encode_jpeg
from grouser.simulation.sensors import Reading, Sample

PERIOD = 0.2
"""Least wall time between two pictures of a camera [s]."""
LARGEST = 480
"""Longest side of a picture that is sent; larger ones are made smaller [pixels]."""
QUALITY = 75
"""Quality of JPEG pictures [1]."""
STOPS = np.array(
    [(253, 231, 37), (122, 209, 81), (34, 168, 132), (42, 120, 142), (65, 68, 135), (68, 1, 84)],
    dtype=np.float64,
)
"""Colours of depth from near to far, with even steps between them."""
UNKNOWN = (30, 30, 30)
"""Colour where there is no depth."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture as a page is sent it."""

    time: float
    """Simulated time at which it was taken [s]."""
    message: dict[str, Any]
    """Name, time, picture, and the range of its colours."""


def camera_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the cameras of a robot."""
    return tuple(table.name for table in robot.sensors.tables if _is_camera(table))


def _is_camera(table: Any) -> bool:
    return getattr(table, "kind", None) in ("colour", "depth")


class Pictures:
    """Encodes the pictures that at least one page shows; one thread adds, another reads."""

    def __init__(self) -> None:
        self.wanted: Collection[str] = frozenset()
        """Names of the cameras that pages show."""
        self._found: dict[str, Picture] = {}
        self._due: dict[str, float] = {}

    def add(self, reading: Reading | None, robot: Robot) -> None:
        """Encode the newest samples of the cameras that are wanted, if they are due."""
        wanted = self.wanted
        if not wanted or reading is None:
            return
        now = monotonic()
        for table in robot.sensors.tables:
            if table.name not in wanted or not _is_camera(table):
                continue
            sample, known = reading.latest(table.name), self._found.get(table.name)
            if sample is None or sample.array is None or now < self._due.get(table.name, 0.0):
                continue
            if known is None or known.time != sample.time:
                self._due[table.name] = now + PERIOD
                self._found[table.name] = encode(sample, table)

    def newest(self, names: Collection[str]) -> dict[str, Picture]:
        """Return the newest picture of each of these cameras that has one."""
        return {name: self._found[name] for name in names if name in self._found}

    def clear(self) -> None:
        """Forget all pictures, as when the scene changes."""
        self._found = {}


def encode(sample: Sample, table: Any) -> Picture:
    """Return a sample of a camera as a page shows it."""
    message: dict[str, Any] = {"name": sample.sensor, "time": sample.time}
    array = np.asarray(sample.array)
    step = -(-max(array.shape[:2]) // LARGEST)
    array = array[::step, ::step]
    if table.kind == "depth":
        near, far = table.range
        message |= {"near": near, "far": far}
        array = depth_colours(array, near, far)
    message["data"] = (
        "data:image/jpeg;base64," + base64.b64encode(encode_jpeg(array, QUALITY)).decode()
    )
    return Picture(sample.time, message)


def depth_colours(depth: NDArray[Any], near: float, far: float) -> NDArray[np.uint8]:
    """Return a picture of depths (height, width) [m]: bright is near, dark is far."""
    share = np.clip((np.nan_to_num(depth, nan=far) - near) / (far - near), 0.0, 1.0)
    place = share * (len(STOPS) - 1)
    channels = [np.interp(place, np.arange(len(STOPS)), STOPS[:, n]) for n in range(3)]
    colours = np.stack(channels, axis=-1)
    colours[~np.isfinite(depth)] = UNKNOWN
    return colours.astype(np.uint8)
