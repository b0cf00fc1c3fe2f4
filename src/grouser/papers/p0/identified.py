"""P0's slip parameters, identified on a drawn robot as P0 did: drives under a camera.

Slip ratios and angle come from driving straight, the equivalent wheelbase from turns: P0 found its
factor gamma by experiment. The encoders' speeds count, as on the real robot.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grouser.description import Robot
from grouser.description.slip import Wheelbase
from grouser.geometry import rotate
from grouser.laws.slip_odometry import SlipRatios, estimate_slip
from grouser.papers.p0.experiments import GEOMETRY, MANOEUVRES, WHEELBASE
from grouser.papers.p0.robots import DrawnRobot, film_drive
from grouser.papers.p0.slopes import FITTED, fit_slip, measure_slope_slips

REPEATS = 3
"""Drives of each manoeuvre (P0)."""
LENGTH, BEGIN = 10.0, 1.0
"""Length of a drive, and when it is steady [s]."""
STRAIGHT = MANOEUVRES["straight"]
"""Belt speeds of the straight manoeuvre, left and right [m/s]."""
LEFT_TURN = MANOEUVRES["turning"]
"""Belt speeds of the turning manoeuvre [m/s]."""
RIGHT_TURN = LEFT_TURN[1], LEFT_TURN[0]
"""The same turn to the other side [m/s]."""
OTHER_TURNS = (RIGHT_TURN, (0.08, 0.12), (-0.1, 0.1))
"""Turns that the equivalent wheelbase is not found from: to the other side, wider, on the spot
[m/s]."""
ROUNDS = 8
"""Fits of slip ratios and wheelbase in turn; each changes the other by less than a tenth [1]."""

Belts = tuple[float, float]
Steady = tuple[float, float, float]
"""Forward and leftward speed and yaw rate of a steady drive [m/s, m/s, rad/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifiedSlip:
    """Parameters of P0's eqs 1 to 5 and of its line over the slope."""

    left: float
    """Slip ratio of the left track, driving straight [1]."""
    right: float
    """Slip ratio of the right track, driving straight [1]."""
    angle: float
    """Slip angle, driving straight [rad]."""
    width: float
    """Equivalent wheelbase [m]."""
    slope: float = 0.0
    """Rise of the slip ratios with slope [1/rad]."""

    def put_into(self, robot: Robot) -> Robot:
        """Return a robot whose file states this slip."""
        gauge = robot.gauge
        length = float(np.sqrt(max(self.width - gauge, 1e-9) * gauge))
        wheelbase = Wheelbase.model_construct(
            length=length, width=gauge, offset_x=0.0, offset_y=0.0, gamma=0.0
        )
        slip = robot.slip.model_copy(
            update={
                "left": self.left, "right": self.right, "slip_angle": self.angle,
                "turning_left": self.left, "turning_right": self.right,
                "turning_slip_angle": 0.0, "slope_coefficient": self.slope,
                "wheelbase": wheelbase,
            }
        )  # fmt: skip
        return robot.model_copy(update={"slip": slip, "text": ""})


NO_SLIP = IdentifiedSlip(left=0.0, right=0.0, angle=0.0, width=GEOMETRY["width"])
"""Plain odometry: no slip, and the distance of the tracks as wheelbase."""


def drive_steadily(robot: DrawnRobot, belts: Belts, noise: np.random.Generator) -> Steady:
    """Return the velocity of a steady drive on the flat, as a camera finds it in three drives."""
    log = robot.drive(robot.prepare("flat"), *belts, LENGTH)
    found = []
    for _ in range(REPEATS):
        seen = film_drive(log, noise, BEGIN)
        rates = [np.gradient(v, seen.time, edge_order=2) for v in (seen.x, seen.y, seen.yaw)]
        vx, vy = rotate(rates[0], rates[1], -seen.yaw)
        found.append((np.mean(vx), np.mean(vy), np.mean(rates[2])))
    vx, vy, yaw_rate = np.mean(found, axis=0)
    return float(vx), float(vy), float(yaw_rate)


def slip_of(belts: Belts, steady: Steady, width: float) -> SlipRatios:
    """Return slip ratios and angle of a steady drive."""
    vx, vy, yaw_rate = steady
    return estimate_slip(*belts, vx=vx, vy=vy, yaw_rate=yaw_rate, width=width)


def fit_slip_and_width(straight: Steady, turns: Mapping[Belts, Steady]) -> IdentifiedSlip:
    """Return slip from driving straight and the wheelbase with which turns have the same slip."""
    width = WHEELBASE
    left, right = np.array(list(turns)).T
    rates = np.array([steady[2] for steady in turns.values()])
    for _ in range(ROUNDS):
        slip = slip_of(STRAIGHT, straight, width)
        ground = right * (1.0 - slip.right) - left * (1.0 - slip.left)
        width = float(np.dot(ground, rates) / np.dot(rates, rates))
    slip = slip_of(STRAIGHT, straight, width)
    return IdentifiedSlip(
        left=float(slip.left), right=float(slip.right), angle=float(slip.angle), width=width
    )


def identify_robot(
    robot: DrawnRobot, noise: np.random.Generator
) -> tuple[IdentifiedSlip, IdentifiedSlip, dict[Belts, Steady]]:
    """Return what P0 would identify, the same by one turn alone, and the drives that were made."""
    drives = {belts: drive_steadily(robot, belts, noise)
              for belts in (STRAIGHT, LEFT_TURN, *OTHER_TURNS)}  # fmt: skip
    both = {belts: drives[belts] for belts in (LEFT_TURN, RIGHT_TURN)}
    flat = fit_slip_and_width(drives[STRAIGHT], both)
    by_one = fit_slip_and_width(drives[STRAIGHT], {LEFT_TURN: drives[LEFT_TURN]})
    _, rise = fit_slip("line", FITTED, measure_slope_slips(robot, FITTED, noise))
    full = IdentifiedSlip(
        left=flat.left, right=flat.right, angle=flat.angle, width=flat.width,
        slope=float(rise / np.deg2rad(1.0)),
    )  # fmt: skip
    return full, by_one, drives


def slip_difference(identified: IdentifiedSlip, drives: Mapping[Belts, Steady]) -> float:
    """Return how far slip ratios in other turns are from those of driving straight, mean [1]."""
    differences = []
    for belts in OTHER_TURNS:
        slip = slip_of(belts, drives[belts], identified.width)
        differences += [abs(slip.left - identified.left), abs(slip.right - identified.right)]
    return float(np.mean(differences))
