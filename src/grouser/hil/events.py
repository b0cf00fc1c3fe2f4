"""What a conversation with a board brings, as values."""

from dataclasses import dataclass
from typing import TypeAlias

from grouser.hil.messages import Boot, HelloAck, Nak, State


@dataclass(frozen=True, slots=True)
class Booted:
    """The board has started; without being asked for if it was connected."""

    boot: Boot
    """What it said."""
    was_connected: bool
    """Whether it was connected before: then all it knew is gone."""


@dataclass(frozen=True, slots=True)
class Connected:
    """The board accepts the connection."""

    ack: HelloAck
    """What it said."""


@dataclass(frozen=True, slots=True)
class StateArrived:
    """A new state; the newest, if several were waiting."""

    state: State
    """As it came."""
    seq: int
    """Its number, which does not wrap [1]."""
    time: float
    """The board's clock, which does not wrap [s]."""
    skipped: int
    """States that were waiting and are older [1]."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The board refused a message."""

    nak: Nak
    """What it said."""


@dataclass(frozen=True, slots=True)
class LinkLost:
    """The board has said nothing for too long."""

    silence: float
    """Time since its last state [s]."""


@dataclass(frozen=True, slots=True)
class LinkBack:
    """A board that had fallen silent speaks again."""


@dataclass(frozen=True, slots=True)
class Implausible:
    """The board said what no board of this protocol can say; it was not acted upon."""

    problem: str
    """What it said, and what would have been possible."""


Event: TypeAlias = Booted | Connected | StateArrived | Refused | LinkLost | LinkBack | Implausible
"""Anything that happens."""
