"""A robot climbing a step: where its centre of mass ends the climb, and the climb in time.

Source: P0 (Low et al.), section 2.1. The paper gives the riser, the turn on the edge, and that
the crossing ends when L_D falls below zero; the pitch-up, the tip and the level run in between
are a completion. Frame as in `step_path`.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Scalar
from grouser.laws.step_feasibility import height_limit, margin
from grouser.laws.step_path import StepPath, StepPose


@dataclass(frozen=True, slots=True, kw_only=True)
class StepClimb(StepPath):
    """A track of a given mass distribution against a step of a given height.

    While the rear wheel is on the ground, `grounded` gives the pose as a function of belt
    travel alone. Once the centre of mass is above the edge, at `tip_travel`, the body turns at
    `tip_rate`: run and angle are then free, and `on_edge` gives the pose. On the edge the body
    turns nose down where `com_x_in_world` is positive and nose up where it is negative, until
    it lies level or its rear wheel is on the ground (`nose_up_of_run`).

    A climb in which the centre of mass never gets above the edge stalls: `stalls` is true,
    `tip_travel` infinite, and `grounded` stops at `end_travel`, where it is furthest forward.
    """

    com_x: float = 0.0
    """Centre of mass ahead of the midpoint of the wheel centres [m]."""
    com_z: float = 0.0
    """Centre of mass above the midpoint of the wheel centres [m]."""
    tip_rate: float = 2.0
    """Angular speed of the body while it tips, assumed [rad/s]."""
    stalls: bool = field(init=False)
    """Whether the centre of mass stays behind the edge."""
    tip_travel: float = field(init=False)
    """Belt travel at which the rear wheel lifts; infinite in a climb that stalls [m]."""
    end_travel: float = field(init=False)
    """Belt travel at which the climb tips or stalls [m]."""

    def __post_init__(self) -> None:
        StepPath.__post_init__(self)
        half = 0.5 * self.wheel_distance
        if not -half < self.com_x < half:
            raise InvalidValue("step.com_x", self.com_x, f"lie between the wheels, within {half} m")
        if not -self.radius < self.com_z < np.inf:
            raise InvalidValue("step.com_z", self.com_z, f"be above the ground, -{self.radius} m")
        if not 0.0 < self.tip_rate < np.inf:
            raise InvalidValue("step.tip_rate", self.tip_rate, "be positive and finite")
        end_run = self._find_end_run()
        stalls = self._com_x_grounded(end_run) < -1e-12
        end_travel = float(self.travel_of_run(end_run))
        object.__setattr__(self, "stalls", stalls)
        object.__setattr__(self, "end_travel", end_travel)
        object.__setattr__(self, "tip_travel", np.inf if stalls else end_travel)

    @property
    def tip_run(self) -> float:
        """Run L_D at which the climb tips or stalls [m]."""
        return float(self.run_of_travel(self.end_travel))

    @property
    def tip_nose_up(self) -> float:
        """Nose-up angle at which the climb tips or stalls [rad]."""
        return float(self.nose_up_of_run(self.tip_run))

    def grounded(self, travel: Scalar) -> StepPose:
        """Return the pose with the rear wheel on the ground after `travel` of belt [m].

        From `end_travel` on the pose is held, changes per travel are zero: the belt slips.
        """
        held = np.asarray(travel) > self.end_travel
        pose = self.pose(np.minimum(travel, self.end_travel))
        if not held.any():
            return pose
        moves = np.where(held, 0.0, 1.0)[()]
        names = ("x_per_travel", "z_per_travel", "nose_up_per_travel")
        return replace(pose, **{name: moves * getattr(pose, name) for name in names})

    def com_x_in_world(self, pose: StepPose) -> Scalar:
        """Return how far the centre of mass is beyond the edge [m].

        G_X = M_X + c_x cos(phi) - c_z sin(phi)
        """
        return pose.x + self.com_x * np.cos(pose.nose_up) - self.com_z * np.sin(pose.nose_up)

    def _com_x_grounded(self, run: float) -> float:
        return float(self.com_x_in_world(self.on_edge(run, self.nose_up_of_run(run))))

    def _find_end_run(self) -> float:
        """Return the run at which G_X first reaches zero, or is largest if it never does."""
        start = self.run_at_edge_start
        best = margin(self.radius, self.wheel_distance, self.height, self.com_x, self.com_z)
        furthest = min(float(best.run), start)
        if self._com_x_grounded(start) >= 0.0:
            return start
        if self._com_x_grounded(furthest) <= 0.0:
            return furthest
        from scipy.optimize import root_scalar

        return root_scalar(self._com_x_grounded, bracket=(furthest, start), xtol=1e-15).root


@dataclass(frozen=True, slots=True, kw_only=True)
class StepMotion:
    """How a track moves on a step at given times; frame as in `step_path`."""

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
    """Whether the step is crossed."""

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

    `time` [s] counts from the start of the approach, `approach` [m] before the step is touched.
    """
    if not 0.0 < belt_speed < np.inf:
        raise InvalidValue("belt_speed", belt_speed, "be positive and finite in a time series")
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
    rate = np.where(nose_up > 0.0, -climb.tip_rate, 0.0)
    on_edge, on_ground = (
        climb.on_edge(run, nose_up),
        climb.pose(np.minimum(travel, climb.tip_travel)),
    )
    velocities = (
        (*climb.velocity_on_edge(run, nose_up, belt_speed, rate), rate),
        on_ground.velocity(belt_speed),
    )
    names = ("x", "z", "nose_up", "phase", "alpha", "run")
    found = {n: np.where(aloft, getattr(on_edge, n), getattr(on_ground, n))[()] for n in names}
    vx, vz, turning = (np.where(aloft, a, b)[()] for a, b in zip(*velocities, strict=True))
    finished = np.asarray(aloft & (nose_up == 0.0) & (run < 0.0))[()]
    return StepMotion(time=t[()], vx=vx, vz=vz, nose_up_rate=turning, finished=finished, **found)
