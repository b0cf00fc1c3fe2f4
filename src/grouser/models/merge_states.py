"""The states of many robots, some from one state and the rest from another."""

from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

StateT = TypeVar("StateT")


def merge_states(which: NDArray[np.bool_], ours: StateT, others: StateT) -> StateT:
    """Return `ours` for the robots that are meant and `others` for the rest.

    Args:
        which: Whether each robot is meant.
        ours: A state of all robots: a number, an array with robots along its first axis, or
            tuples and frozen values of such.
        others: Another state of the same plant.
    """
    return _merge(which, ours, others)


def _merge(which: NDArray[np.bool_], ours: Any, others: Any) -> Any:
    if hasattr(others, "__dataclass_fields__"):
        names = [field.name for field in fields(others)]
        pairs = {name: (getattr(ours, name), getattr(others, name)) for name in names}
        kind: Any = type(others)
        return kind(**{name: _merge(which, *pair) for name, pair in pairs.items()})
    if isinstance(others, tuple):
        return tuple(_merge(which, a, b) for a, b in zip(ours, others, strict=True))
    rank = max(np.ndim(ours), np.ndim(others), 1)
    return np.where(which.reshape(-1, *(1,) * (rank - 1)), ours, others)
