"""An experiment of a paper, run again: numbers by name, and figures."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from grouser.report import Heat, Label, Mark, Panel, Series, Shape


def lack_nothing() -> str:
    """Return what an experiment lacks that runs everywhere: nothing."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What came of an experiment."""

    values: Mapping[str, float]
    """Numbers by the keys of claims; 1 and 0 for yes and no [unit of each claim]."""
    panels: tuple[Panel, ...] = field(default=())
    """Figures, after those of the paper."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON knows it."""
        panels = [_listed(asdict(panel)) for panel in self.panels]
        return {"values": dict(self.values), "panels": panels}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Findings":
        """Return what `to_json` made."""
        panels = tuple(_restore(panel) for panel in content["panels"])
        return cls(values=dict(content["values"]), panels=panels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What to run for some claims of a paper."""

    paper: str
    """Which paper: P0 to P4."""
    name: str
    """Short name, unique within the paper."""
    title: str
    """What is done, in a few words."""
    run: Callable[[], Findings]
    """Does it; a function of a module, so that another process can run it."""
    seconds: float = 1.0
    """About how long it takes on one core; dear ones begin first [s]."""
    is_quick: bool = True
    """Whether a quick run has it: all that do take less than two minutes on two cores."""
    find_lack: Callable[[], str] = lack_nothing
    """Returns what this machine lacks to run it, in one sentence; empty if nothing."""

    @property
    def key(self) -> str:
        """Name among those of all papers."""
        return f"{self.paper}/{self.name}"


def _listed(content: Any) -> Any:
    match content:
        case dict():
            return {key: _listed(value) for key, value in content.items()}
        case list() | tuple():
            return [_listed(value) for value in content]
        case np.ndarray():
            # JSON has no number that is not one: a gap of a line is nothing.
            return [_listed(value) for value in content.tolist()]
        case float():
            return content if np.isfinite(content) else None
        case _:
            return content


def _restore(content: Mapping[str, Any]) -> Panel:
    series = tuple(
        Series(**line | {axis: np.array(line[axis], dtype=float) for axis in ("x", "y")})
        for line in content["series"]
    )
    shapes = tuple(
        Shape(**shape | {"corners": np.array(shape["corners"])}) for shape in content["shapes"]
    )
    limits, heat = content["y_range"], content["heat"]
    parts = {
        "series": series,
        "shapes": shapes,
        "marks": tuple(Mark(**mark) for mark in content["marks"]),
        "labels": tuple(Label(**label) for label in content["labels"]),
        "x_names": tuple(content["x_names"]),
        "y_range": None if limits is None else tuple(limits),
        "heat": None if heat is None else _restore_heat(heat),
    }
    return Panel(**dict(content) | parts)


def _restore_heat(content: Mapping[str, Any]) -> Heat:
    restored: dict[str, Any] = dict(content)
    for name in ("x", "y", "values"):
        restored[name] = np.array(content[name], dtype=float)
    if content["names"] is not None:
        restored["names"] = tuple(content["names"])
    return Heat(**restored)
