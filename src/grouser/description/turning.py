"""How a four-wheel robot turns, as measured on it (P2)."""

from pydantic import Field

from grouser.description.schema import Factor, NotNegative, Number, Table


class Turning(Table):
    """What P2's geometric turning model takes from experiments."""

    offset_ahead: Number = Field(alias="offset_ahead_m")
    """Distance D of the point that does not slide sideways, ahead of the centre of gravity [m]."""
    speed_difference_slope: Factor = 1.0
    """True speed difference of the two sides per difference of the wheels' speeds, eq 19 [1]."""
    speed_difference_intercept: Number = Field(default=0.0, alias="speed_difference_intercept_m_s")
    """True speed difference that eq 19 adds in a turn [m/s]."""
    smallest_speed_difference: NotNegative = Field(
        default=0.0, alias="smallest_speed_difference_m_s"
    )
    """Difference of the wheels' speeds below which no turn was measured [m/s]."""
