"""How far the real belts run for what the board says of them."""

import math
from dataclasses import dataclass

from grouser.description import Robot
from grouser.hil.messages import LARGEST_SPEED, SPEED_STEP, State
from grouser.hil.track_plant import WHEEL_RADIUS

SIDES = ("left", "right")
"""In the order of every pair here."""

NO_LIMIT = (math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class BeltScale:
    """The board believes in a wheel of 24 mm; the robot's file knows better, for each side."""

    left: float = 1.0
    """True travel over the board's, left [1]."""
    right: float = 1.0
    """True travel over the board's, right [1]."""
    limits: tuple[tuple[float, float], tuple[float, float]] = (NO_LIMIT, NO_LIMIT)
    """Fastest that each belt can run forward and backward, where that was measured [m/s]."""

    @classmethod
    def of(cls, robot: Robot) -> "BeltScale":
        """Return the scale by the robot's encoders and its speed map."""
        encoder, speed_map = robot.sensors.encoder, robot.drive.speed_map
        radius = WHEEL_RADIUS if encoder is None else encoder.wheel_radius
        left, right = (1.0, 1.0) if encoder is None else (encoder.scale_left, encoder.scale_right)
        factors = left * radius / WHEEL_RADIUS, right * radius / WHEEL_RADIUS
        if speed_map is None:
            return cls(*factors)
        limits = tuple(
            (speed_map.top_speed(side, forward=True), speed_map.top_speed(side, forward=False))
            for side in ("left", "right")
        )
        return cls(*factors, limits)  # type: ignore[arg-type]

    def speeds(self, state: State) -> tuple[float, float]:
        """Return the measured belt speeds, left and right [m/s]."""
        return self.true_speeds(*state.speeds)

    def true_speeds(self, left: float, right: float) -> tuple[float, float]:
        """Return how fast belts run when the board believes these speeds [m/s]."""
        return self.left * left, self.right * right

    def count_lengths(self, counts_per_revolution: int) -> tuple[float, float]:
        """Return how far each belt runs for one count of the board [m]."""
        length = 2.0 * math.pi * WHEEL_RADIUS / counts_per_revolution
        return self.left * length, self.right * length

    def setpoints(self, left: float, right: float) -> tuple[float, float]:
        """Return what to ask of the board so that the belts run at these speeds [m/s].

        Where a belt cannot, both are slowed down together, so that the curvature stays.
        """
        wire = LARGEST_SPEED * SPEED_STEP
        shares = [
            abs(speed) / min(wire * factor, most[0] if speed > 0.0 else most[1])
            for speed, factor, most in zip(
                (left, right), (self.left, self.right), self.limits, strict=True
            )
        ]
        slower = 1.0 / max(1.0, *shares)
        return slower * left / self.left, slower * right / self.right
