"""The path of a track over a step while its rear wheel stays on the ground.

Frame of a step: X forward from the riser, Z up from the lower ground, so the edge is at
(0, height). M is the midpoint of the two wheel centres. Nose-up angles are positive here, as
in the source; REP-103 pitch is the negative of them.

Source: P0 (Low et al.), section 2.1 with its eq 6. The figures and most formulas of that part
are not legible in print, so they are derived here from the geometry that it describes: two
wheels of outer radius r at a distance d, straight runs between them, a step of height h.

A track that touches both ground and step has one degree of freedom. The belt does not slip on
the step, so every pose is a pure function of belt travel t since first contact, for any
belt did meanwhile: stand, reverse, vary. The slip of the rear wheel on the ground follows.

    riser     d sin(phi) + r phi = t                                          exact
              d sin(phi) = t                                                  paper
    edge      alpha + phi = (t - t_riser)/r + const,                          exact
              alpha = (t - t_riser)/r + const,                                paper
              d sin(phi) = h - r + r sin(alpha)
    pitch-up  s = s_start - (t - t_edge),   s sin(phi) - r cos(phi) = h - r

The paper neglects that the wheel turns less in space than in the body while the nose rises;
"exact" keeps it. The paper also lets the wheel turn on the edge up to alpha = 90 deg, where
the straight run has met the edge before: in "paper" mode phi jumps there (0.4 deg for TP100).

Left out: belt thickness changes, grousers, sinkage, wheels that are not round, inertia.
"""

from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.geometry import Scalar


class StepPhase(IntEnum):
    """Which part of the track touches what, in the order of a climb."""

    APPROACH = 0
    """Level on the lower ground, before the step."""
    RISER = 1
    """Front wheel climbs the riser, rear wheel on the ground."""
    EDGE = 2
    """Front wheel rolls over the edge, rear wheel on the ground."""
    PITCH_UP = 3
    """Straight run slides over the edge, rear wheel on the ground."""
    TIP = 4
    """Body turns about the edge, both wheels in the air."""
    LEVEL = 5
    """Belt lies on the upper ground."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPose:
    """Place and attitude of a track on a step, and how they change with belt travel."""

    x: Scalar
    """X of M [m]."""
    z: Scalar
    """Z of M [m]."""
    nose_up: Scalar
    """Angle of the track above level, positive nose up [rad]."""
    phase: StepPhase | NDArray[np.int64]
    """Which part touches what."""
    alpha: Scalar
    """Elevation of the front wheel centre seen from the edge, against backward; NaN unless the
    wheel is on the edge [rad]."""
    run: Scalar
    """Lower run between the rear tangent point and the edge, L_D of the source; NaN before the
    straight run is on the edge [m]."""
    x_per_travel: Scalar
    """Change of `x` per belt travel [1]."""
    z_per_travel: Scalar
    """Change of `z` per belt travel [1]."""
    nose_up_per_travel: Scalar
    """Change of `nose_up` per belt travel [rad/m]."""

    @property
    def pitch(self) -> Scalar:
        """Pitch as in REP-103, positive nose down [rad]."""
        return -self.nose_up

    def velocity(self, belt_speed: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Return V_X [m/s], V_Z [m/s] and nose-up rate [rad/s] of M at a belt speed [m/s]."""
        return (
            self.x_per_travel * belt_speed,
            self.z_per_travel * belt_speed,
            self.nose_up_per_travel * belt_speed,
        )


NEWTON_STEPS = 8
"""Enough for 1e-12 rad on any riser: the start is on the side from which Newton is monotone."""

Columns = NDArray[np.float64]
"""Rows x, z, nose_up, alpha, run, x', z', nose_up' of many poses (' is per belt travel)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPath:
    """A track against a step, rear wheel on the ground; frame as above."""

    radius: float
    """Outer radius of the wheels, belt included [m]."""
    wheel_distance: float
    """Distance between the wheel centres [m]."""
    height: float
    """Height of the step [m]."""
    mode: Literal["exact", "paper"] = "exact"
    """Whether the pitching of the body is kept in the rolling condition, or neglected."""
    alpha_at_contact: float = field(init=False)
    """Elevation of the wheel centre above the edge when it is first touched, 0 on a riser [rad]."""
    front_x_at_contact: float = field(init=False)
    """X of the front wheel centre at first contact [m]."""
    riser_end_travel: float = field(init=False)
    """Belt travel at which the wheel centre is level with the edge [m]."""
    edge_end_travel: float = field(init=False)
    """Belt travel at which the straight run takes over from the wheel [m]."""
    run_at_edge_start: float = field(init=False)
    """Run L_D with which the straight run begins on the edge [m]."""

    def __post_init__(self) -> None:
        r, d, h = self.radius, self.wheel_distance, self.height
        for name, value in (("radius", r), ("wheel_distance", d), ("height", h)):
            if not 0.0 < value < np.inf:
                raise InvalidValue(f"step.{name}", value, "be positive and finite")
        if self.mode not in ("exact", "paper"):
            raise InvalidValue("step.mode", self.mode, "be 'exact' or 'paper'")
        exact = self.mode == "exact"
        tallest = r + d if exact else d
        if not h < tallest:
            raise InvalidValue("step.height", h, f"be below {tallest:.6g} m to be within reach")
        rise = max(h - r, 0.0)
        nose_up = float(np.arcsin(rise / d))
        alpha = float(np.arcsin(max(r - h, 0.0) / r))
        riser_end = rise + r * nose_up if exact else rise
        turn_on_edge = np.pi / 2 - alpha - (nose_up if exact else 0.0)
        derived = {
            "alpha_at_contact": alpha,
            "front_x_at_contact": -r * float(np.cos(alpha)),
            "riser_end_travel": riser_end,
            "edge_end_travel": riser_end + r * float(turn_on_edge),
            "run_at_edge_start": d if exact else d - r * h / d,
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def run_of_travel(self, travel: Scalar) -> Scalar:
        """Return the run L_D at a belt travel since first contact, s = s_start - (t - t_edge) [m].

        Valid from `edge_end_travel` on.
        """
        return self.run_at_edge_start + self.edge_end_travel - travel

    def travel_of_run(self, run: Scalar) -> Scalar:
        """Return the belt travel since first contact at which the run is `run` [m]."""
        return self.run_at_edge_start + self.edge_end_travel - run

    def nose_up_of_run(self, run: Scalar) -> Scalar:
        """Return the nose-up angle with rear wheel on the ground and run L_D = s [rad].

        s sin(phi) - r cos(phi) = h - r
        """
        r, h = self.radius, self.height
        reach = np.hypot(run, r)
        return np.arcsin(np.clip((h - r) / reach, -1.0, 1.0)) + np.arctan2(r, run)

    def pose(self, travel: Scalar) -> StepPose:
        """Return the pose after `travel` metres of belt since first contact.

        Negative travel is the approach. There is no end: where the climb tips or stalls is not
        a matter of this path but of the centre of mass.
        """
        t = np.asarray(travel, dtype=np.float64)
        phase = np.asarray(
            (t > 0.0).astype(np.int64) + (t > self.riser_end_travel) + (t > self.edge_end_travel)
        )
        laws = (self._approach, self._riser, self._edge, self._pitch_up)
        if t.ndim == 0:
            return assemble_pose(laws[int(phase)](t), phase)
        columns = np.empty((8, *t.shape))
        for number, law in enumerate(laws):
            chosen = phase == number
            if chosen.any():
                columns[:, chosen] = law(t[chosen])
        return assemble_pose(columns, phase)

    def on_edge(self, run: Scalar, nose_up: Scalar) -> StepPose:
        """Return the pose of a track that rests on the edge with its straight run.

        M = (-r sin(phi) - (s - d/2) cos(phi),  h + r cos(phi) - (s - d/2) sin(phi))

        The angle is free here (the rear wheel may be in the air), so the changes per belt
        travel are those at a constant angle, with ds = -dt. The run L_D is that between rear
        tangent point and edge, negative past it [m]; the angle is zero on the upper ground [rad].
        """
        run, nose_up = np.broadcast_arrays(np.asarray(run, float), np.asarray(nose_up, float))
        cos, sin = np.cos(nose_up), np.sin(nose_up)
        x, z = self._midpoint_on_edge(run, cos, sin)
        none, still = np.full_like(run, np.nan), np.zeros_like(run)
        phase = np.where(nose_up > 0.0, StepPhase.TIP, StepPhase.LEVEL)
        return assemble_pose(np.stack((x, z, nose_up, none, run, cos, sin, still)), phase)

    def velocity_on_edge(
        self, run: Scalar, nose_up: Scalar, belt_speed: Scalar, nose_up_rate: Scalar
    ) -> tuple[Scalar, Scalar]:
        """Return V_X, V_Z of M while the body turns about the edge and the belt runs [m/s].

        V_X = v cos(phi) + (-r cos(phi) + (s - d/2) sin(phi)) phi'
        V_Z = v sin(phi) - ( r sin(phi) + (s - d/2) cos(phi)) phi'
        """
        cos, sin = np.cos(nose_up), np.sin(nose_up)
        behind = run - 0.5 * self.wheel_distance
        vx = belt_speed * cos + (-self.radius * cos + behind * sin) * nose_up_rate
        vz = belt_speed * sin - (self.radius * sin + behind * cos) * nose_up_rate
        return vx, vz

    def _approach(self, t: Columns) -> Columns:
        x = self.front_x_at_contact - 0.5 * self.wheel_distance + t
        zero, none = np.zeros_like(t), np.full_like(t, np.nan)
        return np.stack((x, zero + self.radius, zero, none, none, zero + 1.0, zero, zero))

    def _riser(self, t: Columns) -> Columns:
        r, d = self.radius, self.wheel_distance
        if self.mode == "paper":
            phi = np.arcsin(t / d)
            turn = 1.0 / (d * np.cos(phi))
        else:
            phi = t / (d + r)
            for _ in range(NEWTON_STEPS):
                phi = phi - (d * np.sin(phi) + r * phi - t) / (d * np.cos(phi) + r)
            turn = 1.0 / (d * np.cos(phi) + r)
        cos, sin, none = 0.5 * d * np.cos(phi), 0.5 * d * np.sin(phi), np.full_like(t, np.nan)
        return np.stack((-r - cos, r + sin, phi, none, none, sin * turn, cos * turn, turn))

    def _edge(self, t: Columns) -> Columns:
        r, d, rise = self.radius, self.wheel_distance, self.height - self.radius
        rolled = (t - self.riser_end_travel) / r + self.alpha_at_contact
        if self.mode == "paper":
            alpha = rolled
            phi = np.arcsin((rise + r * np.sin(alpha)) / d)
            alpha_turn = 1.0 / r
        else:
            # With alpha = total - phi the condition is linear in sin(phi) and cos(phi).
            total = rolled + np.arcsin(max(rise, 0.0) / d)
            along, across = d + r * np.cos(total), r * np.sin(total)
            phi = np.arcsin(rise / np.hypot(along, across)) + np.arctan2(across, along)
            alpha = total - phi
            alpha_turn = d * np.cos(phi) / (r * (d * np.cos(phi) + r * np.cos(alpha)))
        turn = r * np.cos(alpha) * alpha_turn / (d * np.cos(phi))
        cos, sin = 0.5 * d * np.cos(phi), 0.5 * d * np.sin(phi)
        x, z = -r * np.cos(alpha) - cos, r + sin
        dx = r * np.sin(alpha) * alpha_turn + sin * turn
        return np.stack((x, z, phi, alpha, np.full_like(t, np.nan), dx, cos * turn, turn))

    def _pitch_up(self, t: Columns) -> Columns:
        run = self.run_at_edge_start + self.edge_end_travel - t
        phi = np.asarray(self.nose_up_of_run(run))
        cos, sin, none = np.cos(phi), np.sin(phi), np.full_like(t, np.nan)
        turn = sin / (run * cos + self.radius * sin)
        x, z = self._midpoint_on_edge(run, cos, sin)
        dx, dz = self.velocity_on_edge(run, phi, 1.0, turn)
        return np.stack((x, z, phi, none, run, np.asarray(dx), np.asarray(dz), turn))

    def _midpoint_on_edge(
        self, run: Columns, cos: Columns, sin: Columns
    ) -> tuple[Columns, Columns]:
        behind = run - 0.5 * self.wheel_distance
        return -self.radius * sin - behind * cos, self.height + self.radius * cos - behind * sin


def assemble_pose(columns: Columns, phase: NDArray[np.int64]) -> StepPose:
    """Return the pose whose numbers are the rows of `columns`, floats if it is a single one."""
    rows = columns.tolist() if columns.ndim == 1 else list(columns)
    names = [field.name for field in fields(StepPose) if field.name != "phase"]
    which = StepPhase(int(phase)) if columns.ndim == 1 else phase
    return StepPose(phase=which, **dict(zip(names, rows, strict=True)))
