"""Differential drive that moves as a fit does, for formats that hold no other."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grouser.errors import InvalidValue
from grouser.geometry import Array
from grouser.identify.family import KnownRobot
from grouser.identify.fit import Fit
from grouser.laws.smooth_slip import TERMS, DrivenRange, WayRange, smooth_terms

UNFIT = "family to export"
"""Subject of the error message for a family that a format cannot hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EquivalentDrive:
    """Differential drive with the motion closest to that of a fit.

    V_x = (m_r V_r + m_l V_l) / 2,  yaw rate = (m_r V_r - m_l V_l) / (separation B)
    """

    left_radius: float = 1.0
    """Factor m_l on the left wheel's radius [1]."""
    right_radius: float = 1.0
    """Factor m_r on the right wheel's radius [1]."""
    separation: float = 1.0
    """Factor on the distance B of the wheels [1]."""


def equivalent_drive(fit: Fit, known_robot: KnownRobot) -> EquivalentDrive:
    """Return the equivalent symmetric differential drive; InvalidValue if the family has none."""
    values, gauge = fit.values, known_robot.gauge
    match fit.family:
        case "ideal":
            return EquivalentDrive()
        case "slip":
            return _with_slips(values, values["width"] / gauge)
        case "icr" | "icr-slip" | "icr-drift":
            return _with_slips(values, (values["left_y"] - values["right_y"]) / gauge)
        case "smooth":
            return _nearest_drive(smooth_coefficients(values), driven_range(fit))
        case "turning":
            return EquivalentDrive(separation=1.0 / values["speed_difference_slope"])
        case "csm-icr":
            gain = values["linear_gain"]
            wider = gain / values["steering_efficiency"]
            return EquivalentDrive(left_radius=gain, right_radius=gain, separation=wider)
    able = "ideal, slip, icr, icr-slip, icr-drift, smooth, turning or csm-icr"
    raise InvalidValue(UNFIT, fit.family, f"be {able}")


def _with_slips(values: Mapping[str, float], separation: float) -> EquivalentDrive:
    return EquivalentDrive(
        left_radius=1.0 - values.get("slip_left", 0.0),
        right_radius=1.0 - values.get("slip_right", 0.0),
        separation=separation,
    )


GRID = 12
"""Number of speeds, and of contrasts, at which smooth terms are compared with a drive [1]."""


def _nearest_drive(
    coefficients: tuple[tuple[float, ...], ...], driven: DrivenRange
) -> EquivalentDrive:
    """Return the drive nearest to smooth terms over the range that was driven.

    Least squares of forward speed and of yaw rate times half the gauge, both in m/s and linear
    in the radii for a given separation, and in its inverse for given radii: solved in turn.
    """
    left, right = _belts_within(driven)
    forward, yaw, _ = (np.stack(np.broadcast_arrays(*terms)) for terms in
                       smooth_terms(left, right, driven.speed))  # fmt: skip
    wanted = np.concatenate([np.array(coefficients[0]) @ forward, np.array(coefficients[1]) @ yaw])
    radii, share = np.ones(2), 1.0
    for _ in range(1000):
        sides = np.concatenate([[left, right], share * np.array([-left, right])], axis=1)
        now = np.linalg.lstsq(0.5 * sides.T, wanted, rcond=None)[0]
        turn = 0.5 * (now[1] * right - now[0] * left)
        next_share = float(turn @ wanted[left.size :] / (turn @ turn))
        change = max(abs(next_share - share), float(np.abs(now - radii).max()))
        radii, share = now, next_share
        if change < 1e-12:
            break
    if not share > 0.0:
        raise InvalidValue(UNFIT, "smooth", "turn to the side of the slower belt")
    return EquivalentDrive(
        left_radius=float(radii[0]), right_radius=float(radii[1]), separation=1.0 / share
    )


def _belts_within(driven: DrivenRange) -> tuple[Array, Array]:
    """Return left and right belt speeds that fill a range, as far as each way was driven."""
    contrasts = np.linspace(driven.contrast_low, driven.contrast_high, GRID)
    speeds = driven.speed * np.arange(1, GRID + 1) / GRID
    speed, contrast, ahead, side = (
        axis.ravel() for axis in np.meshgrid(speeds, contrasts, (1.0, -1.0), (1.0, -1.0))
    )
    mean, half = ahead * (1.0 - contrast) * speed, side * contrast * speed
    left, right = mean - half, mean + half
    inside = np.asarray(driven.weight(left, right)) > 0.0
    return (left[inside], right[inside]) if inside.any() else (left, right)


def smooth_coefficients(values: Mapping[str, float]) -> tuple[tuple[float, ...], ...]:
    """Return the coefficients of the smooth terms."""
    parts = zip(("forward", "yaw", "leftward"), TERMS, strict=True)
    return tuple(tuple(values[f"{name}_{i}"] for i in range(count)) for name, count in parts)


def driven_range(fit: Fit) -> DrivenRange:
    """Return the range of belt speeds that a smooth fit is from."""
    driven = fit.details["driven"]
    low, high = driven["contrast_low"], driven["contrast_high"]
    ways = {
        name: WayRange(speed=way["speed_m_s"], right=way["right"], left=way["left"])
        for name, way in fit.details.get("driven_ways", {}).items()
    }
    return DrivenRange(speed=driven["speed_m_s"], contrast_low=low, contrast_high=high, **ways)
