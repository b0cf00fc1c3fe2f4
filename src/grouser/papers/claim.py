"""A published number that a program can meet, or cannot, and what we found beside it."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

Mark: TypeAlias = Literal["T", "R", "A"]
"""How sure the published value is: stated in the text, reconstructed, or with an assumption."""


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
    """Largest difference that agrees [unit as `unit` says]."""
    where: str
    """Where it is printed."""
    mark: Mark = "T"
    """How sure the published value is."""
    remark: str = ""
    """Why ours differs, or what was assumed, in one sentence."""
    incomparable: str = ""
    """Why no program can meet it, in one sentence; empty if one can."""

    def judge(self, ours: float | None) -> Word:
        """Return what comes of it beside our number."""
        if self.incomparable:
            return Word.INCOMPARABLE
        if ours is None:
            return Word.MISSING
        near = math.isfinite(ours) and abs(ours - self.published) <= self.tolerance * (1 + 1e-9)
        return Word.AGREES if near else Word.DIFFERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A claim and what we found."""

    claim: Claim
    """What was published."""
    ours: float | None
    """What we found; None if there is nothing to find or it was not run [unit of the claim]."""

    @property
    def word(self) -> Word:
        """What it comes to."""
        return self.claim.judge(self.ours)
