"""A benchmark case, and the options of a benchmark."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from grouser.scenario import Scenario


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The result of one measurement."""

    value: float
    """The value [unit of the section]."""
    step: float | None = None
    """Time of one step; None without steps [s]."""
    note: str = ""
    """What is only known when it runs, as the number of contacts."""


Probe: TypeAlias = Callable[[], Sample]
"""Measures once, and can be called again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Something that can be measured repeatedly."""

    name: str
    """Its name in the table, unique in its section."""
    start: Callable[[], Probe]
    """Prepares what is not to be timed."""
    reference: str = ""
    """Name of the case of the same section that it is compared with; the first if empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """What is measured, and for how long."""

    robot: str = "quince"
    """Name or file of the robot."""
    models: tuple[str, ...] = ()
    """References of the models of section `models`; all of the catalogue if empty."""
    repeats: int = 10
    """Measurements of each case; the best counts."""
    share: float = 1.0
    """Length of each measurement, of the usual one [1]."""

    def scenario(self, model: str, course: str = "flat") -> Scenario:
        """Return the robot with a model on a course."""
        return Scenario(robot=self.robot, course=course, model=model, driver="person")


QUICK = {"repeats": 2, "share": 0.5}
"""Under a minute on two cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the table."""

    name: str
    """Its name, as for `--only`."""
    summary: str
    """What is measured, in a few words."""
    quantity: str
    """What the values are."""
    unit: str
    """Unit of the values; 1 for none."""
    reference: str
    """The reference of ratios, in words."""
    cases: Callable[[BenchOptions], list[Case]]
    """Returns what can be measured."""
    is_rate: bool = True
    """Whether more is better: of all samples the best counts."""
    most_repeats: int | None = None
    """Most measurements of a case, where all are the same; None for no limit."""
