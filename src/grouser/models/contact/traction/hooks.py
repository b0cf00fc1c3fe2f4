"""Functions of a friction law that compiled code calls, chosen by the type of the law's tables.

`ratio`, `limit` and `direction`, and for laws with a memory `creep`, `mobilise`, `stress` and
`soil_of`, are declared here; a law's own file adds its versions with `implement`, and those that it
leaves out are Coulomb's. Compiled code is then kept on disk for each type of tables, which it would
not be if functions were handed over as arguments.
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


def only_with_memory(otherwise: Callable[..., Any]) -> Callable[[Any], Any]:
    """Return a decorator: laws that do not `mobilise` have `otherwise` in place of the function.

    Both are functions of a law and more; code that a law does not need is not compiled for it.
    """

    def decorate(function: Any) -> Any:
        @overload(function, jit_options=INLINED, strict=False)
        def choose(*kinds: Any) -> Any:
            tables = getattr(kinds[0], "instance_class", None)
            return function if (tables, "mobilise") in _IMPLEMENTED else otherwise

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


def mobilise(law: Any, point: Any) -> Any:
    """Return what a step does to the cells of a place: factor, addition per slip [s/m].

    A cell that holds q then holds factor * (q + addition * slip), along and across.
    """
    return 0.0 * point.load, 0.0 * point.load


def stress(law: Any, along: Any, across: Any) -> Any:
    """Return the share of the strength that a cell has mobilised, along and across [1]."""
    return along, across


def soil_of(law: Any, surface: Any) -> Any:
    """Return the soil of a surface: whether it is one, how it carries, how it is pushed, slip.

    Modulus, exponent, stiffness of reloading (constant, per sinkage) of a belt's pressure; pressure
    on a front per square of its height, and per its height; whether slip makes belts sink deeper.
    """
    nothing = 0.0 * surface
    return nothing, (nothing, nothing, nothing, nothing), (nothing, nothing), nothing


@overload(ratio, jit_options=INLINED, strict=False)
def _ratio(law: Any, point: Any) -> Any:
    return _chosen(ratio, law)


@overload(limit, jit_options=INLINED, strict=False)
def _limit(law: Any, point: Any) -> Any:
    return _chosen(limit, law)


@overload(creep, jit_options=INLINED, strict=False)
def _creep(law: Any, point: Any, bound: Any, mean: Any) -> Any:
    return _chosen(creep, law)


@overload(direction, jit_options=INLINED, strict=False)
def _direction(law: Any, normal: Any, along: Any, place: Any, origin: Any, steering: Any) -> Any:
    return _chosen(direction, law)


@overload(mobilise, jit_options=INLINED, strict=False)
def _mobilise(law: Any, point: Any) -> Any:
    return _chosen(mobilise, law)


@overload(stress, jit_options=INLINED, strict=False)
def _stress(law: Any, along: Any, across: Any) -> Any:
    return _chosen(stress, law)


@overload(soil_of, jit_options=INLINED, strict=False)
def _soil_of(law: Any, surface: Any) -> Any:
    return _chosen(soil_of, law)
