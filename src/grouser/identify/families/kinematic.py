"""What all families share whose belts impose a velocity at once."""

from abc import ABC, abstractmethod
from typing import ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d

from grouser.geometry import arc_displacement
from grouser.identify.family import Parameter, Predicted, Setting
from grouser.identify.record import Record

Column: TypeAlias = NDArray[np.float64]
"""One value for each set of parameters, as a column beside rows of samples."""
Velocity: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""Forward speed [m/s], leftward speed [m/s], yaw rate [rad/s]."""

CALM = 0.5
"""Time over which belt speeds are averaged where a law is not linear in them [s]."""


class KinematicFamily(ABC):
    """A law from belt speeds to the body's velocity, integrated along exact arcs."""

    is_simulated: ClassVar[bool] = False

    @abstractmethod
    def parameters(self, setting: Setting, records: tuple[Record, ...]) -> tuple[Parameter, ...]:
        """Return what is to be found."""

    @abstractmethod
    def velocity(self, values: list[Column], record: Record, setting: Setting) -> Velocity:
        """Return the velocity at each sample for each set of parameters.

        Args:
            values: A column for each parameter, in the order of `parameters`.
            record: What the belts did.
            setting: What is known before.
        """

    def predict(self, values: NDArray[np.float64], record: Record, setting: Setting) -> Predicted:
        """Return the motion for each row of parameter values, from the origin along x."""
        columns = [values[:, k, None] for k in range(values.shape[1])]
        shape = (len(values), record.time.size)
        vx, vy, yaw_rate = (
            np.broadcast_to(part, shape) for part in self.velocity(columns, record, setting)
        )
        if record.steady:
            nowhere = np.zeros(shape)
            return Predicted(x=nowhere, y=nowhere, yaw=nowhere, vx=vx, vy=vy, yaw_rate=yaw_rate)
        steps = record.steps
        level = vx if record.pitch is None else vx * np.cos(record.pitch)
        turned = yaw_rate * steps
        yaw = np.cumsum(turned, axis=1)
        # Rows of steps: the arc holds for arrays of durations as for one.
        dx, dy = arc_displacement(level, vy, yaw_rate, yaw - turned, steps)  # pyright: ignore[reportArgumentType]
        return Predicted(
            x=np.cumsum(dx, axis=1), y=np.cumsum(dy, axis=1), yaw=yaw, vx=vx, vy=vy,
            yaw_rate=yaw_rate,
        )  # fmt: skip


def average_sides(
    record: Record, over: float = CALM
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return left and right belt speeds without their noise; steady states as they are [m/s].

    Args:
        record: Whose belts.
        over: Time over which they are averaged [s].
    """
    sides = np.stack([record.left, record.right])
    if not record.steady and record.time.size > 1:
        period = float(np.median(np.diff(record.time)))
        size = max(round(min(over / period, record.time.size)), 1)
        sides = uniform_filter1d(sides, size, axis=1, mode="nearest")
    return sides[0], sides[1]
