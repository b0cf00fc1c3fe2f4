"""What the loop shows of itself: a value that any thread may look at."""

from dataclasses import dataclass
from typing import Literal

from grouser.models import Motion
from grouser.viewer.frame import Frame

Mode = Literal["manual", "path", "replay", "board"]
"""Who drives: a person, a path follower, nobody (a log is replayed), or a board in the loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """How far a ghost is from the robot."""

    model: str
    """The ghost's model."""
    distance: float
    """Between the two origins [m]."""
    heading: float
    """By how much the ghost's heading is to the left of the robot's [rad]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One moment of a session or of a replay."""

    scene: int
    """Which scene it belongs to: a new number for every robot, course or set of ghosts."""
    run: int
    """Which run it belongs to: a new number whenever time starts anew."""
    time: float
    """Simulated time [s]."""
    mode: Mode
    """Who drives."""
    motion: Motion
    """How the robot moves."""
    frames: tuple[Frame, ...]
    """How the robot looks, and after it each ghost."""
    gaps: tuple[Gap, ...] = ()
    """How far each ghost is away."""
    duration: float = 0.0
    """How long the log is that is replayed [s]."""
