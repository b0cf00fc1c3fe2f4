"""The seven manoeuvres of P3: what the robot was asked to follow on the treadmill.

Amplitudes and tilts are printed; frequency, period and the first edge are lost and assumed
(0.1 Hz, 10 s, at 5 s). P3's first step in y is to its right, which is negative here.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from grouser.errors import UnknownName

START, HALF_PERIOD, FREQUENCY = 5.0, 10.0, 0.1
"""First edge [s], time between edges [s], frequency of sines [Hz] [A]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manoeuvre:
    """A reference over time, on a treadmill that may be tilted."""

    name: str
    """What it is called, as in `step-y-pitched`."""
    title: str
    """What it is, in words."""
    figure: int
    """Number of P3's figure."""
    shape: Literal["sine", "square"]
    """How the reference moves."""
    x: float = 0.0
    """Amplitude along the belt [m]."""
    y: float = 0.0
    """Amplitude across the belt, negative to begin to the right [m]."""
    slope: float = 0.0
    """Pitch of the treadmill as P3 counts it, uphill positive [rad]."""
    roll: float = 0.0
    """Roll of the treadmill, right side down positive [rad]."""

    def wave(self, time: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the reference relative to its amplitude [1]."""
        since = np.asarray(time, dtype=float) - START + 1e-9  # ticks are rounded multiples
        if self.shape == "sine":
            wave = np.sin(2.0 * np.pi * FREQUENCY * (since - 1e-9))
        else:
            wave = np.where(np.floor(since / HALF_PERIOD) % 2.0 == 0.0, 1.0, -1.0)
        return np.where(since >= 0.0, wave, 0.0)

    def references(self, time: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return x [m], y [m] and yaw [rad] to follow at each time."""
        wave = self.wave(time)
        return np.stack((self.x * wave, self.y * wave, 0.0 * wave), axis=-1)

    def at(self, time: float) -> tuple[float, float, float]:
        """Return x [m], y [m] and yaw [rad] to follow at one time."""
        x, y, yaw = self.references(np.array(time))
        return float(x), float(y), float(yaw)


def _all() -> tuple[Manoeuvre, ...]:
    tilt = float(np.deg2rad(2.0))
    return (
        Manoeuvre(name="sine-x", title="Sine along, 10 cm", figure=12, shape="sine", x=0.1),
        Manoeuvre(name="sine-y", title="Sine across, 5 cm", figure=11, shape="sine", y=-0.05),
        Manoeuvre(name="step-x", title="Steps along, 10 cm", figure=14, shape="square", x=0.1),
        Manoeuvre(name="step-y", title="Steps across, 10 cm", figure=13, shape="square", y=-0.1),
        Manoeuvre(
            name="step-xy", title="Steps along and across, 5 cm", figure=15, shape="square",
            x=0.05, y=-0.05,
        ),
        Manoeuvre(
            name="step-y-pitched", title="Steps across, 10 cm, 2 degrees uphill", figure=16,
            shape="square", y=-0.1, slope=tilt,
        ),
        Manoeuvre(
            name="step-y-rolled", title="Steps across, 10 cm, rolled by -2 degrees", figure=17,
            shape="square", y=-0.1, roll=-tilt,
        ),
    )  # fmt: skip


MANOEUVRES: dict[str, Manoeuvre] = {manoeuvre.name: manoeuvre for manoeuvre in _all()}
"""The seven, in the order of P3's Table 4."""


def find_manoeuvre(name: str) -> Manoeuvre:
    """Return a manoeuvre by its name.

    Raises:
        UnknownName: There is none of that name.
    """
    if name not in MANOEUVRES:
        raise UnknownName("manoeuvre", name, MANOEUVRES)
    return MANOEUVRES[name]
