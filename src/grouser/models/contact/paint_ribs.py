"""Ribs that show where a belt runs: its grousers, or marks where it has none."""

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from grouser.description import Robot
from grouser.description.track import Belt

RIB = (0.10, 0.10, 0.11, 1.0)
"""Colour of a rib."""
MARKS = 0.035
"""About how far marks are apart on a belt without grousers [m]."""
MARK_SIZE = (0.008, 0.0015)
"""Length of such a mark along the belt, and how far it stands out [m]."""


def paint_ribs(spec: mujoco.MjSpec, robot: Robot, *, hull: str) -> None:
    """Add ribs to all belts of a scene: sites, which touch nothing and weigh nothing."""
    for track in robot.tracks:
        _add_ribs(spec.body(hull), track, track.y)
    for flipper in robot.flippers:
        _add_ribs(spec.body(flipper.name), flipper.track, 0.0)


def _add_ribs(body: mujoco.MjsBody, belt: Belt, y: float) -> None:
    loop, grousers = belt.loop, belt.grousers
    if grousers is None:
        count = max(round(loop.length / MARKS), 1)
        length, height = MARK_SIZE
        places = (np.arange(count) + 0.5) * loop.length / count
    else:
        length, height, places = grousers.length, grousers.height, belt.grouser_places
    for place in places:
        x, z = loop.point_at(float(place))
        turn = Rotation.from_euler("y", float(loop.heading_at(float(place))))
        out = turn.apply([0.0, 0.0, 0.5 * height])
        body.add_site(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[0.5 * length, 0.5 * belt.width, 0.5 * height],
            pos=[float(x) + out[0], y, float(z) + out[2]],
            quat=turn.as_quat(scalar_first=True).tolist(),
            rgba=list(RIB),
        )
