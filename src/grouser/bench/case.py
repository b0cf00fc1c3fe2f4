"""A benchmark case, and the options of a benchmark."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from grouser.description import Robot, load_robot


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What one measurement says."""

    value: float
    """How much [unit of the section]."""
    step: float | None = None
    """Time of one step, of what has steps [s]."""
    note: str = ""
    """What else belongs to the case, and is only known when it runs."""


Probe: TypeAlias = Callable[[], Sample]
"""Measures once, and can be called again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Something that can be measured again and again."""

    name: str
    """What it is called in the table; unique in its section."""
    start: Callable[[], Probe]
    """Makes ready what is not to be timed."""
    reference: str = ""
    """Name of the case of the same section that it is compared with; the first if empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What whoever asks may choose."""

    robot: str = "quince"
    """Name or file of the robot that drives."""
    models: tuple[str, ...] = ()
    """References of the models of section `models`; all of the catalogue if empty."""
    repeats: int = 10
    """How often everything is measured; the best counts."""
    share: float = 1.0
    """Length of each measurement, of the usual one [1]."""

    def load(self) -> Robot:
        """Return the robot."""
        return load_robot(self.robot)


QUICK = {"repeats": 2, "share": 0.5}
"""Under a minute on two cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the table."""

    name: str
    """What `--only` calls it."""
    summary: str
    """What is measured, in a few words."""
    quantity: str
    """What the values are."""
    unit: str
    """Unit of the values; 1 for none."""
    reference: str
    """What ratios are over, in words."""
    cases: Callable[[Choice], list[Case]]
    """Says what there is to measure."""
    is_rate: bool = True
    """Whether more is better: of all samples the best counts."""
    most_repeats: int | None = None
    """How often to measure at most, where the same comes out every time; None for no limit."""
