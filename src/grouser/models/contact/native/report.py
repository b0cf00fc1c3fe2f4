"""What a world tells of its robots besides their motion: contacts, centres of mass."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Array
from grouser.models.contact.engine import ContactTable
from grouser.models.contact.native.layout import *
from grouser.models.contact.native.tables import RobotTables
from grouser.models.contact.scene import TrackScene


def read_table(
    work: Array, ids: NDArray[np.int64], state: Array, tops: NDArray[np.int64],
    tables: RobotTables, timestep: float,
) -> ContactTable:  # fmt: skip
    """Return the contacts of a robot from the workspace of its last step."""
    lay = tables.layout
    groups, slots = int(lay[AT_GROUPS]), int(lay[AT_SLOTS])
    count = int(tops[:groups, 1].sum())
    first = int(lay[AT_WS_CONTACTS])
    rows = work[first : first + count * CONTACT].reshape(count, CONTACT)
    stage = work[int(lay[AT_WS_STAGE]) :][: groups * slots * STAGED].reshape(-1, STAGED)
    found = stage[ids[:count, 1] * slots + ids[:count, 2]]
    rotation = work[ROTATION : ROTATION + 9].reshape(3, 3)
    normal, along = found[:, NORMAL : NORMAL + 3], found[:, ALONG : ALONG + 3]
    across = np.cross(normal, along)
    impulse = rows[:, IMPULSE : IMPULSE + 3]
    ratio = _ratio(rows)
    pushes = (
        impulse[:, :1] * normal
        + impulse[:, 1:2] * along
        + (ratio * impulse[:, 2])[:, None] * across
    )
    slip = _slips(work, rows, ids[:count], lay)
    slips = slip[:, :1] * along + (slip[:, 1] / np.where(ratio > 0.0, ratio, 1.0))[:, None] * across
    carries = impulse[:, 0] > 0.0
    origin = _place(state, rotation, timestep)
    return ContactTable(
        belt=tuple(tables.names[group] for group in ids[:count, 1][carries]),
        position=(found[:, PLACE : PLACE + 3] @ rotation.T + origin)[carries],
        normal=(normal @ rotation.T)[carries],
        force=(pushes @ rotation.T / timestep)[carries],
        slip=(slips @ rotation.T)[carries],
    )


def _place(state: Array, rotation: Array, timestep: float) -> Array:
    """Return where O was when the contacts of the last step were found [m]."""
    return state[POS : POS + 3] - timestep * state[VEL : VEL + 3]


def _ratio(rows: Array) -> Array:
    """Return friction across over along, by which rows across are scaled [1]."""
    return rows[:, RATIO]


def _slips(work: Array, rows: Array, ids: NDArray[np.int64], lay: NDArray[np.int64]) -> Array:
    """Return slip of the belts' surface against the ground, along and across (scaled) [m/s]."""
    v = work[OLD : OLD + 6]
    hinges = work[int(lay[AT_WS_HINGES]) :].reshape(-1)
    rates = np.array([0.0 if h < 0 else hinges[HINGE_WORK * h + H_VEL] for h in ids[:, 0]])
    drives = work[int(lay[AT_WS_DRIVES]) :]
    speeds = np.array([drives[DRIVE_WORK * d + NOW] for d in ids[:, 3]])
    along = rows[:, ROW_T : ROW_T + 6] @ v + rows[:, HINGE + 1] * rates - rows[:, CARRY] * speeds
    across = rows[:, ROW_B : ROW_B + 6] @ v + rows[:, HINGE + 2] * rates
    return np.stack([along - rows[:, MOVES], across - rows[:, MOVES + 1]], axis=1)


def read_centre(scene: TrackScene, rows: Array, lay: NDArray[np.int64]) -> Array:
    """Return the centre of mass of each robot in the world [m]."""
    # Imported here: scipy.spatial takes a fifth of the time in which a run starts.
    from scipy.spatial.transform import Rotation

    parameters = int(lay[AT_ST_PARAMETERS])
    hull = rows[:, parameters + HULL : parameters + HULL + 4]
    factor = rows[:, parameters + FACTOR]
    mass, first = hull[:, 0].copy(), hull[:, 1:].copy()
    for k, hinge in enumerate(scene.hinges):
        angle = rows[:, int(lay[AT_ST_HINGES]) + HINGE_STATE * k + ANGLE]
        x, _, z = hinge.inertia.centre
        cos, sin = np.cos(angle), np.sin(angle)
        place = np.array(hinge.place) - scene.hull.centre
        part = factor * hinge.inertia.mass
        mass = mass + part
        arm = [place[0] + x * cos + z * sin, place[1] + 0.0 * angle, place[2] + z * cos - x * sin]
        first = first + part[:, None] * np.stack(arm, axis=1)
    rotation: Any = Rotation.from_quat(rows[:, QUAT : QUAT + 4], scalar_first=True)
    return rows[:, POS : POS + 3] + rotation.apply(first / mass[:, None])
