"""Speeds and turns that a record holds, by its belts alone, and manoeuvres that it lacks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.geometry import Array
from grouser.identify.record import Record
from grouser.units import format_number

STILL_SHARE = 0.05
"""Speed of the faster belt, over its largest, below which a robot stands [1]."""
STRAIGHT_CONTRAST = 0.1
"""Half the belts' difference over the faster belt, below which a robot drives straight [1]."""
SPOT_CONTRAST = 0.75
"""The same, above which it turns on the spot [1]."""
MIN_SHARE = 0.02
"""Share of the time in motion below which a manoeuvre counts as missing [1]."""
MIN_SPEED_RATIO = 1.5
"""Ratio of the faster belt's 95 % and 5 % quantiles below which there is only one speed [1]."""
MIN_CONTRAST_RANGE = 0.15
"""Range of the belts' contrast in arcs, between its 5 % and 95 % quantiles, below which all arcs
have about the same radius [1]."""
TAIL = 0.01
"""Share of the time left out at either end of a range [1]."""
MANOEUVRES = (
    "straight ahead",
    "straight back",
    "arcs to the left",
    "arcs to the right",
    "turns on the spot to the left",
    "turns on the spot to the right",
)
"""What the time in motion is divided into; left is counter-clockwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """What was driven, by the belts."""

    speed: tuple[float, float]
    """Range of the mean belt speed [m/s]."""
    turn_rate: tuple[float, float]
    """Range of the belts' turn rate: right less left, over the gauge [rad/s]."""
    faster_belt: tuple[float, float]
    """5 % and 95 % quantile of the speed of the faster belt in motion [m/s]."""
    arc_contrast: tuple[float, float]
    """5 % and 95 % quantile of half the belts' difference over the faster belt, in arcs [1]."""
    shares: Mapping[str, float]
    """Share of the time in motion, for each of `MANOEUVRES` [1]."""
    reverse: float
    """Share of the time in motion with a negative mean belt speed, other than on the spot [1]."""
    reverse_arcs: float
    """Share of the time in motion in arcs with a negative mean belt speed [1]."""

    def holds(self, *manoeuvres: str) -> bool:
        """Return whether all of some manoeuvres were driven."""
        return all(self.shares[name] >= MIN_SHARE for name in manoeuvres)

    def holds_any(self, *manoeuvres: str) -> bool:
        """Return whether one of some manoeuvres was driven."""
        return any(self.shares[name] >= MIN_SHARE for name in manoeuvres)

    @property
    def moves(self) -> bool:
        """Whether the belts move at all."""
        return sum(self.shares.values()) > 0.0

    @property
    def has_several_speeds(self) -> bool:
        """Whether the faster belt has more than a narrow band of speeds."""
        return self.faster_belt[1] >= MIN_SPEED_RATIO * self.faster_belt[0]

    @property
    def has_several_radii(self) -> bool:
        """Whether arcs have more than one radius."""
        return self.arc_contrast[1] - self.arc_contrast[0] >= MIN_CONTRAST_RANGE

    def missing(self) -> tuple[str, ...]:
        """Return what to drive next, in sentences; empty if nothing is missing."""
        if not self.moves:
            return ("The belts stand still: drive straights, arcs and turns on the spot.",)
        found = []
        ahead, back, *_ = (self.holds(name) for name in MANOEUVRES)
        if not (ahead or back):
            found.append("There are no straights: drive some metres straight ahead and back.")
        if self.reverse < MIN_SHARE:
            found.append("All of it was driven ahead: drive in reverse too.")
        elif self.reverse > 1.0 - MIN_SHARE - sum(
            self.shares[name] for name in MANOEUVRES if "spot" in name
        ):
            found.append("All of it was driven in reverse: drive ahead too.")
        for what, verb in (("arcs", "drive arcs"), ("turns on the spot", "turn on the spot")):
            sides = [side for side in ("left", "right") if not self.holds(f"{what} to the {side}")]
            if len(sides) == 2:
                found.append(f"There are no {what}: {verb}, to both sides.")
            elif sides:
                found.append(f"There are no {what} to the {sides[0]}: {verb} to both sides.")
        if self.reverse >= MIN_SHARE > self.reverse_arcs and self.holds_any(*MANOEUVRES[2:4]):
            found.append("All arcs were driven ahead: drive arcs in reverse too.")
        if not self.has_several_speeds:
            low, high = (format_number(v, 3) for v in self.faster_belt)
            found.append(
                f"The speeds are in one narrow band, {low} to {high} m/s of the faster belt: drive "
                "slower and faster too."
            )
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain JSON values."""
        return {
            "mean_belt_speed_m_s": list(self.speed),
            "belt_turn_rate_rad_s": list(self.turn_rate),
            "faster_belt_m_s": list(self.faster_belt),
            "arc_contrast": list(self.arc_contrast),
            "share_of_time_in_motion": dict(self.shares),
            "reverse": self.reverse,
            "reverse_arcs": self.reverse_arcs,
            "missing": list(self.missing()),
        }


def belt_motion(record: Record, gauge: float) -> tuple[Array, Array, Array]:
    """Return mean belt speed [m/s], turn rate of the belts [rad/s] and time [s or 1] of samples.

    The time of a row of a table of steady states is 1.
    """
    weights = np.ones(record.time.size) if record.steady else record.steps
    return 0.5 * (record.left + record.right), (record.right - record.left) / gauge, weights


def describe_driven(record: Record, gauge: float) -> Driven:
    """Return what was driven, for a gauge [m]."""
    mean, turn_rate, weights = belt_motion(record, gauge)
    half = 0.5 * gauge * turn_rate
    faster = np.abs(mean) + np.abs(half)  # the larger of both belts, either way
    moving = weights * (faster > max(STILL_SHARE * _quantile(faster, weights, 1 - TAIL), 1e-6))
    contrast = np.abs(half) / np.maximum(faster, 1e-12)
    straight, spot = contrast < STRAIGHT_CONTRAST, contrast > SPOT_CONTRAST
    arc = ~straight & ~spot
    kinds = (
        straight & (mean > 0), straight & (mean < 0), arc & (half > 0), arc & (half < 0),
        spot & (half > 0), spot & (half < 0),
    )  # fmt: skip
    total = max(float(moving.sum()), 1e-12)
    return Driven(
        speed=_range(mean, weights, TAIL),
        turn_rate=_range(turn_rate, weights, TAIL),
        faster_belt=_range(faster, moving, 0.05),
        arc_contrast=_range(contrast, moving * arc, 0.05),
        shares={
            name: float(moving[kind].sum()) / total
            for name, kind in zip(MANOEUVRES, kinds, strict=True)
        },
        reverse=float(moving[(mean < 0) & ~spot].sum()) / total,
        reverse_arcs=float(moving[(mean < 0) & arc].sum()) / total,
    )


def _range(values: Array, weights: Array, tail: float) -> tuple[float, float]:
    return _quantile(values, weights, tail), _quantile(values, weights, 1.0 - tail)


def _quantile(values: Array, weights: Array, share: float) -> float:
    """Return a quantile of values with weights; 0 if all weights are 0."""
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    if not total.size or total[-1] <= 0.0:
        return 0.0
    return float(values[order][min(np.searchsorted(total, share * total[-1]), total.size - 1)])


NEEDED_BY_WORDS: Mapping[str, tuple[str, ...]] = {
    "spot": MANOEUVRES[4:],
    "arcs": MANOEUVRES[2:4],
    "straight": MANOEUVRES[:1],
}
"""Manoeuvres that a word of advice stands for."""
NOT_IN_BELTS = ("slope", "accelerate", "stand still", "stop")
"""Words of advice on what the belts' speeds alone do not show."""
NEXT = "; next, "
"""What comes before the manoeuvre in a sentence of advice."""


def is_driven(manoeuvre: str, driven: Driven) -> bool:
    """Return whether all that a piece of advice names was driven already."""
    needed = [names for word, names in NEEDED_BY_WORDS.items() if word in manoeuvre]
    if not needed or any(word in manoeuvre for word in NOT_IN_BELTS):
        return False
    return (
        all(driven.holds(*names) for names in needed)
        and ("speeds" not in manoeuvre or driven.has_several_speeds)
        and ("radii" not in manoeuvre or driven.has_several_radii)
    )


def useful_advice(advice: Iterable[str], driven: Driven) -> tuple[str, ...]:
    """Return sentences of advice without manoeuvres that the record holds already."""
    found = []
    for sentence in advice:
        known, mark, manoeuvre = sentence.partition(NEXT)
        if mark and is_driven(manoeuvre, driven):
            known += "; the manoeuvres for that are in the log: drive them for longer."
            found.append(known)
        else:
            found.append(sentence)
    return tuple(found)
