"""A published number that a program can meet, or cannot, and what we found beside it."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

Mark: TypeAlias = Literal["T", "R", "A"]
"""How sure the published value is: stated in the text, reconstructed, or with an assumption."""

Sense: TypeAlias = Literal["near", "at most", "at least"]
"""When a number agrees: near the published one, or not beyond it."""


class Word(StrEnum):
    """What a comparison comes to."""

    AGREES = "agrees"
    DIFFERS = "differs"
    INCOMPARABLE = "cannot be compared"
    MISSING = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a paper prints, where, and how near is near enough."""

    paper: str
    """Which paper: P0 to P4."""
    experiment: str
    """Which of our experiments finds it."""
    key: str
    """What it is called there, and what it is."""
    published: float
    """As printed; 1 and 0 for yes and no [unit as `unit` says]."""
    unit: str
    """SI unit; "1" for a ratio, "yes/no" for an outcome."""
    tolerance: float
    """Largest difference that agrees, beyond the published value if that is a limit
    [unit as `unit` says]."""
    where: str
    """Where it is printed."""
    sense: Sense = "near"
    """Whether the published value is to be met, or is a limit."""
    mark: Mark = "T"
    """How sure the published value is."""
    remark: str = ""
    """Why ours differs, or what was assumed, in one sentence."""
    incomparable: str = ""
    """Why no program can meet it, in one sentence; empty if one can."""
    is_timed: bool = False
    """Whether ours depends on the computer that it is found on."""

    def judge(self, ours: float | None) -> Word:
        """Return what comes of it beside our number."""
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
    """A claim and what we found."""

    claim: Claim
    """What was published."""
    ours: float | None
    """What we found; None if there is nothing to find or it was not run [unit of the claim]."""
    lack: str = ""
    """What this machine lacks to find it, in one sentence; empty if nothing."""

    @property
    def word(self) -> Word:
        """What it comes to."""
        return Word.INCOMPARABLE if self.lack else self.claim.judge(self.ours)

    @property
    def reason(self) -> str:
        """Why it differs or cannot be compared, or what was assumed; empty if it just agrees."""
        if self.word == Word.INCOMPARABLE:
            return self.claim.incomparable or self.lack
        explains = self.word == Word.DIFFERS or self.claim.mark != "T"
        return self.claim.remark if explains else ""
