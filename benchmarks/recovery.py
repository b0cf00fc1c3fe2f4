"""Random robots with noise, gross errors, a gap and another clock: what comes back.

`python -m benchmarks recovery` takes some minutes; families that are simulated are asked for by
`recovery-simulated`, with fewer robots.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass

from grouser.identify.recovery import Recovery, recover
from grouser.identify.recovery.random_robot import FAMILIES_TO_RECOVER

KINEMATIC = tuple(f for f in FAMILIES_TO_RECOVER if f in ("slip", "icr", "icr-varying", "turning"))
SIMULATED = tuple(f for f in FAMILIES_TO_RECOVER if f not in KINEMATIC)
ROBOTS, FEW, FEWEST = 50, 10, 4
SHORT = 40.0  # [s]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One line of the table."""

    family: str
    kind: str
    robots: int
    duration: float


def kinematic_cases() -> Iterable[Case]:
    for family in KINEMATIC:
        for kind in ("pose", "twist"):
            yield Case(family=family, kind=kind, robots=ROBOTS, duration=90.0)


def simulated_cases() -> Iterable[Case]:
    for family in SIMULATED:
        robots = FEW if family == "tankbot" else FEWEST
        yield Case(family=family, kind="pose", robots=robots, duration=SHORT)


def recovery_cases(sections: Iterable[str]) -> list[Case]:
    """Return what was asked for."""
    cases: list[Case] = []
    if "recovery" in sections:
        cases += kinematic_cases()
    if "recovery-simulated" in sections:
        cases += simulated_cases()
    return cases


def measure_recovery(cases: Iterable[Case]) -> list[Recovery]:
    """Return all lines."""
    found = []
    for case in cases:

        def tell(done: int, case: Case = case) -> None:
            print(f"{case.family} {case.kind}: {done} of {case.robots}", file=sys.stderr)

        found.append(
            recover(case.family, case.robots, kind=case.kind, duration=case.duration, tell=tell)
        )
    return found
