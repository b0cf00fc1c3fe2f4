"""Robots that differ from the model in one thing: hypotheses on why P3's model has errors.

P3's trajectories are lost. What remains is Table 4: which manoeuvre has the largest error, for
each state and statistic. A population of robots is drawn for each thing that the model may have
wrong; the shares of robots with P3's order show which of them is consistent with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from grouser.geometry import Scalar
from grouser.models.planar.constants import Constants, TorqueCurve
from grouser.papers.p3.motor_maps import MOTORS

PEAK = 0.25
"""Of both largest forces: P3 could measure neither, its robot slipped off before [1]."""
SLOPE, SHAPE = 0.10, 0.10
"""Of slopes, read from scattered points, and of shapes, taken over from tyres [1]."""
SHIFT = 0.20
"""Of S_h, two printed digits [1]."""
DEAD_ZONE = 0.50
"""Of dead zones: the curves of Fig 9 were fitted on both sides of a jump [1]."""
MOTOR = 0.10
"""Of torques, for each motor and sign: P3 fitted four curves [1]."""
BODY = 0.25
"""Of I_z and z_CG: P3 does not say that they were measured; boxes are off by 28 % [1]."""
LATE = 2
"""Delay of commands by bus and amplifier, 20 ms [samples]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """What a robot has different from the model, by uniform factors around one."""

    name: str
    """What differs, in words."""
    track: bool = False
    """Whether the curve of the tracks' force differs."""
    lateral: bool = False
    """Whether the curve of the lateral force differs."""
    dead_zone: bool = False
    """Whether the dead zones of the motors differ."""
    motors: bool = False
    """Whether the torques of the motors differ, each for itself."""
    body: bool = False
    """Whether inertia and height differ."""
    delay: int = 0
    """By how much commands come late [samples]."""

    def draw(self, model: Constants, count: int, generator: Generator) -> Constants:
        """Return robots that differ from so many models."""
        changes: dict[str, object] = {}
        if self.track:
            changes |= _draw_curve("track", model, count, generator)
            changes["shift"] = model.shift * _factors(SHIFT, count, generator)
        if self.lateral:
            changes |= _draw_curve("lateral", model, count, generator)
        if self.body:
            changes["inertia"] = model.inertia * _factors(BODY, count, generator)
            changes["com_height"] = model.com_height * _factors(BODY, count, generator)
        dead = _factors(DEAD_ZONE if self.dead_zone else 0.0, count, generator)
        for name in MOTORS:
            torque = _factors(MOTOR if self.motors else 0.0, count, generator)
            changes[name] = _scale_map(getattr(model, name), dead, torque)
        return model._replace(**changes)  # pyright: ignore[reportArgumentType]


def _factors(width: float, count: int, generator: Generator) -> NDArray[np.float64]:
    return generator.uniform(1.0 - width, 1.0 + width, count)


def _scale_map(curve: TorqueCurve, dead: Scalar, torque: Scalar) -> TorqueCurve:
    dead_zone, jump, gain, limit = curve
    return dead_zone * dead, jump * torque, gain * torque, limit * torque


def _draw_curve(
    kind: str, model: Constants, count: int, generator: Generator
) -> Mapping[str, NDArray[np.float64]]:
    """Return another peak, slope and shape; the stiffness factor follows by P3 eq 4."""
    peak, slope, shape = (_factors(width, count, generator) for width in (PEAK, SLOPE, SHAPE))
    return {
        f"{kind}_limit": getattr(model, f"{kind}_limit") * peak,
        f"{kind}_shape": getattr(model, f"{kind}_shape") * shape,
        f"{kind}_stiffness": getattr(model, f"{kind}_stiffness") * slope / (peak * shape),
    }


HYPOTHESES = {
    hypothesis.name: hypothesis
    for hypothesis in (
        Hypothesis(name="dead zone", dead_zone=True),
        Hypothesis(name="longitudinal curve", track=True),
        Hypothesis(name="motors", motors=True),
        Hypothesis(name="lateral curve", lateral=True),
        Hypothesis(name="inertia and height", body=True),
        Hypothesis(name="delay", delay=LATE),
        Hypothesis(
            name="all", track=True, lateral=True, dead_zone=True, motors=True, body=True, delay=LATE
        ),
    )
}
"""What P3's robot may have different from its model, by name; the last differs in everything."""
