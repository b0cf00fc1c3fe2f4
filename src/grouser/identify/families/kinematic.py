"""Kinematic families: ideal, icr, slip, turning and icr-varying.

P2's own procedure, run by run, is in `grouser.identify.turns`.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.random import Generator

from grouser.geometry import Array, arc_displacement
from grouser.identify.family import FAMILIES, KnownRobot, LinearMotion, Parameter, Predicted
from grouser.identify.record import Record, Records
from grouser.laws.icr import IcrMotion, TrackIcrs, icr_twist, moving_icrs
from grouser.laws.slip_odometry import is_straight, slip_twist
from grouser.laws.slope import DEFAULT_COEFFICIENT, slope_slip
from grouser.laws.turning_geometry import true_speed_difference_signed
from grouser.models import effective_width, icr_motion, track_icrs
from grouser.models.kinematic_models import RAMP_SLOPE

Column: TypeAlias = Array
"""One value for each set of parameters, of shape (set, 1)."""
Velocity: TypeAlias = tuple[Array, Array, Array]
"""Forward speed [m/s], leftward speed [m/s], yaw rate [rad/s]."""

BELT_AVERAGING_TIME = 0.5
"""Time over which belt speeds are averaged where a law is not linear in them [s]."""
LEAST_SLANT = 0.2
"""Least cosine of a pitch that counts: at 78° nothing drives, but logs have such values [1]."""


class KinematicFamily(ABC):
    """A law from belt speeds to the velocity of the body, integrated along exact arcs."""

    is_simulated: ClassVar[bool] = False

    @abstractmethod
    def parameters(self, known_robot: KnownRobot, records: Records) -> tuple[Parameter, ...]:
        """Return the parameters to identify."""

    @abstractmethod
    def velocity(self, values: list[Column], record: Record, known_robot: KnownRobot) -> Velocity:
        """Return the velocity at each sample; `values` has a column for each parameter."""

    @abstractmethod
    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return the true parameters of a random robot."""

    def begin(
        self, linear: LinearMotion, record: Record, known_robot: KnownRobot
    ) -> dict[str, float]:
        """Return where a search begins, by name, from a linear fit; by default nowhere special."""
        return {}

    def predict(self, values: Array, record: Record, known_robot: KnownRobot) -> Predicted:
        """Return the motion for each row of parameter values, from the origin with yaw 0."""
        columns = [values[:, k, None] for k in range(values.shape[1])]
        shape = (len(values), record.time.size)
        vx, vy, yaw_rate = (
            np.broadcast_to(part, shape) for part in self.velocity(columns, record, known_robot)
        )
        if record.steady:
            zero = np.zeros(shape)
            return Predicted(x=zero, y=zero, yaw=zero, vx=vx, vy=vy, yaw_rate=yaw_rate)
        steps = record.steps
        # Along the ground and about its normal; logs have no roll, which is left out.
        slant = 1.0 if record.pitch is None else np.maximum(np.cos(record.pitch), LEAST_SLANT)
        turned = yaw_rate / slant * steps
        yaw = np.cumsum(turned, axis=1)

        dx, dy = arc_displacement(vx * slant, vy, yaw_rate / slant, yaw - turned, steps)  # pyright: ignore[reportArgumentType]
        return Predicted(
            x=np.cumsum(dx, axis=1), y=np.cumsum(dy, axis=1), yaw=yaw, vx=vx, vy=vy,
            yaw_rate=yaw_rate,
        )  # fmt: skip


def average_sides(record: Record, over: float = BELT_AVERAGING_TIME) -> tuple[Array, Array]:
    """Return the moving average of left and right belt speeds; steady states unchanged [m/s].

    At the ends of a piece the average is over fewer samples.
    """
    period = record.period
    if record.steady or not period > 0.0:
        return record.left, record.right
    reach = int(0.5 * min(over / period, record.time.size) + 1e-6)
    rows, piece = np.arange(record.time.size), record.piece
    low = np.maximum(rows - reach, record.first[piece])
    high = np.minimum(rows + reach, record.last[piece]) + 1
    left, right = (
        np.diff(np.cumsum(np.append(0.0, side))[np.stack([low, high])], axis=0)[0] / (high - low)
        for side in (record.left, record.right)
    )
    return left, right


class IdealFamily(KinematicFamily):
    """Differential drive without slip, with the gauge of the robot."""

    name: ClassVar[str] = "ideal"
    summary: ClassVar[str] = "differential drive, no parameters"
    cost: ClassVar[int] = 0
    model: ClassVar[str] = "ideal"

    def parameters(self, known_robot: KnownRobot, records: Records) -> tuple[Parameter, ...]:
        """Return no parameters."""
        return ()

    def velocity(self, values: list[Column], record: Record, known_robot: KnownRobot) -> Velocity:
        """Return the velocity of a differential drive."""
        left, right = record.left[None], record.right[None]
        return 0.5 * (left + right), 0.0 * left, (right - left) / known_robot.gauge

    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return the true parameters of a random robot."""
        return []


MIN_PITCH_RANGE = float(np.deg2rad(4.0))
"""Range of pitch above which the slope coefficient is fitted: one step of P0's ramp [rad]."""
DEFAULT_WIDTH_RATIO = 1.5
"""Equivalent wheelbase over gauge of a robot without a file [1] [A]."""


class SlipFamily(KinematicFamily):
    """P0's slip odometry, with separate slip angles for straights and for turns."""

    name: ClassVar[str] = "slip"
    summary: ClassVar[str] = "slip ratio of each side, slip angles, equivalent wheelbase (P0)"
    cost: ClassVar[int] = 2
    model: ClassVar[str] = "slip"

    def parameters(self, known_robot: KnownRobot, records: Records) -> tuple[Parameter, ...]:
        """Return slip ratios, slip angles, wheelbase and, on slopes, the slope coefficient."""
        robot = known_robot.robot
        width = effective_width(robot) if robot else DEFAULT_WIDTH_RATIO * known_robot.gauge
        straight = "drive straight for some metres at several speeds"
        found = [
            Parameter(
                name=f"slip_{side}", unit="1", start=getattr(robot.slip, side) if robot else 0.0,
                span=0.3, low=-0.5, high=0.95, manoeuvre=straight,
            )
            for side in ("left", "right")
        ]  # fmt: skip
        turns = "turn on the spot and in wide arcs, to both sides"
        angles = (("slip_angle", straight), ("turning_slip_angle", "drive wide arcs to both sides"))
        found += [
            Parameter(
                name=name, unit="rad", start=getattr(robot.slip, name) if robot else 0.0,
                span=0.3, low=-1.5, high=1.5, manoeuvre=manoeuvre,
            )
            for name, manoeuvre in angles
        ]  # fmt: skip
        found.append(
            Parameter(
                name="width", unit="m", start=width, span=0.5 * width, low=0.2 * known_robot.gauge,
                high=20.0 * known_robot.gauge, manoeuvre=turns,
            )
        )  # fmt: skip
        if any(r.pitch is not None and np.ptp(r.pitch) > MIN_PITCH_RANGE for r in records):
            start = robot.slip.slope_coefficient if robot else DEFAULT_COEFFICIENT
            climb = "climb and descend slopes of several angles"
            found.append(
                Parameter(
                    name="slope_coefficient", unit="1/rad", start=start, span=0.5, manoeuvre=climb
                )
            )
        return tuple(found)

    def velocity(self, values: list[Column], record: Record, known_robot: KnownRobot) -> Velocity:
        """Return the velocity by P0; straights and turns are distinguished as by `SlipModel`."""
        slip_left, slip_right, angle, turning_angle, width, *slope_parts = values
        left, right = record.left[None], record.right[None]
        if record.pitch is not None and slope_parts:
            slope = -record.pitch * np.sign(left + right)
            slope = np.where(np.abs(slope) > RAMP_SLOPE, slope, 0.0)
            slip_left = np.asarray(slope_slip(slip_left, slope_parts[0], slope))
            slip_right = np.asarray(slope_slip(slip_right, slope_parts[0], slope))
        # Averaged speeds tell straights from turns despite noise.
        straight = np.asarray(is_straight(*average_sides(record)))[None]
        chosen = np.where(straight, angle, turning_angle)
        vx, vy, yaw_rate = slip_twist(left, right, slip_left, slip_right, chosen, width)
        return np.asarray(vx), np.asarray(vy), np.asarray(yaw_rate)

    def begin(
        self, linear: LinearMotion, record: Record, known_robot: KnownRobot
    ) -> dict[str, float]:
        """Return slips and width; angles are small."""
        left, right = 1.0 - 2.0 * linear.forward_left, 1.0 - 2.0 * linear.forward_right
        width = (2.0 - left - right) / linear.yaw_half
        return {"slip_left": left, "slip_right": right, "width": width}

    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return the true parameters of a random robot."""
        slips, angles = generator.uniform(0.0, 0.25, 2), generator.uniform(-0.06, 0.06, 2)
        return [*slips, *angles, known_robot.gauge * generator.uniform(1.1, 2.5)]


TURNS = "turn on the spot and in arcs, to both sides"
"""Manoeuvre that identifies the centres of rotation."""
RATE_AVERAGING_SAMPLES = 3
"""Number of belt speeds that are averaged where velocities were observed: more would round off the
corners of a drive, fewer would let the noise of belts lower their effect."""


class IcrFamily(KinematicFamily):
    """Constant centres of rotation (Martínez et al., used by P1)."""

    name: ClassVar[str] = "icr"
    summary: ClassVar[str] = "constant centres of rotation of the tracks (P1)"
    cost: ClassVar[int] = 1
    model: ClassVar[str] = "icr"

    def parameters(self, known_robot: KnownRobot, records: Records) -> tuple[Parameter, ...]:
        """Return the positions of the centres."""
        gauge, robot = known_robot.gauge, known_robot.robot
        half = 0.5 * DEFAULT_WIDTH_RATIO * gauge
        places = (half, -half, 0.0)
        if robot is not None:
            icrs = track_icrs(robot)
            places = (float(icrs.left_y), float(icrs.right_y), float(icrs.x))
        limits = ((0.05 * gauge, 10.0 * gauge), (-10.0 * gauge, -0.05 * gauge), (-np.inf, np.inf))
        return tuple(
            Parameter(
                name=name, unit="m", start=start, span=0.5 * gauge, low=low, high=high,
                manoeuvre=TURNS,
            )
            for name, start, (low, high) in zip(
                ("left_y", "right_y", "x"), places, limits, strict=True
            )
        )  # fmt: skip

    def velocity(self, values: list[Column], record: Record, known_robot: KnownRobot) -> Velocity:
        """Return the velocity about constant centres."""
        return _about(record, *values)

    def begin(
        self, linear: LinearMotion, record: Record, known_robot: KnownRobot
    ) -> dict[str, float]:
        """Return constant centres."""
        half = 1.0 / linear.yaw_half
        left_y, right_y = half * (1.0 + linear.forward_half), -half * (1.0 - linear.forward_half)
        return {"left_y": left_y, "right_y": right_y, "x": linear.centre_ahead}

    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return the true parameters of a random robot."""
        left, right = generator.uniform(0.55, 1.3, 2) * known_robot.gauge
        return [left, -right, generator.uniform(-0.15, 0.15) * known_robot.gauge]


class VaryingIcrFamily(KinematicFamily):
    """Centres of rotation that move with speed and curvature."""

    name: ClassVar[str] = "icr-varying"
    summary: ClassVar[str] = "centres of rotation that move with speed and curvature"
    cost: ClassVar[int] = 4
    model: ClassVar[str] = "icr"

    def parameters(self, known_robot: KnownRobot, records: Records) -> tuple[Parameter, ...]:
        """Return the positions of the centres at rest and their dependence on the motion."""
        gauge = known_robot.gauge
        fastest = max(float(np.max(np.abs((r.left, r.right)))) for r in records)
        per_speed = 2.0 * gauge / max(fastest, 1e-3)
        constant = IcrFamily().parameters(known_robot, records)
        known = icr_motion(known_robot.robot) if known_robot.robot else IcrMotion()
        speeds = "drive the same arcs at several speeds, to both sides"
        arcs = "drive arcs of several radii and turn on the spot, to both sides"
        more = [
            Parameter(
                name=n, unit=unit, start=float(getattr(known, n)), span=span, manoeuvre=manoeuvre
            )
            for n, unit, span, manoeuvre in (
                ("left_y_per_speed", "s", per_speed, speeds),
                ("right_y_per_speed", "s", per_speed, speeds),
                ("left_y_per_contrast", "m", 2.0 * gauge, arcs),
                ("right_y_per_contrast", "m", 2.0 * gauge, arcs),
                ("x_per_speed", "s", per_speed, speeds),
            )
        ]
        return (*constant, *more)

    def velocity(self, values: list[Column], record: Record, known_robot: KnownRobot) -> Velocity:
        """Return the velocity about moving centres."""
        left_y, right_y, x, left_speed, right_speed, left_turn, right_turn, x_speed = values
        motion = IcrMotion(
            left_y_per_speed=left_speed, right_y_per_speed=right_speed,
            left_y_per_contrast=left_turn, right_y_per_contrast=right_turn, x_per_speed=x_speed,
        )  # fmt: skip
        still = TrackIcrs(left_y=left_y, right_y=right_y, x=x)
        places = moving_icrs(*observed_sides(record), still, motion, known_robot.gauge)
        return _about(record, *(np.asarray(place) for place in places))

    def begin(
        self, linear: LinearMotion, record: Record, known_robot: KnownRobot
    ) -> dict[str, float]:
        """Return constant centres."""
        return IcrFamily().begin(linear, record, known_robot)

    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return the true parameters of a random robot."""
        per_speed, per_turn = (
            generator.uniform(-0.2, 0.2, 2) * known_robot.gauge for _ in range(2)
        )
        x = generator.uniform(-0.1, 0.1) * known_robot.gauge
        return [*IcrFamily().draw(known_robot, generator), *per_speed, *per_turn, x]


def observed_sides(record: Record) -> tuple[Array, Array]:
    """Return belt speeds, averaged if velocities were observed; poses average by themselves."""
    rates = record.observation.kind in ("twist", "gyro")
    return (
        average_sides(record, RATE_AVERAGING_SAMPLES * record.period)
        if rates
        else (record.left, record.right)
    )


def _about(record: Record, left_y: Column, right_y: Column, x: Column) -> Velocity:
    left, right = observed_sides(record)
    vx, vy, yaw_rate = icr_twist(left[None], right[None], left_y, right_y, x)
    return np.asarray(vx), np.asarray(vy), np.asarray(yaw_rate)


MIN_DIFFERENCE_RATIO = 0.03
"""Smallest over largest belt speed difference to which eq 19 applies, by default [1] [A]."""


class TurningFamily(KinematicFamily):
    """True from apparent speed difference by a straight line; lateral speed by the offset D."""

    name: ClassVar[str] = "turning"
    summary: ClassVar[str] = "true from apparent speed difference, offset of the centre (P2)"
    cost: ClassVar[int] = 2
    model: ClassVar[str] = "turning"

    def parameters(self, known_robot: KnownRobot, records: Records) -> tuple[Parameter, ...]:
        """Return slope and intercept of eq 19, and D."""
        turning = known_robot.robot.turning if known_robot.robot else None
        fastest = max(float(np.max(np.abs(r.right - r.left))) for r in records)
        turns = "drive arcs of several radii, to both sides"
        return (
            Parameter(
                name="speed_difference_slope", unit="1", span=0.5, low=0.01, high=3.0,
                start=turning.speed_difference_slope if turning else 0.6, manoeuvre=turns,
            ),
            Parameter(
                name="speed_difference_intercept", unit="m/s", span=0.5 * max(fastest, 1e-3),
                start=turning.speed_difference_intercept if turning else 0.0, manoeuvre=turns,
            ),
            Parameter(
                name="offset_ahead", unit="m", span=0.5 * known_robot.gauge, manoeuvre=turns,
                start=turning.offset_ahead if turning else 0.0,
            ),
        )  # fmt: skip

    def velocity(self, values: list[Column], record: Record, known_robot: KnownRobot) -> Velocity:
        """Return the velocity by eqs 11 and 19."""
        slope, intercept, ahead = values
        left, right = record.left[None], record.right[None]
        # The nonlinear part uses averaged speeds, as noise around zero would flip its sign.
        mean_left, mean_right = average_sides(record)
        mean = mean_right - mean_left
        difference = true_speed_difference_signed(
            mean, slope, intercept, smallest_difference((record,), known_robot)
        )
        yaw_rate = (slope * (right - left - mean) + np.asarray(difference)) / known_robot.gauge
        return 0.5 * (left + right), -yaw_rate * ahead, yaw_rate

    def begin(
        self, linear: LinearMotion, record: Record, known_robot: KnownRobot
    ) -> dict[str, float]:
        """Return slope and offset; the intercept is small."""
        slope = 0.5 * known_robot.gauge * linear.yaw_half
        return {"speed_difference_slope": slope, "offset_ahead": linear.centre_ahead}

    def draw(self, known_robot: KnownRobot, generator: Generator) -> list[float]:
        """Return the true parameters of a random robot."""
        ahead = generator.uniform(-0.15, 0.15) * known_robot.gauge
        return [generator.uniform(0.4, 0.85), generator.uniform(0.0, 0.03), ahead]


def smallest_difference(records: Records, known_robot: KnownRobot) -> float:
    """Return the belt speed difference below which eq 19 goes linearly to zero [m/s]."""
    turning = known_robot.robot.turning if known_robot.robot else None
    if turning is not None and turning.smallest_speed_difference > 0.0:
        return turning.smallest_speed_difference
    largest = max(float(np.max(np.abs(r.right - r.left))) for r in records)
    return max(MIN_DIFFERENCE_RATIO * largest, 1e-6)


for _family in (IdealFamily(), IcrFamily(), SlipFamily(), TurningFamily(), VaryingIcrFamily()):
    FAMILIES.register(_family)
