"""Papers, their claims, conclusions and experiments."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias

import numpy as np

from grouser.papers.variation import Factor, Variation
from grouser.registry import Registry
from grouser.report import Heat, Label, Mark, Panel, Series, Shape

Origin: TypeAlias = Literal["T", "R", "A"]
"""How sure the published value is: stated in the text, reconstructed, or with an assumption."""

Sense: TypeAlias = Literal["near", "at most", "at least"]
"""When a number agrees: near the published one, or not beyond it."""


class Kind(StrEnum):
    """Kind of evidence that a comparison is, strongest first."""

    INDEPENDENT = "independent"
    """Ours comes from a model whose inputs are stated apart from the claim."""
    HELD_OUT = "held out"
    """Ours comes from a fit to other data than the claim's."""
    CALIBRATED = "calibrated"
    """An input was chosen, by us or in the specification, so that the claim comes out."""
    ROUND_TRIP = "round trip"
    """The published value was put in, and found again."""
    RECOMPUTED = "recomputed"
    """Ours is computed from other numbers of the same paper by the paper's own formula."""
    OWN_LAW = "own law"
    """Ours is compared with a formula of ours; the paper prints no such number."""
    DEFINITION = "definition"
    """It follows from how things are built, or from a threshold of ours."""
    INCOMPARABLE = "not comparable"
    """No program can meet it."""

    @property
    def can_fail(self) -> bool:
        """Whether it is evidence: a wrong model could have come to another number."""
        return self in (Kind.INDEPENDENT, Kind.HELD_OUT)


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
    kind: Kind
    """Kind of evidence."""
    null: float | None = None
    """What a model that does nothing scores; needed where `kind.can_fail` [unit of `unit`]."""
    null_model: str = ""
    """What that model is, as "a robot that never moves"."""
    inputs_from: str = ""
    """Source of the inputs of ours, in one sentence; needed where `kind.can_fail`."""
    variants_tried: str = ""
    """What else was tried before this setting was stated, in one sentence; empty if nothing."""
    assumptions: str = ""
    """What was assumed, in one sentence; empty if nothing."""
    incomparable: str = ""
    """Why no program can meet it, in one sentence; empty if one can."""
    is_timed: bool = False
    """Whether ours depends on the computer that it is found on."""

    def __post_init__(self) -> None:
        if bool(self.incomparable) != (self.kind == Kind.INCOMPARABLE):
            raise ValueError(
                f"{self.key}: a claim has a reason if it is not comparable, and else none"
            )
        if self.kind.can_fail and (self.null is None or not self.inputs_from):
            raise ValueError(f"{self.key}: a claim that can fail needs a null and inputs_from")

    @property
    def rejects_null(self) -> bool:
        """Whether a model that does nothing differs from it."""
        return self.null is not None and self.judge(self.null) == Word.DIFFERS

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
    interval: tuple[float, float] | None = None
    """90 % interval of our number, where it was estimated [unit of the claim]."""
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


class Status(StrEnum):
    """What became of a conclusion of a paper, failures first."""

    FAILED = "not reproduced"
    PARTLY = "partly reproduced"
    REPRODUCED = "reproduced"
    UNTESTABLE = "cannot be tested"
    MISSING = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What a paper concludes, and the claims that it stands or falls with."""

    words: str
    """The conclusion, in one sentence of our own."""
    where: str
    """Where the paper draws it."""
    claims: tuple[str, ...] = ()
    """Keys of the claims that decide it; all of them agree if it is reproduced."""
    untestable: str = ""
    """Why it cannot be tested, in one sentence; empty if it can."""
    comment: str = ""
    """What was found, and why ours differs where it does, in a sentence or two."""

    def judge(self, verdicts: Mapping[str, Verdict]) -> Status:
        """Return its status by the verdicts on claims; all but `can_fail` show it in part only."""
        if self.untestable:
            return Status.UNTESTABLE
        decisive = [verdicts[key] for key in self.claims]
        words = {verdict.word for verdict in decisive}
        if words <= {Word.INCOMPARABLE}:
            return Status.UNTESTABLE
        if Word.MISSING in words:
            return Status.MISSING
        if Word.AGREES not in words:
            return Status.FAILED
        is_shown = all(v.claim.kind.can_fail for v in decisive)
        return Status.REPRODUCED if words == {Word.AGREES} and is_shown else Status.PARTLY


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
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """90 % intervals of those numbers that were estimated [unit of each claim]."""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        panels = [_listed(asdict(panel)) for panel in self.panels]
        intervals = {key: list(limits) for key, limits in self.intervals.items()}
        return {"values": dict(self.values), "panels": panels, "intervals": intervals}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Findings":
        """Return what `to_json` made."""
        panels = tuple(_restore(panel) for panel in content["panels"])
        intervals = {key: (low, high) for key, (low, high) in content["intervals"].items()}
        return cls(values=dict(content["values"]), panels=panels, intervals=intervals)


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A run that measures some claims of a paper."""

    paper: str
    """Name of the paper: P0 to P4."""
    name: str
    """Short name, unique within the paper."""
    title: str
    """Its title."""
    run: Callable[[Variation], Findings]
    """Runs it; a function of a module, so that another process can call it."""
    depends_on: tuple[Factor, ...] = ()
    """What of a variation changes its numbers."""
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
    conclusions: tuple[Conclusion, ...] = ()
    """What it concludes."""


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
