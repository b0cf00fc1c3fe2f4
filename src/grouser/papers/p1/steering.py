"""Rotate and circular together: the gain that suits one, and what it does to the other.

P1's search found no parameters of `csm` that suit both scenarios: with the best ones it turned too
fast on the circle. Recordings of the real robot are lost, so that the circle is compared with its
command. For any model one gain makes the robot rotate by 6.0 rad; with this gain it drives the
circle, and the angle that it turns by is divided by the commanded one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grouser.errors import NotFinite
from grouser.papers.p1.comparison import drive_scenario
from grouser.papers.p1.scenarios import ANGULAR, GAUGE, SCENARIOS, P1Model
from grouser.papers.variation import AS_STATED, Variation

TARGET = 6.0
"""Angle to rotate by [rad]."""
COMMANDED = 0.2 / GAUGE * 10.0
"""Angle that the circle's belt speeds ask for in 10 s [rad]."""
CLOSE = 0.1
"""How near to the target is near enough; what is left is divided out [rad]."""
MOST_GAIN = 5.0
"""Largest gain that is tried: belts then run at the robot's limit [1]."""
MOST_DRIVES = 8
"""Drives in which the gain is found, or is not [1]."""
VECTORS = 20
"""Random vectors of friction and efficiency for which the ratio is found, too [1]."""
TOO_FAST = 1.05
"""Ratio from which a robot turns too fast on the circle: P1 prints no number; 5 % are 14 degrees
at the end of the drive [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turning:
    """A model that was made to rotate as commanded, on the circle."""

    gain: float
    """Angular gain with which it rotates by 6.0 rad [1]."""
    rotated: float
    """Angle that it rotated by [rad]."""
    ratio: float
    """Angle on the circle over that of the command, over the same of `rotate`, which is nearly 1
    [1]."""


def find_turning(
    model: P1Model, values: Mapping[str, float], variation: Variation = AS_STATED
) -> Turning | None:
    """Return how a model drives the circle with the gain that suits `rotate`; None if none does."""
    gain = values.get(ANGULAR.name, 1.0)
    low, high = (0.0, 0.0), (MOST_GAIN, np.inf)  # gain and angle, below and above the target
    for _ in range(MOST_DRIVES):
        rotated = _turn("rotate", model, values, gain, variation)
        if abs(rotated - TARGET) < CLOSE:
            turned = _turn("circular", model, values, gain, variation)
            ratio = turned / COMMANDED / (rotated / TARGET)
            return Turning(gain=gain, rotated=rotated, ratio=ratio)
        low, high = (low, (gain, rotated)) if rotated > TARGET else ((gain, rotated), high)
        if np.isinf(high[1]):
            gain = min(gain * min(TARGET / max(rotated, 0.5 * TARGET), 2.0), MOST_GAIN)
        else:
            share = (TARGET - low[1]) / (high[1] - low[1])
            gain = low[0] + float(np.clip(share, 0.1, 0.9)) * (high[0] - low[0])
    return None


def draw_turnings(
    model: P1Model, variation: Variation = AS_STATED, vectors: int = VECTORS
) -> list[Turning]:
    """Return the turnings of random values of all parameters, gains as at their start."""
    random = np.random.default_rng(variation.seed)
    found = []
    for _ in range(vectors):
        values = {
            k.name: float(random.uniform(k.low, k.high))
            for k in model.parameters
            if not k.name.endswith("_gain")
        }
        turning = find_turning(model, values, variation)
        if turning is not None:
            found.append(turning)
    return found


def _turn(
    name: str, model: P1Model, values: Mapping[str, float], gain: float, variation: Variation
) -> float:
    """Return the angle that a robot turns by in a scenario; 0 if it diverges [rad]."""
    (scenario,) = (s for s in SCENARIOS if s.name == name)
    loaded = variation.vary_loaded(model.load(scenario.scenario, {**values, ANGULAR.name: gain}))
    try:
        drive, _ = drive_scenario(loaded, 0)
    except NotFinite:
        return 0.0
    return drive.yaw - float(drive.start.yaw)
