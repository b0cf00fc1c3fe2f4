"""Functions of a friction law that compiled code calls, chosen by the type of the law's tables.

`ratio`, `limit`, `creep` (with `has_creep`), `direction`, and for laws with a memory (`has_memory`)
`mobilise` and `stress`, are declared here; a law's own file adds its versions with `implement`, and
those that it leaves out are Coulomb's. Compiled code is then kept on disk for each type of tables,
which it would not be if functions were handed over as arguments.
"""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.extending import overload

from grouser.models.contact.compiled import PACKAGE

INLINED: Any = {"forceinline": True, "error_model": "numpy", "_nrt": False}
"""How laws are compiled: into the solver, so that what a law does not use costs nothing."""
_IMPLEMENTED: dict[tuple[Any, str], Callable[..., Any]] = {}


def implement(hook: Callable[..., Any], tables: type[Any]) -> Callable[[Any], Any]:
    """Return a decorator: the function below it is `hook` for laws with tables of this type."""

    def decorate(function: Any) -> Any:
        _IMPLEMENTED[tables, hook.__name__] = function
        PACKAGE.watch(Path(inspect.getfile(function)))
        return function

    return decorate


def _chosen(hook: Callable[..., Any], law: Any) -> Any:
    return _IMPLEMENTED.get((getattr(law, "instance_class", None), hook.__name__), hook)


def ratio(law: Any, point: Any) -> Any:
    """Return friction across the belt over friction along it [1]."""
    return 1.0 + 0.0 * point.load


def limit(law: Any, point: Any) -> Any:
    """Return the largest friction impulse along the belt [N s]."""
    return 0.0 * point.load


def has_creep(law: Any) -> bool:
    """Return whether the law has a `creep`."""
    return False


def creep(law: Any, point: Any, bound: Any, mean: Any) -> Any:
    """Return slip per impulse [1/kg] and without an impulse, along and across [m/s]; the bound.

    `bound` is what `limit` has returned; `mean` is the stress of the contact's place over its
    strength, along and across.
    """
    return 0.0 * bound, 0.0 * bound, 0.0 * bound, bound


def direction(law: Any, normal: Any, along: Any, place: Any, origin: Any, steering: Any) -> Any:
    """Return the direction along which friction and belt act, and the share of the belt's speed.

    Vectors are in the hull's frame; `origin` is the body's origin, `steering` the speed [m/s] and
    yaw rate [rad/s] of an ideal drive.
    """
    return along, 1.0


def has_memory(law: Any) -> bool:
    """Return whether places of belts remember: whether the law has `mobilise` and `stress`."""
    return False


def mobilise(law: Any, point: Any) -> Any:
    """Return what a step does to the cells of a place: factor, addition per slip [s/m].

    A cell that holds q then holds factor * (q + addition * slip), along and across.
    """
    return 0.0 * point.load, 0.0 * point.load


def stress(law: Any, along: Any, across: Any) -> Any:
    """Return the share of the strength that a cell has mobilised, along and across [1]."""
    return along, across


@overload(ratio, jit_options=INLINED, strict=False)
def _ratio(law: Any, point: Any) -> Any:
    return _chosen(ratio, law)


@overload(limit, jit_options=INLINED, strict=False)
def _limit(law: Any, point: Any) -> Any:
    return _chosen(limit, law)


@overload(creep, jit_options=INLINED, strict=False)
def _creep(law: Any, point: Any, bound: Any, mean: Any) -> Any:
    return _chosen(creep, law)


@overload(has_creep, jit_options=INLINED, strict=False)
def _has_creep(law: Any) -> Any:
    return _chosen(has_creep, law)


@overload(direction, jit_options=INLINED, strict=False)
def _direction(law: Any, normal: Any, along: Any, place: Any, origin: Any, steering: Any) -> Any:
    return _chosen(direction, law)


@overload(has_memory, jit_options=INLINED, strict=False)
def _has_memory(law: Any) -> Any:
    return _chosen(has_memory, law)


@overload(mobilise, jit_options=INLINED, strict=False)
def _mobilise(law: Any, point: Any) -> Any:
    return _chosen(mobilise, law)


@overload(stress, jit_options=INLINED, strict=False)
def _stress(law: Any, along: Any, across: Any) -> Any:
    return _chosen(stress, law)
