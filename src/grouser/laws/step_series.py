"""Climbing up and driving down a step at a constant belt speed, as functions of time.

Source: P0 (Low et al.), section 2.1. For a belt whose speed varies, use `StepClimb` itself.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root_scalar

from grouser.errors import InvalidValue
from grouser.geometry import Scalar
from grouser.laws.step_climb import StepClimb
from grouser.laws.step_feasibility import height_limit
from grouser.laws.step_pose import StepPose


@dataclass(frozen=True, slots=True, kw_only=True)
class StepMotion:
    """How a track moves on a step at given times; frame as in `step_pose`."""

    time: Scalar
    """Time since the start of the approach [s]."""
    x: Scalar
    """X of M [m]."""
    z: Scalar
    """Z of M [m]."""
    nose_up: Scalar
    """Angle of the track above level, positive nose up [rad]."""
    vx: Scalar
    """Speed of M along X [m/s]."""
    vz: Scalar
    """Speed of M along Z [m/s]."""
    nose_up_rate: Scalar
    """Angular speed, positive nose up [rad/s]."""
    phase: NDArray[np.int64]
    """Which part touches what (`StepPhase`)."""
    alpha: Scalar
    """Elevation of the wheel centre seen from the edge, against the direction in which the lower
    ground lies; NaN unless a wheel is on the edge [rad]."""
    run: Scalar
    """Lower run between the lower tangent point and the edge, L_D of the source; NaN unless
    the straight run is on the edge or on top [m]."""
    finished: NDArray[np.bool_]
    """Whether the step is behind the track."""

    @property
    def pitch(self) -> Scalar:
        """Pitch as in REP-103, positive nose down [rad]."""
        return -self.nose_up

    @property
    def pitch_rate(self) -> Scalar:
        """Pitch rate as in REP-103, positive nose down [rad/s]."""
        return -self.nose_up_rate


def climb_step(
    climb: StepClimb, belt_speed: float, time: Scalar, approach: float = 0.03
) -> StepMotion:
    """Return how a robot climbs a step at a constant belt speed.

    After `tip_travel` the body turns down at `tip_rate` while the run keeps falling with the
    belt. The step is crossed when the body lies level and the run is negative, both.

    Args:
        climb: Robot and step.
        belt_speed: Speed of the belt, positive [m/s].
        time: Time since the start of the approach, one or many [s].
        approach: Distance to drive on level ground before the step is touched [m].

    Raises:
        InvalidValue: The belt does not drive forward, or the climb stalls.
    """
    _require_forward(belt_speed)
    if climb.stalls:
        limit = height_limit(climb.radius, climb.wheel_distance, climb.com_x, climb.com_z)
        raise InvalidValue(
            "step.height", climb.height, f"be at most {limit:.6g} m, above which this robot stalls"
        )
    t = np.asarray(time, dtype=np.float64)
    travel = belt_speed * t - approach
    beyond = np.maximum(travel - climb.tip_travel, 0.0)
    nose_up = np.maximum(climb.tip_nose_up - climb.tip_rate * beyond / belt_speed, 0.0)
    run = climb.tip_run - beyond
    aloft = travel > climb.tip_travel
    on_ground = climb.path.pose(np.minimum(travel, climb.tip_travel))
    on_edge = climb.on_edge(run, nose_up)
    rate = np.where(nose_up > 0.0, -climb.tip_rate, 0.0)
    velocity_on_edge = climb.velocity_on_edge(run, nose_up, belt_speed, rate)
    return _join(
        t,
        aloft,
        (on_edge, (*velocity_on_edge, rate)),
        (on_ground, on_ground.velocity(belt_speed)),
        aloft & (nose_up == 0.0) & (run < 0.0),
    )


def descend_step(
    climb: StepClimb, belt_speed: float, time: Scalar, approach: float = 0.03
) -> StepMotion:
    """Return how a robot drives forward over the far edge of a step and down.

    It is the climb of the same track turned round, mirrored in X and run backward in time: the
    front overhangs until the centre of mass passes the edge; the body tips nose down at
    `tip_rate` while the belt runs on; when the front wheel is on the lower ground, the straight
    run, the rear wheel and then the riser follow. Phases keep their names and come in reverse
    order; X is zero at the far riser and positive over the lower ground, angles are nose up
    and so never positive.

    Args:
        climb: Robot and step; whether it could also climb the step does not matter.
        belt_speed: Speed of the belt, positive [m/s].
        time: Time since the start, one or many [s].
        approach: Distance of the front tangent point from the edge at time zero [m].

    Raises:
        InvalidValue: The belt does not drive forward, or drives so fast that the rear wheel
            is at the edge before the front wheel is on the ground.
    """
    _require_forward(belt_speed)
    turned = replace(climb, com_x=-climb.com_x)
    run_at_tip = 0.5 * climb.wheel_distance - climb.com_x
    run_at_landing = _find_landing_run(turned, run_at_tip, belt_speed)
    t = np.asarray(time, dtype=np.float64)
    run = belt_speed * t - approach
    landed = run >= run_at_landing
    tilt_rate = np.where(run > run_at_tip, turned.tip_rate, 0.0)
    tilt = tilt_rate * (run - run_at_tip) / belt_speed
    on_edge = turned.on_edge(run, tilt)
    backward = turned.velocity_on_edge(run, tilt, -belt_speed, tilt_rate)
    travel = np.minimum(turned.travel_of_run(run), turned.travel_of_run(run_at_landing))
    on_ground = turned.path.pose(travel)
    motion = _join(
        t,
        landed,
        (on_ground, on_ground.velocity(-belt_speed)),
        (on_edge, (*backward, tilt_rate)),
        landed & (travel <= 0.0),
    )
    return replace(
        motion,
        x=-motion.x,
        vx=-motion.vx,
        nose_up=-motion.nose_up,
        nose_up_rate=-motion.nose_up_rate,
    )


def _require_forward(belt_speed: float) -> None:
    if not 0.0 < belt_speed < np.inf:
        raise InvalidValue("belt_speed", belt_speed, "be positive and finite in a time series")


def _find_landing_run(turned: StepClimb, run_at_tip: float, belt_speed: float) -> float:
    """Return the run at which a body that tips at `tip_rate` reaches the lower ground."""

    def gap(run: float) -> float:
        tilt = turned.tip_rate * (run - run_at_tip) / belt_speed
        return float(turned.grounded_nose_up(run)) - tilt

    longest = turned.run_at_edge_start
    if gap(longest) > 0.0:
        fastest = turned.tip_rate * (longest - run_at_tip) / float(turned.grounded_nose_up(longest))
        raise InvalidValue(
            "belt_speed", belt_speed, f"be at most {fastest:.6g} m/s for the front to land in time"
        )
    return root_scalar(gap, bracket=(run_at_tip, longest), xtol=1e-15).root


def _join(
    time: NDArray[np.float64],
    first_holds: NDArray[np.bool_],
    first: tuple[StepPose, tuple[Scalar, Scalar, Scalar]],
    second: tuple[StepPose, tuple[Scalar, Scalar, Scalar]],
    finished: NDArray[np.bool_],
) -> StepMotion:
    """Return the motion that is `first` where it holds and `second` elsewhere."""
    (a, a_velocity), (b, b_velocity) = first, second
    vx, vz, rate = (
        np.where(first_holds, p, q)[()] for p, q in zip(a_velocity, b_velocity, strict=True)
    )
    return StepMotion(
        time=time[()],
        x=np.where(first_holds, a.x, b.x)[()],
        z=np.where(first_holds, a.z, b.z)[()],
        nose_up=np.where(first_holds, a.nose_up, b.nose_up)[()],
        vx=vx,
        vz=vz,
        nose_up_rate=rate,
        phase=np.where(first_holds, a.phase, b.phase)[()],
        alpha=np.where(first_holds, a.alpha, b.alpha)[()],
        run=np.where(first_holds, a.run, b.run)[()],
        finished=np.asarray(finished)[()],
    )
