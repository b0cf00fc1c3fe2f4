"""What a fit means for a program that knows only differential drives."""

from dataclasses import dataclass

from grouser.errors import InvalidValue
from grouser.identify.family import Setting
from grouser.identify.fit import Fit

UNFIT = "family to export"
"""What is said of a family that a format has no place for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EquivalentDrive:
    """The differential drive that moves most alike.

    V_x = (m_r V_r + m_l V_l) / 2,  yaw rate = (m_r V_r - m_l V_l) / (separation B)
    """

    left_radius: float
    """Factor m_l on the left wheel's radius [1]."""
    right_radius: float
    """Factor m_r on the right wheel's radius [1]."""
    separation: float
    """Factor on the distance B of the wheels [1]."""


def equivalent_drive(fit: Fit, setting: Setting) -> EquivalentDrive:
    """Return the factors.

    Centres of rotation off the middle have no such drive: the middle is taken for them.

    Raises:
        InvalidValue: The family has no constant factors.
    """
    values, gauge = fit.values, setting.gauge
    match fit.family:
        case "ideal":
            return EquivalentDrive(left_radius=1.0, right_radius=1.0, separation=1.0)
        case "slip":
            return EquivalentDrive(
                left_radius=1.0 - values["slip_left"],
                right_radius=1.0 - values["slip_right"],
                separation=values["width"] / gauge,
            )
        case "icr":
            width = values["left_y"] - values["right_y"]
            return EquivalentDrive(left_radius=1.0, right_radius=1.0, separation=width / gauge)
        case "turning":
            factor = 1.0 / values["speed_difference_slope"]
            return EquivalentDrive(left_radius=1.0, right_radius=1.0, separation=factor)
        case "csm-icr":
            gain = values["linear_gain"]
            wider = gain / values["steering_efficiency"]
            return EquivalentDrive(left_radius=gain, right_radius=gain, separation=wider)
    raise InvalidValue(UNFIT, fit.family, "be ideal, slip, icr, turning or csm-icr")
