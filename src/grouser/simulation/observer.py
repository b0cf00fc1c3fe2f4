"""Observers: they compute additional log columns while a simulation runs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grouser.description import Course, Robot
from grouser.description.reference import parse_reference
from grouser.errors import UnknownName
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
            motion: What happens, which no sensor knows.
            reading: What the robot's own sensors say.
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
    """Makes the observer of a robot on a course, from a seed and what the reference gives."""


OBSERVERS: Registry[ObserverKind] = Registry(
    "observer", "grouser.observers", needs=("summary", "keys", "build")
)
"""The observers by name."""


def make_observer(reference: str, robot: Robot, course: Course, seed: int) -> Observer:
    """Return the observer of a reference such as `ekf` or `ekf:camera=no`.

    Raises:
        UnknownName: No observer, or no key of that observer, has that name.
        InvalidValue: A key has a value that it cannot have.
    """
    name, given = parse_reference(reference)
    kind = OBSERVERS.find(name)
    for key in given:
        if key not in kind.keys:
            raise UnknownName(f"key of observer {name!r}", key, kind.keys)
    return kind.build(robot, course, seed, given)
