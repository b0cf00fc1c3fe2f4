"""Many random robots, identified: how often do intervals hold the truth?"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from grouser.identify.families import FAMILIES
from grouser.identify.fit import Status
from grouser.identify.fit_family import fit_family
from grouser.identify.record import Kind
from grouser.identify.recovery.random_drive import Troubles, random_drive
from grouser.identify.recovery.random_robot import random_setting, random_values


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """How well one family comes back."""

    family: str
    """Whose parameters."""
    kind: str
    """What was observed."""
    robots: int
    """How many random robots drove."""
    held: dict[str, float]
    """Share of the robots whose interval holds the truth, by parameter [1]."""
    coverage: float
    """The same over all parameters [1]."""
    errors: dict[str, float]
    """Median error, over half the interval, by parameter [1]."""
    largest_offset_error: float
    """Largest error of the offset of the clocks [s]."""
    unsettled: int
    """Fits that did not come to rest."""


def recover(
    family: str,
    robots: int = 50,
    *,
    kind: Kind = "pose",
    duration: float = 90.0,
    troubles: Troubles | None = None,
    seed: int = 0,
    tell: Callable[[int], None] = lambda done: None,
) -> Recovery:
    """Drive random robots, identify each, and count.

    Args:
        family: Whose parameters.
        robots: How many.
        kind: What is observed.
        duration: Of each drive [s].
        troubles: What is wrong with the data; noise, gross errors, a gap and another clock if
            not given.
        seed: Of all chance.
        tell: Is told how many are done.
    """
    chosen = FAMILIES[family]
    held: dict[str, list[bool]] = {}
    errors: dict[str, list[float]] = {}
    offsets, unsettled = [0.0], 0
    for number in range(robots):
        generator = np.random.default_rng((seed, number))
        setting = random_setting(family, generator)
        values = random_values(family, setting, generator)
        record, offset = random_drive(
            chosen, values, setting, generator, kind=kind, duration=duration, troubles=troubles
        )
        fit = fit_family(chosen, (record,), setting, seed=number)
        unsettled += fit.status == Status.UNSETTLED
        names = [p.name for p in chosen.parameters(setting, (record,))]
        truth = dict(zip(names, values.tolist(), strict=True)) | {"time_offset": offset}
        for name, value in truth.items():
            if name in fit.parameters:
                found = fit.parameters[name]
                held.setdefault(name, []).append(found.holds(value))
                half = max(found.high - found.value, 1e-12)
                errors.setdefault(name, []).append(abs(found.value - value) / half)
        if "time_offset" in fit.parameters:
            offsets.append(abs(fit.parameters["time_offset"].value - offset))
        tell(number + 1)
    everything = [inside for of_name in held.values() for inside in of_name]
    return Recovery(
        family=family,
        kind=kind,
        robots=robots,
        held={name: float(np.mean(inside)) for name, inside in held.items()},
        coverage=float(np.mean(everything)),
        errors={name: float(np.median(error)) for name, error in errors.items()},
        largest_offset_error=max(offsets),
        unsettled=unsettled,
    )
