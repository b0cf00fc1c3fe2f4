"""Many random robots, identified: how often do intervals hold the truth?"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grouser.identify.families import FAMILIES
from grouser.identify.fit import Status
from grouser.identify.fit_family import fit_family
from grouser.identify.record import Kind
from grouser.identify.recovery.random_drive import Troubles, random_drive
from grouser.identify.recovery.random_robot import random_setting, random_values
from grouser.spread import ALONE, Crew, Task, Tell, spread


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
    told: dict[str, float]
    """Share of the robots whose log told the parameter at all, by parameter [1]."""
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
    crew: Crew = ALONE,
    file: Path | None = None,
    tell: Tell = lambda *_: None,
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
        crew: Who does it.
        file: Where the robots that are done are kept; None for nowhere.
        tell: Is told of each robot that is done.
    """
    given = {
        "family": family,
        "kind": kind,
        "duration": duration,
        "troubles": troubles or Troubles(),
    }
    tasks = [
        Task(
            name=f"{family} from {kind}, {duration:g} s, robot {seed}.{number}",
            function=recover_one,
            arguments=given | {"seed": (seed, number)},
        )
        for number in range(robots)
    ]
    what = "recovered robots"
    found = dict(spread(tasks, crew, file=file, what=what, tell=tell, fits=_is_recovered))
    return _count(family, kind, [found[task.name] for task in tasks])


def _is_recovered(kept: Any) -> bool:
    """Return whether a kept result is what `recover_one` returns."""
    if not isinstance(kept, dict) or not isinstance(kept.get("unsettled"), bool):
        return False
    found = kept.get("parameters")
    return isinstance(found, dict) and all(
        isinstance(row, list) and len(row) == 4 and all(isinstance(n, int | float) for n in row)
        for row in found.values()
    )


def recover_one(
    family: str, kind: Kind, duration: float, troubles: Troubles, seed: tuple[int, int]
) -> dict[str, Any]:
    """Return what one random robot was, and what was found: plain, to be kept.

    Args:
        family: Whose parameters.
        kind: What is observed.
        duration: Of the drive [s].
        troubles: What is wrong with the data.
        seed: Of this robot.
    """
    chosen = FAMILIES[family]
    generator = np.random.default_rng(seed)
    setting = random_setting(family, generator)
    values = random_values(family, setting, generator)
    record, offset = random_drive(
        chosen, values, setting, generator, kind=kind, duration=duration, troubles=troubles
    )
    fit = fit_family(chosen, (record,), setting, seed=seed[1])
    names = [p.name for p in chosen.parameters(setting, (record,))]
    truth = dict(zip(names, values.tolist(), strict=True)) | {"time_offset": offset}
    return {
        "unsettled": fit.status == Status.UNSETTLED,
        "parameters": {
            name: [value, found.value, found.low, found.high]
            for name, value in truth.items()
            if (found := fit.parameters.get(name)) is not None
        },
    }


def _count(family: str, kind: str, robots: list[dict[str, Any]]) -> Recovery:
    held: dict[str, list[bool]] = {}
    errors: dict[str, list[float]] = {}
    offsets = [0.0]
    for robot in robots:
        for name, (true, value, low, high) in robot["parameters"].items():
            held.setdefault(name, []).append(low <= true <= high)
            errors.setdefault(name, []).append(abs(value - true) / max(high - value, 1e-12))
            if name == "time_offset":
                offsets.append(abs(value - true))
    everything = [inside for of_name in held.values() for inside in of_name]
    return Recovery(
        family=family,
        kind=kind,
        robots=len(robots),
        held={name: float(np.mean(inside)) for name, inside in held.items()},
        told={name: len(inside) / len(robots) for name, inside in held.items()},
        coverage=float(np.mean(everything)),
        errors={name: float(np.median(error)) for name, error in errors.items()},
        largest_offset_error=max(offsets),
        unsettled=sum(robot["unsettled"] for robot in robots),
    )
