"""How one robot looks at one moment."""

from dataclasses import dataclass

from grouser.geometry import Pose
from grouser.models import Contact


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """All that a picture of a robot needs, whether a plant, a log or a real robot gave it."""

    pose: Pose
    """Body frame in the world frame."""
    belt_travels: tuple[float, ...]
    """How far each drive's belt or rim has run since the start, in the robot's order [m]."""
    flipper_angles: tuple[float, ...] = ()
    """Angle of each flipper about body y, positive lowers its front end [rad]."""
    contacts: tuple[Contact, ...] = ()
    """Where it touches the ground, from models that tell."""
