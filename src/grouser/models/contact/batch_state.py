"""All that the next step of many robots depends on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Scalar
from grouser.models.contact.kept_memory import KeptMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchState:
    """All that the next step depends on; robots along the first axis of arrays."""

    engine: NDArray[np.float64]
    """The engine's own states, in the engine's units [SI]."""
    memory: KeptMemory
    """What the traction remembers."""
    belt_speeds_commanded: tuple[Scalar, ...]
    """Speeds that were asked for [m/s]."""
    belt_travels: tuple[Scalar, ...]
    """Distance that each belt has run since the start [m]."""
    targets: tuple[Scalar, ...]
    """Speeds that the motors work towards [m/s]."""
    flipper_angles: tuple[Scalar, ...]
    """Where each flipper's control is [rad]."""
    yaw: NDArray[np.float64]
    """Headings, never wrapped [rad]."""
