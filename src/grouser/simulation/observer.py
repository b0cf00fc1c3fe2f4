"""Observers: they compute additional log columns while a simulation runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grouser.description import Course, Robot
from grouser.models import Motion
from grouser.registry import Registry
from grouser.simulation.sensors import Reading


class Observer(Protocol):
    """Sees every tick after the sensors were read; must not change what it sees."""

    columns: tuple[tuple[str, str], ...]
    """Name and SI unit of each column that it adds."""

    def observe(self, time: float, motion: Motion, reading: Reading) -> Sequence[float]:
        """Return a number for each of its columns.

        Args:
            time: Simulated time; 0 at the start, then once for each tick [s].
            motion: True motion of the robot.
            reading: Measurements of the robot's sensors.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserverKind:
    """An observer that can be chosen by name."""

    summary: str
    """One line for lists."""
    keys: Mapping[str, str]
    """What each key means."""
    build: Callable[[Robot, Course, int, Mapping[str, Any]], Observer]
    """Makes the observer from robot, course, seed and parameters; "text" holds a file's content."""


OBSERVERS: Registry[ObserverKind] = Registry(
    "observer", "grouser.observers", needs=("summary", "keys", "build")
)
"""The observers by name."""
