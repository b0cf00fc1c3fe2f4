"""From where one looks at a scene."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A camera in the world."""

    middle: tuple[float, float, float]
    """What is in the middle of the picture, in the world frame [m]."""
    azimuth: float
    """Direction in which the camera looks, counter-clockwise from world x [rad]."""
    elevation: float
    """How far it looks up; down is negative [rad]."""
    distance: float
    """How far it is away [m]."""
