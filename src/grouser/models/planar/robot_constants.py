"""Constants of the planar plant for any robot: from its file, or scaled from the Tankbot's.

Where a file has no `[traction]`, the Tankbot's curves serve [A]: forces in proportion to weight
and friction, stiffness factors in proportion to the length of contact, because it is the shear
along the contact, slip times length, that builds up the force; no shift, which belongs to the
Tankbot's sprocket. Where it has no motor, the
drive's inertia is in proportion to mass times sprocket radius squared.
"""

from typing import Literal

import numpy as np

from grouser.description import Robot
from grouser.description.traction import ForceCurve, Traction
from grouser.geometry import Scalar
from grouser.models.planar.constants import Constants, TorqueCurve

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

    Args:
        robot: Whose.
        treadmill_speed: Speed at which the ground runs backwards [m/s].
        resting_shift: Whether the shift of slips vanishes towards rest.
        points: Over how many points of the contact the lateral force spreads; 1 as in P3.
        servo_time: Time constant of the inner speed loop [s].
        inertia: Moment of inertia about the vertical; of the robot's file if not given [kg m^2].
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
        lateral_stiffness=traction.lateral.stiffness_factor,
        lateral_shape=traction.lateral.shape_factor,
        lateral_limit=traction.lateral.largest_force,
        lateral_curvature=traction.lateral.curvature_factor,
        track_stiffness=traction.track.stiffness_factor,
        track_shape=traction.track.shape_factor,
        track_limit=traction.track.largest_force,
        track_curvature=traction.track.curvature_factor,
        shift=traction.shift,
        shift_width=SHIFT_WIDTH if resting_shift else 0.0,
        speed_floor=SPEED_FLOOR,
        yaw_rate_floor=YAW_RATE_FLOOR,
        points=float(points),
        sprocket_radius=radius,
        drive_inertia=drive_inertia,
        drive_damping=motor.damping if motor else DRIVE_DECAY * drive_inertia,
        left_forward=_curve(robot, "left", forward=True),
        left_backward=_curve(robot, "left", forward=False),
        right_forward=_curve(robot, "right", forward=True),
        right_backward=_curve(robot, "right", forward=False),
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

    reference = TANKBOT_TRACTION
    return reference.model_copy(
        update={
            "lateral": scale(reference.lateral),
            "track": scale(reference.track),
            "shift": 0.0,
        }
    )


def _yaw_inertia(robot: Robot) -> float:
    """Return the moment of inertia about the vertical through the origin; parts as points."""
    body = robot.body
    of_body = body.inertia[2] + body.mass * float(np.sum(np.square(body.centre_of_mass[:2])))
    places = [(drive.mass, drive.centre) for drive in robot.drives]
    places += [(part.mass, part.centre_at(part.rest_angle)) for part in robot.flippers]
    return of_body + sum(mass * (place[0] ** 2 + place[1] ** 2) for mass, place in places)


def _curve(robot: Robot, side: Literal["left", "right"], *, forward: bool) -> TorqueCurve:
    motor = robot.drive.motor
    if motor is None:
        return 0.0, 0.0, 0.0, 0.0
    of_side = motor.torque_map(side, forward=forward)
    return of_side.dead_zone, of_side.jump, of_side.gain, of_side.torque_limit
