"""A paper: what it claims, and what is run to see."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from grouser.papers.claim import Claim
from grouser.papers.experiment import Experiment
from grouser.report import Panel


def _draw_nothing(values: Mapping[str, float]) -> tuple[Panel, ...]:
    return ()


def _derive_nothing(values: Mapping[str, float]) -> dict[str, float]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """One of the five sources."""

    name: str
    """P0 to P4."""
    title: str
    """Who wrote it, about what."""
    experiments: tuple[Experiment, ...]
    """What is run."""
    make_claims: Callable[[], tuple[Claim, ...]]
    """Returns what it claims."""
    draw: Callable[[Mapping[str, float]], tuple[Panel, ...]] = _draw_nothing
    """Returns figures over several experiments, from all numbers that were found."""
    derive: Callable[[Mapping[str, float]], dict[str, float]] = _derive_nothing
    """Returns numbers over several experiments, of those that were run."""
    highlights: tuple[str, ...] = ()
    """Claims that sum it up, by their keys."""
