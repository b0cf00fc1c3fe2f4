"""The part of a robot's memory, or of many robots', on which the next step depends."""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from grouser.models.contact.workspace import Memory


class KeptMemory(NamedTuple):
    """Copies of arrays of `Memory`, under the same names."""

    belts: NDArray[np.float64]
    """Speeds of the belts [m/s]."""
    last_impulse: NDArray[np.float64]
    """Tangential impulses of the last step, from which the next one starts [N s]."""
    last_geom: NDArray[np.int64]
    """Whose they were."""
    errors: NDArray[np.float64]
    """What virtual forces and motors of sprockets remember of errors of velocity."""
    travel: NDArray[np.float64]
    """How far belts with grousers have moved since their last roll-back [m]."""
    rolled: NDArray[np.int64]
    """How often they were rolled back."""
    work: NDArray[np.float64]
    """Work of the drives, which goes on from there [J]."""

    @classmethod
    def of(cls, memory: Memory) -> Self:
        """Return what is to be kept of a memory."""
        return cls._make(getattr(memory, name).copy() for name in cls._fields)

    def restore(self, memory: Memory) -> None:
        """Put it back."""
        for name, values in zip(self._fields, self, strict=True):
            getattr(memory, name)[:] = values
