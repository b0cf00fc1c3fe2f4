"""Wheels."""

from pydantic import Field

from grouser.description.schema import NotNegative, Number, PartName, Positive, Side, Table


class Wheel(Table):
    """A driven wheel that stands on the ground: its axle is one radius above z = 0."""

    name: PartName
    """What it is called; unique in the robot."""
    side: Side
    """On which side of the hull it is; all wheels of a side turn alike unless told otherwise."""
    x: Number = Field(alias="x_m")
    """Axle along x, in the body frame [m]."""
    y: Number = Field(alias="y_m")
    """Middle of the wheel along y, in the body frame [m]."""
    radius: Positive = Field(alias="radius_m")
    """Rolling radius [m]."""
    width: Positive = Field(alias="width_m")
    """Width of the tyre [m]."""
    mass: NotNegative = Field(default=0.0, alias="mass_kg")
    """Mass that is not counted in the body's [kg]."""

    @property
    def centre(self) -> tuple[float, float, float]:
        """Middle of the wheel in the body frame [m]."""
        return self.x, self.y, self.radius
