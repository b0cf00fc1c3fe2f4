"""A robot climbing a step: where its centre of mass ends the climb, and the climb in time.

Source: P0 (Low et al.), section 2.1. The paper gives the riser, the turn on the edge, and that
the crossing ends when L_D falls below zero; the pitch-up, the tip and the level run in between
are a completion. Frame as in `step_path`.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Scalar
from grouser.laws.step_feasibility import height_limit, margin
from grouser.laws.step_path import StepPath, StepPose


@dataclass(frozen=True, slots=True, kw_only=True)
class StepClimb:
    """A track of a given mass distribution against a step of a given height.

    While the rear wheel is on the ground, `grounded` gives the pose as a function of belt
    travel alone. Once the centre of mass is above the edge, at `tip_travel`, the body turns at
    `tip_rate`: run and angle are then free, and `on_edge` gives the pose. On the edge the body
    turns nose down where `com_x_in_world` is positive and nose up where it is negative, until
    it lies level or its rear wheel is on the ground (`grounded_nose_up`).

    A climb in which the centre of mass never gets above the edge stalls: `stalls` is true,
    `tip_travel` infinite, and `grounded` stops at `end_travel`, where it is furthest forward.
    """

    radius: float
    """Outer radius of the wheels, belt included [m]."""
    wheel_distance: float
    """Distance between the wheel centres [m]."""
    height: float
    """Height of the step [m]."""
    com_x: float = 0.0
    """Centre of mass ahead of the midpoint of the wheel centres [m]."""
    com_z: float = 0.0
    """Centre of mass above the midpoint of the wheel centres [m]."""
    mode: Literal["exact", "paper"] = "exact"
    """Whether the pitching of the body is kept in the rolling condition, or neglected."""
    tip_rate: float = 2.0
    """Angular speed of the body while it tips, assumed [rad/s]."""
    path: StepPath = field(init=False, repr=False)
    """The path of the track while its rear wheel is on the ground."""
    stalls: bool = field(init=False)
    """Whether the centre of mass stays behind the edge."""
    tip_travel: float = field(init=False)
    """Belt travel at which the rear wheel lifts; infinite in a climb that stalls [m]."""
    end_travel: float = field(init=False)
    """Belt travel at which the climb tips or stalls [m]."""

    def __post_init__(self) -> None:
        path = StepPath(
            radius=self.radius,
            wheel_distance=self.wheel_distance,
            height=self.height,
            mode=self.mode,
        )
        half = 0.5 * self.wheel_distance
        if not -half < self.com_x < half:
            raise InvalidValue("step.com_x", self.com_x, f"lie between the wheels, within {half} m")
        if not -self.radius < self.com_z < np.inf:
            raise InvalidValue("step.com_z", self.com_z, f"be above the ground, -{self.radius} m")
        if not 0.0 < self.tip_rate < np.inf:
            raise InvalidValue("step.tip_rate", self.tip_rate, "be positive and finite")
        object.__setattr__(self, "path", path)
        end_run = self._find_end_run()
        stalls = self._com_x_grounded(end_run) < -1e-12
        end_travel = float(path.travel_of_run(end_run))
        object.__setattr__(self, "stalls", stalls)
        object.__setattr__(self, "end_travel", end_travel)
        object.__setattr__(self, "tip_travel", np.inf if stalls else end_travel)

    @property
    def riser_end_travel(self) -> float:
        """Belt travel at which the front wheel centre is level with the edge [m]."""
        return self.path.riser_end_travel

    @property
    def edge_end_travel(self) -> float:
        """Belt travel at which the straight run takes over from the front wheel [m]."""
        return self.path.edge_end_travel

    @property
    def run_at_edge_start(self) -> float:
        """Run L_D with which the straight run begins on the edge [m]."""
        return self.path.run_at_edge_start

    @property
    def front_x_at_contact(self) -> float:
        """X of the front wheel centre at first contact [m]."""
        return self.path.front_x_at_contact

    @property
    def tip_run(self) -> float:
        """Run L_D at which the climb tips or stalls [m]."""
        return float(self.path.run_of_travel(self.end_travel))

    @property
    def tip_nose_up(self) -> float:
        """Nose-up angle at which the climb tips or stalls [rad]."""
        return float(self.path.nose_up_of_run(self.tip_run))

    def grounded(self, travel: Scalar) -> StepPose:
        """Return the pose with the rear wheel on the ground after `travel` of belt.

        Args:
            travel: Belt travel since first contact, may fall as well as rise; negative is the
                approach. From `end_travel` on the pose is held, changes per travel are zero:
                the belt slips [m].
        """
        held = np.asarray(travel) > self.end_travel
        pose = self.path.pose(np.minimum(travel, self.end_travel))
        if not held.any():
            return pose
        moves = np.where(held, 0.0, 1.0)[()]
        return StepPose(
            x=pose.x,
            z=pose.z,
            nose_up=pose.nose_up,
            phase=pose.phase,
            alpha=pose.alpha,
            run=pose.run,
            x_per_travel=moves * pose.x_per_travel,
            z_per_travel=moves * pose.z_per_travel,
            nose_up_per_travel=moves * pose.nose_up_per_travel,
        )

    def on_edge(self, run: Scalar, nose_up: Scalar) -> StepPose:
        """Return the pose of the body that rests on the edge with its straight run.

        Args:
            run: Run L_D between rear tangent point and edge; falls with belt travel [m].
            nose_up: Angle of the body, zero when it lies on the upper ground [rad].
        """
        return self.path.on_edge(run, nose_up)

    def velocity_on_edge(
        self, run: Scalar, nose_up: Scalar, belt_speed: Scalar, nose_up_rate: Scalar
    ) -> tuple[Scalar, Scalar]:
        """Return V_X, V_Z of M while the body turns about the edge and the belt runs [m/s]."""
        return self.path.velocity_on_edge(run, nose_up, belt_speed, nose_up_rate)

    def grounded_nose_up(self, run: Scalar) -> Scalar:
        """Return the nose-up angle at which the rear wheel is on the ground, for a run [rad]."""
        return self.path.nose_up_of_run(run)

    def run_of_travel(self, travel: Scalar) -> Scalar:
        """Return the run L_D at a belt travel, for travels from `edge_end_travel` on [m]."""
        return self.path.run_of_travel(travel)

    def travel_of_run(self, run: Scalar) -> Scalar:
        """Return the belt travel at which the run is `run` [m]."""
        return self.path.travel_of_run(run)

    def com_x_in_world(self, pose: StepPose) -> Scalar:
        """Return how far the centre of mass is beyond the edge [m].

        G_X = M_X + c_x cos(phi) - c_z sin(phi)
        """
        return pose.x + self.com_x * np.cos(pose.nose_up) - self.com_z * np.sin(pose.nose_up)

    def _com_x_grounded(self, run: float) -> float:
        return float(self.com_x_in_world(self.on_edge(run, self.grounded_nose_up(run))))

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


def _require_forward(belt_speed: float) -> None:
    if not 0.0 < belt_speed < np.inf:
        raise InvalidValue("belt_speed", belt_speed, "be positive and finite in a time series")


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
