"""The differential drive: nothing to learn, and what every other family should beat."""

from typing import ClassVar

from grouser.identify.families.kinematic import Column, KinematicFamily, Velocity
from grouser.identify.family import Parameter, Setting
from grouser.identify.record import Record


class IdealFamily(KinematicFamily):
    """Belts that never slip, as far apart as they are."""

    name: ClassVar[str] = "ideal"
    summary: ClassVar[str] = "differential drive, nothing to find"
    cost: ClassVar[int] = 0
    model: ClassVar[str] = "ideal"

    def parameters(self, setting: Setting, records: tuple[Record, ...]) -> tuple[Parameter, ...]:
        """Return nothing."""
        return ()

    def velocity(self, values: list[Column], record: Record, setting: Setting) -> Velocity:
        """Return the velocity of an ideal robot."""
        left, right = record.left[None], record.right[None]
        return 0.5 * (left + right), 0.0 * left, (right - left) / setting.gauge
