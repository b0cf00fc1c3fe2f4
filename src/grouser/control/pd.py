"""Proportional and derivative control of one quantity."""

from dataclasses import dataclass

from grouser.geometry import Scalar, clamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Pd:
    """u = clamp(kp e - kd r, +-limit): derivative on the measured rate, not on the reference.

    A step of the reference then gives no kick. Units are those of output over input.
    """

    kp: float
    """Output per error [output/error]."""
    kd: float = 0.0
    """Output per measured rate [output s/error]."""
    limit: float = float("inf")
    """Largest output, either way [output]."""

    def __call__(self, error: Scalar, rate: Scalar = 0.0) -> Scalar:
        """Return the output for an error, and the rate at which the quantity changes."""
        return clamp(self.kp * error - self.kd * rate, -self.limit, self.limit)
