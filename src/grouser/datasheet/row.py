"""Rows of a data sheet, and what a model found for one of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from grouser.datasheet.places import FRICTION
from grouser.description import Robot
from grouser.models import Model

Need: TypeAlias = Literal["3D", "forces"]
"""What a model must describe: contacts in three dimensions, or forces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What all rows of a data sheet share."""

    friction: float = FRICTION
    """Friction of all ground but where a row names another [1]."""
    seeds: int = 3
    """Starts of each lane [1]."""
    is_quick: bool = False
    """Whether searches are coarse and lanes have one start."""

    def coarser(self, within: float) -> float:
        """Return how exactly something is sought: four times as coarse if quick."""
        return 4.0 * within if self.is_quick else within


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a model found for a row."""

    value: float | None = None
    """The number; None if there is none [unit of the row]."""
    sign: str = ""
    """`≥ ` if the search ended at its bound."""
    low: float | None = None
    """Least value over starts, where there are several [unit of the row]."""
    high: float | None = None
    """Largest value over starts [unit of the row]."""
    limit: str = ""
    """What limits it, one of `limits.Limit`; empty where nothing can."""
    evidence: str = ""
    """What shows that, in one sentence."""
    reason: str = ""
    """Why there is no number, in one sentence."""
    words: str = ""
    """How it was found where that depends on the robot: posture, resolution."""
    notes: Sequence[str] = ()
    """What the model remarked, such as contacts that were left out."""
    details: Mapping[str, float] = field(default_factory=dict)
    """More numbers by name with unit [as the name spells]."""
    curves: Mapping[str, list[list[float]]] = field(default_factory=dict)
    """Lines of a figure by name: points of two numbers [as the name spells]."""

    def content(self) -> dict[str, Any]:
        """Return it as plain values, to be stored."""
        return {
            key: value for key, value in asdict(self).items() if value not in ("", None, {}, ())
        }


Measure: TypeAlias = Callable[[Robot, Model, Settings], Cell]
"""Returns what a model finds for a robot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of a data sheet."""

    key: str
    """Its name in files."""
    group: str
    """Heading above it."""
    title: str
    """What it is."""
    unit: str
    """Unit as printed."""
    method: str
    """How it is found, with all settings, in one sentence."""
    measure: Measure
    """Finds it."""
    factor: float = 1.0
    """From SI to the unit as printed [1]."""
    digits: int = 3
    """Decimals."""
    need: Need = "3D"
    """What a model must describe."""
    depends_on: str = ""
    """What else a result depends on, such as a hash of a course."""
