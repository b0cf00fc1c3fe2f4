"""States of robots as values: robots along the first axis, one robot is a state of one.

A state is frozen. Its fields are arrays, tuples of arrays, or frozen values of such.
"""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue


class RobotStates:
    """States of one robot or of many, from which some can be selected."""

    __slots__ = ()

    @property
    def count(self) -> int:
        """How many robots it is of."""
        return count_robots(self)

    def take(self, robots: Sequence[int] | NDArray[Any]) -> Self:
        """Return the states of some of the robots, by their numbers; a number may repeat.

        Raises:
            InvalidValue: There is no robot of such a number.
        """
        which, count = np.asarray(robots, np.intp), self.count
        if which.ndim != 1 or not which.size or (which < 0).any() or (which >= count).any():
            raise InvalidValue("robots", robots, f"be numbers of robots, from 0 to {count - 1}")
        return map_leaves(lambda leaf: leaf[which], as_rows(self, count))


def map_leaves(change: Callable[[Any], Any], value: Any) -> Any:
    """Return a state with every number or array of it changed."""
    if hasattr(value, "__dataclass_fields__"):
        names = [field.name for field in fields(value)]
        return type(value)(**{n: map_leaves(change, getattr(value, n)) for n in names})
    if isinstance(value, tuple):
        return tuple(map_leaves(change, part) for part in value)
    return change(value)


def count_robots(state: Any) -> int:
    """Return how many robots a state is of; fields that are numbers are shared by all."""
    sizes = [1]
    map_leaves(lambda leaf: sizes.append(len(leaf) if np.ndim(leaf) else 1), state)
    return max(sizes)


def as_rows(state: Any, count: int) -> Any:
    """Return a copy of a state in which each array has one row for each of `count` robots."""

    def spread(leaf: Any) -> NDArray[Any]:
        rows = np.atleast_1d(leaf)
        return np.broadcast_to(rows, (count, *rows.shape[1:])).copy()

    return map_leaves(spread, state)


def as_number(leaf: NDArray[Any]) -> Any:
    """Return the number of one robot; rows of several numbers stay as they are."""
    return leaf[0].item() if leaf.ndim == 1 else leaf


def fit_state(state: Any, kind: type[Any], count: int) -> Any:
    """Return a copy of a state for a plant of `count` robots; one robot's is given to all.

    Raises:
        InvalidValue: It is of another kind of plant, or of another number of robots.
    """
    if not isinstance(state, kind):
        required = f"be a {kind.__name__}, from a plant of the same kind of model"
        raise InvalidValue("state", type(state).__name__, required)
    given = count_robots(state)
    if given not in (1, count):
        required = "be of 1 robot" if count == 1 else f"be of 1 or {count} robots"
        raise InvalidValue("state", f"{given} robots", required)
    return as_rows(state, count)


def check_parts(state: Any, drives: int, flippers: int) -> None:
    """Raise InvalidValue if a state is of a robot with other drives or flippers."""
    found = len(state.belt_travels), len(state.flipper_angles)
    if found != (drives, flippers):
        given = f"of {found[0]} drives and {found[1]} flippers"
        required = f"be of a robot with {drives} drives and {flippers} flippers"
        raise InvalidValue("state", given, required)


def keep_parts(new: Any, before: Any) -> Any:
    """Return a state with the travel of the belts and the flipper angles of one before."""
    kept = {name: getattr(before, name) for name in ("belt_travels", "flipper_angles")}
    return replace(new, **kept)


def merge_states(which: NDArray[np.bool_], new: Any, old: Any) -> Any:
    """Return `new` for the selected robots and `old` for the rest."""
    if hasattr(old, "__dataclass_fields__"):
        names = [field.name for field in fields(old)]
        merged = {n: merge_states(which, getattr(new, n), getattr(old, n)) for n in names}
        return type(old)(**merged)
    if isinstance(old, tuple):
        return tuple(merge_states(which, a, b) for a, b in zip(new, old, strict=True))
    rank = max(np.ndim(new), np.ndim(old), 1)
    return np.where(which.reshape(-1, *(1,) * (rank - 1)), new, old)
