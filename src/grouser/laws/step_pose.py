"""Where a track is on a step, seen from the side.

Frame of a step: X forward from the riser, Z up from the lower ground, so the edge is at
(0, height). M is the midpoint of the two wheel centres. Nose-up angles are positive here, as
in the source; REP-103 pitch is the negative of them.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

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
