"""Provenance of a log: everything needed to repeat the run."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

import numpy as np

from grouser import limits
from grouser.errors import InvalidValue
from grouser.sources import motion_source
from grouser.storage import parse_json
from grouser.version import VERSION

STATUSES = ("complete", "failed", "interrupted", "not finite", "unfinished")
"""How a run ended; "unfinished" for a file that is being written, or whose writer was killed."""


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Robot, course, model, driver and settings of a run; unknown entries are empty."""

    grouser_version: str = ""
    """Version of grouser that made the log."""
    grouser_source: str = ""
    """Hash of the code that computed the log, see `grouser.sources`; empty for older logs."""
    robot: str = ""
    robot_hash: str = ""
    robot_text: str = ""
    """Text of the robot's description, so that the log alone is enough for a replay."""
    course: str = ""
    course_hash: str = ""
    course_text: str = ""
    course_parameters: Mapping[str, Any] = field(default_factory=_nothing)
    """Parameters of the course that were chosen for this run."""
    model: str = ""
    """Name of the model that moved the robot; empty for a real robot."""
    model_parameters: Mapping[str, Any] = field(default_factory=_nothing)
    engine: str = ""
    """Physics engine and its version."""
    dt: float | None = None
    """Length of one tick [s]."""
    seed: int | None = None
    """Seed of the random numbers."""
    driver: str = ""
    """How the robot was driven: a program, a controller, a person."""
    status: str = "complete"
    """How the run ended: one of `STATUSES`."""
    created: str = ""
    """When the run began, ISO 8601 in UTC."""
    scenario: Mapping[str, Any] = field(default_factory=_nothing)
    """The scenario that was run, as a scenario file spells it; robot and course without texts."""
    notes: Mapping[str, Any] = field(default_factory=_nothing)
    """Anything else worth keeping."""
    other: Mapping[str, Any] = field(default_factory=_nothing)
    """Entries of a newer version, unchanged."""

    def __post_init__(self) -> None:
        for name in _TEXTS:
            if not isinstance(getattr(self, name), str):
                raise InvalidValue(f"provenance.{name}", getattr(self, name), "be a text")
        for name in _MAPPINGS:
            object.__setattr__(self, name, _freeze(f"provenance.{name}", getattr(self, name)))
        for name, whole in (("dt", False), ("seed", True)):
            number = _as_number(f"provenance.{name}", getattr(self, name), whole=whole)
            object.__setattr__(self, name, number)
        if self.status not in STATUSES:
            raise InvalidValue("provenance.status", self.status, f"be one of {STATUSES}")
        _check_created(self.created)

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled.
        return Provenance.from_dict, (self.to_dict(),)

    def to_dict(self) -> dict[str, Any]:
        """Return the provenance as plain JSON values."""
        known = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "other"}
        plain = {key: dict(value) if key in _MAPPINGS else value for key, value in known.items()}
        return {**plain, **self.other}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "Provenance":
        """Return the provenance from the result of `to_dict`, also of a newer version."""
        known = {f.name for f in fields(cls)} - {"other"}
        other = {key: value for key, value in content.items() if key not in known}
        return cls(**{key: content[key] for key in content if key in known}, other=other)

    def to_json(self) -> str:
        """Return the provenance as one line of ASCII."""
        return json.dumps(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> "Provenance":
        """Return the provenance from the result of `to_json`; InvalidValue if it is none."""
        try:
            content = parse_json(text)
        except ValueError as error:
            raise InvalidValue("provenance", str(error), "be written as JSON") from error
        if not isinstance(content, dict):
            raise InvalidValue("provenance", content, "be a JSON object")
        return cls.from_dict(content)


def explain_source(origin: Provenance) -> str:
    """Return in a sentence that other code made a log than runs here; empty if it is the same."""
    if origin.grouser_source == motion_source():
        return ""
    if not origin.grouser_source:
        maker = f"a version ({origin.grouser_version or 'unknown'}) that did not record its source"
    else:
        maker = f"grouser {origin.grouser_version}, source {origin.grouser_source}"
    ours = f"grouser {VERSION}, source {motion_source()}"
    return f"the log was made by {maker}; this is {ours}: differences may come from there"


_MAPPINGS = ("course_parameters", "model_parameters", "scenario", "notes", "other")
_TEXTS = tuple(f.name for f in fields(Provenance) if f.name not in (*_MAPPINGS, "dt", "seed"))


def _freeze(name: str, content: object) -> Mapping[str, Any]:
    """Return a read-only copy, converted as by a round trip through JSON (lists, no tuples)."""
    if not isinstance(content, Mapping):
        raise InvalidValue(name, content, "be a mapping of names to values")
    try:
        text = json.dumps(dict(content), default=_plain)
        return MappingProxyType(parse_json(text))
    except RecursionError:
        raise InvalidValue(name, "more", f"be nested at most {limits.NESTING} deep") from None
    except (TypeError, ValueError) as error:
        raise InvalidValue(name, dict(content), f"hold what JSON can ({error})") from error


def _plain(value: object) -> object:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} has no JSON form")


def _as_number(name: str, value: object, *, whole: bool) -> float | int | None:
    if value is None:
        return None
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise InvalidValue(name, value, "be a whole number" if whole else "be a number")
    if not whole and not 0.0 < value <= limits.DURATION:
        raise InvalidValue(name, value, f"be greater than 0 and at most {limits.DURATION:g}")
    if whole and value < 0:
        raise InvalidValue(name, value, "be a whole number from 0")
    return int(value) if whole else float(value)


def _check_created(created: str) -> None:
    if not created:
        return
    try:
        offset = datetime.fromisoformat(created).utcoffset()
    except ValueError:
        offset = None
    if offset != timedelta(0):
        required = "be a time in UTC such as '2026-01-31T12:00:00Z'"
        raise InvalidValue("provenance.created", created, required)
