"""One piece of work that depends on no other."""

import hashlib
import json
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grouser.errors import GrouserError


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A call that any process can make: it must give the same whoever makes it, and when."""

    name: str
    """What it is called, by itself among its like; its result is kept under this name."""
    function: Callable[..., Any]
    """A function of a module, so that another process finds it too."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What it is called with, by name; all of it can be pickled."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a task."""

    value: Any = None
    """What the function returned."""
    problem: str = ""
    """What it raised, in one sentence; empty if it returned."""
    details: str = ""
    """Where it was raised, for whoever looks for the mistake."""
    is_lost: bool = False
    """Whether the process died before the function returned."""


def attempt(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Answer:
    """Call a function; return what it returned or raised.

    Errors travel as words: an exception with a constructor of its own does not survive pickling.
    """
    try:
        return Answer(function(**arguments))
    except GrouserError as error:
        return Answer(problem=str(error), details=traceback.format_exc())
    except Exception as error:
        words = " ".join(f"{type(error).__name__}: {error}".split())
        return Answer(problem=words, details=traceback.format_exc())


def mark_settings(*settings: Any) -> str:
    """Return a short word that differs when settings do, to be part of a task's name.

    Args:
        settings: Whatever a result depends on, as JSON knows it.
    """
    text = json.dumps(settings, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
