"""Papers, their claims and experiments."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias

import numpy as np

from grouser.registry import Registry
from grouser.report import Heat, Label, Mark, Panel, Series, Shape

Origin: TypeAlias = Literal["T", "R", "A"]
"""How sure the published value is: stated in the text, reconstructed, or with an assumption."""

Sense: TypeAlias = Literal["near", "at most", "at least"]
"""When a number agrees: near the published one, or not beyond it."""


class Word(StrEnum):
    """Verdict of a comparison."""

    AGREES = "agrees"
    DIFFERS = "differs"
    INCOMPARABLE = "cannot be compared"
    MISSING = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A number that a paper prints, where, and the largest difference that agrees."""

    paper: str
    """Name of the paper: P0 to P4."""
    experiment: str
    """Name of our experiment that measures it."""
    key: str
    """Its name among the findings of the experiment."""
    published: float
    """As printed; 1 and 0 for yes and no [unit of `unit`]."""
    unit: str
    """SI unit; "1" for a ratio, "yes/no" for an outcome."""
    tolerance: float
    """Largest difference that agrees, beyond the published value if that is a limit
    [unit of `unit`]."""
    where: str
    """Where it is printed."""
    sense: Sense = "near"
    """Whether the published value is to be met, or is a limit."""
    mark: Origin = "T"
    """How sure the published value is."""
    remark: str = ""
    """Why ours differs, or what was assumed, in one sentence."""
    incomparable: str = ""
    """Why no program can meet it, in one sentence; empty if one can."""
    is_timed: bool = False
    """Whether ours depends on the computer that it is found on."""

    def judge(self, ours: float | None) -> Word:
        """Return the verdict on our number."""
        if self.incomparable:
            return Word.INCOMPARABLE
        if ours is None:
            return Word.MISSING
        beyond = ours - self.published
        if self.sense == "near":
            beyond = abs(beyond)
        elif self.sense == "at least":
            beyond = -beyond
        agrees = math.isfinite(ours) and beyond <= self.tolerance * (1 + 1e-9)
        return Word.AGREES if agrees else Word.DIFFERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A claim and our number."""

    claim: Claim
    """The claim."""
    ours: float | None
    """Our number; None if there is none, or it was not run [unit of the claim]."""
    lack: str = ""
    """What is missing on this machine to measure it, in one sentence; empty if nothing."""

    @property
    def word(self) -> Word:
        """The verdict."""
        return Word.INCOMPARABLE if self.lack else self.claim.judge(self.ours)

    @property
    def reason(self) -> str:
        """Why it differs or cannot be compared, or what was assumed; empty without a remark."""
        if self.word == Word.INCOMPARABLE:
            return self.claim.incomparable or self.lack
        explains = self.word == Word.DIFFERS or self.claim.mark != "T"
        return self.claim.remark if explains else ""


def lack_nothing() -> str:
    """Return an empty text: nothing is missing for an experiment that runs everywhere."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Numbers and figures of an experiment."""

    values: Mapping[str, float]
    """Numbers by the keys of claims; 1 and 0 for yes and no [unit of each claim]."""
    panels: tuple[Panel, ...] = field(default=())
    """Figures, after those of the paper."""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        panels = [_listed(asdict(panel)) for panel in self.panels]
        return {"values": dict(self.values), "panels": panels}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Findings":
        """Return what `to_json` made."""
        panels = tuple(_restore(panel) for panel in content["panels"])
        return cls(values=dict(content["values"]), panels=panels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A run that measures some claims of a paper."""

    paper: str
    """Name of the paper: P0 to P4."""
    name: str
    """Short name, unique within the paper."""
    title: str
    """Its title."""
    run: Callable[[], Findings]
    """Runs it; a function of a module, so that another process can call it."""
    seconds: float = 1.0
    """About how long it takes on one core; slow ones begin first [s]."""
    is_quick: bool = True
    """Whether a quick run has it: all that do take less than two minutes on two cores."""
    find_lack: Callable[[], str] = lack_nothing
    """Returns what is missing on this machine to run it, in one sentence; empty if nothing."""

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
            # JSON has no NaN: a gap of a line is None.
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


def _draw_nothing(values: Mapping[str, float]) -> tuple[Panel, ...]:
    return ()


def _derive_nothing(values: Mapping[str, float]) -> dict[str, float]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A publication whose experiments are reproduced."""

    name: str
    """Short name: P0 to P4 are those of grouser."""
    title: str
    """Authors, year and subject."""
    experiments: tuple[Experiment, ...]
    """Its experiments."""
    make_claims: Callable[[], tuple[Claim, ...]]
    """Returns its claims."""
    draw: Callable[[Mapping[str, float]], tuple[Panel, ...]] = _draw_nothing
    """Returns figures over several experiments, from all numbers that were found."""
    derive: Callable[[Mapping[str, float]], dict[str, float]] = _derive_nothing
    """Returns numbers over several experiments, of those that were run."""
    highlights: tuple[str, ...] = ()
    """Claims that sum it up, by their keys."""


PAPERS: Registry[Paper] = Registry(
    "paper", "grouser.papers", needs=("name", "title", "experiments", "make_claims")
)
"""All papers by name: each declares itself in the `entry_points.txt` of its folder."""


GAP = 0.16
"""Distance of the stems of one thing [1]."""


def draw_stems(
    key: str,
    title: str,
    y_label: str,
    things: Sequence[str],
    groups: Mapping[str, tuple[Sequence[float], str]],
) -> Panel:
    """Return a figure with a stem for each thing and group."""
    lines = []
    for number, (name, (values, colour)) in enumerate(groups.items()):
        x = np.arange(len(things)) + GAP * (number - 0.5 * (len(groups) - 1))
        gaps = np.full(len(things), np.nan)
        lines.append(
            Series(
                name=name,
                x=np.stack((x, x, gaps), axis=1).ravel(),
                y=np.stack((np.zeros(len(things)), np.asarray(values), gaps), axis=1).ravel(),
                colour=colour,
            )
        )
    return Panel(
        key=key, title=title, x_label="", y_label=y_label, series=tuple(lines),
        x_names=tuple(things),
    )  # fmt: skip
