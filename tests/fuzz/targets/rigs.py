"""Camera rigs.

Nonsense: a number that is not finite or absurd, a grid of more lines than a floor has room for, a
camera that does not look down, a name that leads elsewhere.
"""

import math
from pathlib import Path

import numpy as np

from grouser.description import Rig, load_rig, rig_names
from tests.fuzz.nonsense import check_name, check_numbers
from tests.fuzz.target import Target, require, write_input


def _read(content: bytes, folder: Path) -> Rig:
    rig = load_rig(write_input(folder, ".toml", content))
    _ = (rig.lens_centre, rig.choices, rig.floor.crossings())
    for marker in rig.markers:
        marker.corners()
    return rig


def _check(rig: Rig) -> None:
    check_numbers(rig)
    require(rig.floor.crossings().size < 1e8, "lines of the grid")
    require(rig.floor.line < rig.floor.grid, "lines wider than the grid")
    require(abs(rig.camera.tilt) < 0.5 * math.pi, "a camera that looks up")
    for marker in rig.markers:
        check_name(marker.name)
        require(bool(np.isfinite(marker.corners()).all()), "corners")
    check_name(rig.name)


TARGETS = [
    Target(
        name="rig TOML",
        samples=lambda: [load_rig(name).text.encode() for name in rig_names()],
        attempt=_read,
        check=_check,
        words=("grid_m = 1e-9", "tilt_deg = 180", "$x_m", "[[markers]]", "dictionary = '4x4_50'"),
    )
]
