"""What a robot drives on, beside its shape."""

from pydantic import Field

from grouser.description.schema import Factor, Friction, Table

GROUND = "ground"
"""Name of the surface of everything that names no other."""


class Surface(Table):
    """A surface, as a table `[surfaces.NAME]`."""

    friction: Friction = 0.8
    """Coefficient of friction between track and ground, along the track [1]."""
    friction_across: Friction = Field(default_factory=lambda data: data["friction"])
    """Coefficient of friction across the track; as along it when not given [1]."""
    slip_factor: Factor = 1.0
    """Slip here as a multiple of that on the surface where the robot's slip was measured [1]."""
