"""Parameters of models: declared ranges and choices, checked when a model is made.

A model is a frozen dataclass that derives from `Parameters`. Each of its fields is a choice
(`Literal`, or a `str` annotated with a registry), a switch (`bool`), or a number annotated with
its `Range`; the docstring behind a field describes its effect. However a model is made, by name,
by its class or as a variation of another, its values pass through here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import numpy as np

from grouser.description import Course, Robot
from grouser.errors import InvalidValue
from grouser.models.assumptions import Assumption, TurningBasis
from grouser.models.equal_models import Equal
from grouser.registry import Registry


@dataclass(frozen=True, slots=True)
class Range:
    """Range of a number, wider than any robot needs."""

    low: float
    """The least it may be [the unit]."""
    high: float
    """The most it may be [the unit]."""
    unit: str = "1"
    """Its unit; 1 for a ratio or a count."""
    whole: bool = False
    """Whether it must be a whole number."""

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the most it may be [the unit]."""
        return self.low, self.high

    def __str__(self) -> str:
        kind = "a whole number " if self.whole else ""
        unit = "" if self.unit == "1" else f" {self.unit}"
        return f"{kind}from {self.low:g} to {self.high:g}{unit}"

    def misses(self, value: Any) -> Any:
        """Return the first number of a value that is not in the range; None if all are."""
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64)).ravel()
        inside = (numbers >= self.low) & (numbers <= self.high)
        if self.whole:
            inside &= numbers == np.round(numbers)
        return None if inside.all() else float(numbers[int(np.argmin(inside))])


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """Declaration of one parameter of a model."""

    range: Range | None = None
    """Range of a number."""
    words: Sequence[str] | Registry[Any] = ()
    """Choices of a word: listed, or the names of a registry."""
    many: bool = False
    """Whether it may be an array: one number for each of many robots."""
    optional: bool = False
    """Whether it may be None: then it follows from robot or course."""

    @property
    def choices(self) -> tuple[str, ...]:
        """Choices of a word."""
        return tuple(self.words)

    @property
    def required(self) -> str:
        """What a value must be, as the words after "must"."""
        if self.choices:
            return f"be one of {', '.join(self.choices)}"
        return "be 0 or 1" if self.range is None else f"be {self.range}"

    def misfit(self, value: Any) -> Any:
        """Return the wrong value, or the first wrong number in it; None if all are right."""
        if value is None:
            return None if self.optional else "nothing"
        if self.choices:
            return None if isinstance(value, str) and value in self.choices else value
        if self.range is None:
            fits = isinstance(value, bool | np.bool_ | Real) and value in (0, 1)
            return None if fits else value
        if not _is_number(value) and not (self.many and _is_array(value)):
            return value
        return self.range.misses(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Base of models: checks the parameters against their declarations."""

    name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for key, declared in declared_parameters(type(self)).items():
            wrong = declared.misfit(getattr(self, key))
            if wrong is not None:
                raise InvalidValue(f"{self.name}:{key}", wrong, declared.required)

    def assumptions(self, robot: Robot, course: Course | None = None) -> tuple[Assumption, ...]:
        """Return what the model assumes for want of data; without a course, only of the robot."""
        return ()

    def turning_basis(self, robot: Robot, course: Course | None = None) -> TurningBasis:
        """Return what decides how fast the robot turns; `words` are empty if that is not known."""
        return TurningBasis(None, "")

    def equal_for(self, robot: Robot) -> Equal | None:
        """Return the simpler model that computes the same for a robot; None if none does."""
        return None


@cache
def declared_parameters(kind: type[Any]) -> Mapping[str, Declared]:
    """Return what a model declares about each of its parameters, by name."""
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: _declared(hints[field.name]) for field in fields(kind)}


def _declared(hint: Any) -> Declared:
    if get_origin(hint) is Literal:
        return Declared(words=get_args(hint))
    if hint is bool:
        return Declared()
    if get_origin(hint) is not Annotated:
        raise TypeError(f"a parameter of type {hint} must be annotated with its Range")
    kind, found = get_args(hint)
    kinds = get_args(kind) or (kind,)
    if isinstance(found, Registry):
        return Declared(words=found, optional=type(None) in kinds)
    many = any(get_origin(part) is np.ndarray for part in kinds)
    return Declared(range=found, many=many, optional=type(None) in kinds)


def _is_number(value: Any) -> bool:
    if isinstance(value, Integral):
        return not isinstance(value, bool) and abs(int(value)) < 2**63
    return isinstance(value, Real)


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and value.size > 0
