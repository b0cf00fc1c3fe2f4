"""All numbers that the compiled planar plant works with."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Scalar
from grouser.models.planar.curves import drift_curve, slip_curve

TorqueCurve: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar]
"""Dead zone [V], jump [N m], gain [N m/V] and limit [N m] of a motor, for one sign."""


class Constants(NamedTuple):
    """Constants of one robot on its ground; of many, where fields are arrays."""

    mass: Scalar
    """Mass [kg]."""
    inertia: Scalar
    """Moment of inertia about the vertical, I_z [kg m^2]."""
    gauge: Scalar
    """Distance between the tracks, b [m]."""
    front: Scalar
    """Length of the contact ahead of the centre of mass, L_f [m]."""
    rear: Scalar
    """Length of the contact behind it, L_a [m]."""
    com_height: Scalar
    """Height of the centre of mass, z_CG [m]."""
    lateral_stiffness: Scalar
    """Stiffness factor of the lateral force [1/rad]."""
    lateral_shape: Scalar
    """Shape factor of the lateral force [1]."""
    lateral_limit: Scalar
    """Largest lateral force of the whole robot; negative flips its sign, for studies [N]."""
    lateral_curvature: Scalar
    """Curvature factor of the lateral force [1]."""
    track_stiffness: Scalar
    """Stiffness factor of a track's force [1]."""
    track_shape: Scalar
    """Shape factor of a track's force [1]."""
    track_limit: Scalar
    """Largest force of one track [N]."""
    track_curvature: Scalar
    """Curvature factor of a track's force [1]."""
    shift: Scalar
    """Horizontal shift of a track's slip, S_h [1]."""
    shift_width: Scalar
    """Speed over which the shift vanishes towards rest; 0 for P3's constant shift [m/s]."""
    speed_floor: Scalar
    """Least speed that counts in slips, e_v [m/s]."""
    yaw_rate_floor: Scalar
    """Yaw rate that smooths the centre of pressure, e_omega [rad/s]."""
    points: Scalar
    """Over how many points of the contact's length the lateral force spreads; 1 as P3 [1]."""
    sprocket_radius: Scalar
    """Belt speed per angular speed of the sprocket, R_T [m]."""
    drive_inertia: Scalar
    """Inertia of one side's drive train at the sprocket, J [kg m^2]."""
    drive_damping: Scalar
    """Torque lost per angular speed, B_D [N m s/rad]."""
    left_forward: TorqueCurve
    """Map of the left motor for voltages above zero."""
    left_backward: TorqueCurve
    """Map of the left motor for voltages below zero."""
    right_forward: TorqueCurve
    """Map of the right motor for voltages above zero."""
    right_backward: TorqueCurve
    """Map of the right motor for voltages below zero."""
    servo_time: Scalar
    """Time constant of the inner speed loop [s]."""
    torque_limit: Scalar
    """Largest torque of the inner speed loop [N m]."""
    ground_speed: Scalar
    """Speed at which the ground runs backwards along world x, U_0 [m/s]."""


RECORD = np.dtype(
    [
        (name, np.float64, (4,)) if name.endswith("ward") else (name, np.float64)
        for name in Constants._fields
    ]
    + [("lateral_curve", np.int64), ("track_curve", np.int64)]
)
"""How the compiled plant reads them: by name, from one record for each robot."""


class Packed(NamedTuple):
    """Constants as the compiled plant takes them."""

    records: NDArray[np.void]
    """One record of type `RECORD` for each robot."""
    curves: NDArray[np.float64]
    """Tables for `look_up`, one after the other; the records say which."""


def pack_constants(constants: Constants, count: int) -> Packed:
    """Return the constants of `count` robots for the compiled plant."""
    records = np.zeros(count, RECORD)
    for name, value in constants._asdict().items():
        if isinstance(value, tuple):
            for column, part in enumerate(value):
                records[name][:, column] = part
        else:
            records[name] = value
    tables: dict[tuple[str, float, float, float], NDArray[np.float64]] = {}
    for kind, tabulate in (("lateral", drift_curve), ("track", slip_curve)):
        shapes = np.stack(
            [records[f"{kind}_{part}"] for part in ("stiffness", "shape", "curvature")], axis=1
        )
        distinct, which = np.unique(shapes, axis=0, return_inverse=True)
        records[f"{kind}_curve"] = len(tables) + which.reshape(-1)
        for shape in distinct.tolist():
            tables[kind, *shape] = tabulate(*shape)
    return Packed(records, np.concatenate(list(tables.values())))
