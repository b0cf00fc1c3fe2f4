"""Constants of the planar dynamics of a robot.

Where a file has no `[traction]`, the Tankbot's curves serve [A]: forces in proportion to weight
and friction, stiffness factors in proportion to the length of contact, because it is the shear
along the contact, slip times length, that builds up the force; no shift, which belongs to the
Tankbot's sprocket. Where it has no motor, the
drive's inertia is in proportion to mass times sprocket radius squared.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grouser.description import Robot
from grouser.description.schema import Side
from grouser.description.slip import ForceCurve, Traction
from grouser.geometry import Scalar

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
    """Tables for `look_up`, one after the other, by the indices of the records."""


def pack_constants(constants: Constants, count: int) -> Packed:
    """Return the constants of `count` robots for the compiled plant."""
    # Imported here: it loads the compiler, which lists of drivers do not need.
    from grouser.models.planar.dynamics import drift_curve, slip_curve

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


TANKBOT_MASS, TANKBOT_CONTACT = 46.8, 0.60
"""Of the robot that the curves were measured on, [kg] and [m]."""
TANKBOT_TRACTION = Traction(
    friction=0.15,
    lateral=ForceCurve(
        stiffness_factor=38.5, shape_factor=1.3, largest_force_N=80.0, curvature_factor=-0.5
    ),
    track=ForceCurve(
        stiffness_factor=29.8, shape_factor=1.65, largest_force_N=61.0, curvature_factor=0.0
    ),
    shift=0.025,
)
"""P3 Tables 1 and 2."""
DRIVE_INERTIA_SHARE = 0.1 / (TANKBOT_MASS * 0.0508**2)
"""Inertia of the Tankbot's drive trains over its mass times sprocket radius squared [1]."""
DRIVE_DECAY = 10.0
"""Damping over inertia of its drive trains [1/s]."""
SPEED_FLOOR, YAW_RATE_FLOOR = 0.02, 0.02
"""Guards of slips [m/s] and of the centre of pressure [rad/s] [A]."""
SHIFT_WIDTH = 0.05
"""Speed over which `resting_shift` brings the shift to zero [m/s] [A]."""


def robot_constants(
    robot: Robot,
    *,
    treadmill_speed: float = 0.0,
    resting_shift: bool = False,
    points: int = 1,
    servo_time: float = 0.02,
    inertia: Scalar | None = None,
) -> Constants:
    """Return the constants of a robot on the surface where its traction was measured.

    The ground runs backwards at `treadmill_speed` [m/s]; the rest is as in `TankbotModel`.
    """
    traction = measured_traction(robot)
    motor, radius = robot.drive.motor, robot.sprocket_radius
    drive_inertia = motor.inertia if motor else DRIVE_INERTIA_SHARE * robot.mass * radius**2
    limits = (motor.torque_limit if motor else None, robot.drive.torque_limit, np.inf)
    return Constants(
        mass=robot.mass,
        inertia=_yaw_inertia(robot) if inertia is None else inertia,
        gauge=robot.gauge,
        front=0.5 * robot.contact_length,
        rear=0.5 * robot.contact_length,
        com_height=robot.centre_of_mass[2],
        **_curve_constants("lateral", traction.lateral),
        **_curve_constants("track", traction.track),
        shift=traction.shift,
        shift_width=SHIFT_WIDTH if resting_shift else 0.0,
        speed_floor=SPEED_FLOOR,
        yaw_rate_floor=YAW_RATE_FLOOR,
        points=float(points),
        sprocket_radius=radius,
        drive_inertia=drive_inertia,
        drive_damping=motor.damping if motor else DRIVE_DECAY * drive_inertia,
        **{
            f"{side}_{way}": _torques(robot, side, forward=way == "forward")
            for side in ("left", "right")
            for way in ("forward", "backward")
        },
        servo_time=servo_time,
        torque_limit=next(limit for limit in limits if limit is not None),
        ground_speed=treadmill_speed,
    )


def measured_traction(robot: Robot) -> Traction:
    """Return the traction of a robot's file, or the Tankbot's scaled to it."""
    if robot.traction is not None:
        return robot.traction
    load, length = robot.mass / TANKBOT_MASS, robot.contact_length / TANKBOT_CONTACT

    def scale(curve: ForceCurve) -> ForceCurve:
        return curve.model_copy(
            update={
                "largest_force": curve.largest_force * load,
                "stiffness_factor": curve.stiffness_factor * length,
            }
        )

    curves = {name: scale(getattr(TANKBOT_TRACTION, name)) for name in ("lateral", "track")}
    return TANKBOT_TRACTION.model_copy(update={**curves, "shift": 0.0})


def _yaw_inertia(robot: Robot) -> float:
    """Return the moment of inertia about the vertical through the origin; parts as points."""
    body = robot.body
    of_body = body.inertia[2] + body.mass * float(np.sum(np.square(body.centre_of_mass[:2])))
    places = [(drive.mass, drive.centre) for drive in robot.drives]
    places += [(part.mass, part.centre_at(part.rest_angle)) for part in robot.flippers]
    return of_body + sum(mass * (place[0] ** 2 + place[1] ** 2) for mass, place in places)


def _curve_constants(kind: str, curve: ForceCurve) -> dict[str, Any]:
    keys = ("stiffness_factor", "shape_factor", "largest_force", "curvature_factor")
    short = ("stiffness", "shape", "limit", "curvature")
    return {f"{kind}_{name}": getattr(curve, key) for name, key in zip(short, keys, strict=True)}


def _torques(robot: Robot, side: Side, *, forward: bool) -> Any:
    motor = robot.drive.motor
    if motor is None:
        return 0.0, 0.0, 0.0, 0.0
    of_side = motor.torque_map(side, forward=forward)
    return of_side.dead_zone, of_side.jump, of_side.gain, of_side.torque_limit
