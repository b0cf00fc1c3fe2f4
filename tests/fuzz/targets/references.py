"""References such as `step:height_m=0.2,depth_m=1`.

Nonsense: a number that is not finite, a key that is empty or comes twice.
"""

import math
from pathlib import Path
from typing import Any

from grouser.description import load_course
from grouser.description.reference import parse_reference
from tests.fuzz.target import Target, require

SAMPLES = (
    "step:height_m=0.2",
    "treadmill:slope_deg=5,roll_deg=2",
    "slope:angle_deg=12.5",
    "flat",
    "staircase",
)


def _read(content: bytes, folder: Path) -> tuple[str, dict[str, Any]]:
    text = content.decode(errors="surrogateescape")
    found = parse_reference(text)
    load_course(text)
    return found


def _check(found: tuple[str, dict[str, Any]]) -> None:
    name, given = found
    require(bool(name), "no name")
    for key, value in given.items():
        require(bool(key.strip()), "an empty key")
        require(isinstance(value, str) or math.isfinite(value), f"{key}={value}")


TARGETS = [
    Target(
        name="reference",
        samples=lambda: [sample.encode() for sample in SAMPLES],
        attempt=_read,
        check=_check,
        names_file=False,
        words=("changes=1", "text=2", "origin=3", "reference=1", "=", "height_m=0.1", ":", ","),
    )
]
