"""Random robots with noise, gross errors, a gap and another clock: what comes back.

`python -m benchmarks recovery` takes some minutes; families that are simulated are asked for by
`recovery-simulated`, which takes an hour of two cores. Robots that are done are kept in
out/recovery.json: delete it after a change.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grouser.identify import FAMILIES
from grouser.identify.record import Kind
from grouser.identify.recovery import Recovery, recover
from grouser.tasks import Workers

KINEMATIC = ("slip", "icr", "icr-varying", "turning")
SIMULATED = tuple(name for name, family in FAMILIES.items() if family.is_simulated)
MANY, FEW = 200, 50
SHORT, LONG = 40.0, 90.0  # [s]
KEPT = Path("out/recovery.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One line of the table."""

    family: str
    kind: Kind
    duration: float
    robots: int


def kinematic_cases() -> Iterable[Case]:
    for family in KINEMATIC:
        for kind in ("pose", "twist"):
            yield Case(family=family, kind=kind, duration=LONG, robots=MANY)


def simulated_cases() -> Iterable[Case]:
    for family in SIMULATED:
        yield Case(family=family, kind="pose", duration=SHORT, robots=FEW)


def measure_recovery(cases: Iterable[Case]) -> list[Recovery]:
    """Return all lines; robots that were done before are not done again."""

    def tell(name: str, done: int, count: int) -> None:
        if name:
            print(f"{name}: {done} of {count}", file=sys.stderr)

    KEPT.parent.mkdir(exist_ok=True)
    return [
        recover(
            case.family,
            case.robots,
            kind=case.kind,
            duration=case.duration,
            workers=Workers(),
            file=KEPT,
            tell=tell,
        )
        for case in cases
    ]
