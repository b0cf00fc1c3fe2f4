"""Shapes of a robot's body: URDF and MJCF.

Nonsense: an engine's model whose numbers are not finite.
"""

import warnings
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np

from grouser.models.mujoco.import_body import import_body
from tests.fuzz.target import Target, require, write_input
from tests.models.contact.hull_files import MJCF, URDF, write_wedge

BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def _read(suffix: str) -> Callable[[bytes, Path], mujoco.MjModel]:
    def read(content: bytes, folder: Path) -> mujoco.MjModel:
        write_wedge(folder / "meshes" / "wedge.stl")
        file = write_input(folder, suffix, content)
        scene = mujoco.MjSpec()
        hull = scene.worldbody.add_body(name="hull")
        hull.add_freejoint()
        hull.mass, hull.inertia, hull.explicitinertial = 1.0, [1.0, 1.0, 1.0], True
        import_body(hull, file, (0.0, 0.0, 0.1), prefix="body/")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of an arm much heavier than this small hull
            return scene.compile()

    return read


def _check(model: mujoco.MjModel) -> None:
    for name in ("body_mass", "body_inertia", "body_pos", "geom_size", "geom_pos", "jnt_range"):
        require(bool(np.all(np.isfinite(getattr(model, name)))), f"{name} is not finite")


TARGETS = [
    Target(
        name="body URDF",
        samples=lambda: [URDF.strip().encode()],
        attempt=_read(".urdf"),
        check=_check,
        words=(BOMB, "<link name='x'/>", "<mesh filename='/dev/zero'/>", "1e300", "-1", "nan"),
    ),
    Target(
        name="body MJCF",
        samples=lambda: [MJCF.strip().encode()],
        attempt=_read(".xml"),
        check=_check,
        words=(
            BOMB,
            "<include file='input.xml'/>",
            "<geom type='sphere' size='nan'/>",
            "<replicate count='1000000000'/>",
            "/dev/zero",
        ),
    ),
]
