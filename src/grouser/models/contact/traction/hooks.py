"""Functions of a friction law that compiled code calls, chosen by the type of the law's tables.

`limit`, `creep` and `remember` are declared here; a law's own file adds its versions with
`implement`. Compiled code is then kept on disk for each type of tables, which it would not be if
functions were handed over as arguments.
"""

from collections.abc import Callable
from typing import Any

from numba.extending import overload


def limit(law: Any, point: Any) -> Any:
    """Return the largest friction impulse along the belt [N s], and across over along [1]."""
    raise NotImplementedError


def creep(law: Any, point: Any) -> Any:
    """Return the slip per friction impulse of a contact that holds; 0 for dry friction [1/kg]."""
    raise NotImplementedError


def remember(law: Any, point: Any, memory: Any, at: Any, timestep: Any) -> Any:
    """Update what the place remembers, after the impulses of a step are known."""
    raise NotImplementedError


def implement(hook: Callable[..., Any], tables: type[Any]) -> Callable[[Any], Any]:
    """Return a decorator: the function below it is `hook` for laws with tables of this type."""

    def decorate(function: Any) -> Any:
        @overload(hook, inline="never")
        def choose(law: Any, *_: Any) -> Any:
            return function if getattr(law, "instance_class", None) is tables else None

        return function

    return decorate
