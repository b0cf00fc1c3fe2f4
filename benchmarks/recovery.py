"""Random robots with noise, gross errors, a gap and another clock: what comes back.

`python -m benchmarks recovery` drives fifty robots of each kinematic family for two minutes, as one
log and in sixty pieces of 2 s, and takes minutes; `recovery-choice` fits all families to the same
drives and counts what is recommended, which takes an hour; `recovery-simulated` does the first with
families that are simulated. Robots that are done are kept in out/recovery.json: delete it after a
change.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grouser.identify import FAMILIES, kinematic_families
from grouser.identify.record import Kind
from grouser.identify.recovery import Recovery, recover
from grouser.tasks import Workers

KINEMATIC = tuple(name for name in kinematic_families() if name != "ideal")
SIMULATED = tuple(name for name, family in FAMILIES.items() if family.is_simulated)
MANY, FEW = 50, 10
LONG, SHORT = 120.0, 40.0  # [s]
PIECE = 2.0  # [s]
KEPT = Path("out/recovery.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One line of the table."""

    family: str
    duration: float
    robots: int
    kind: Kind = "pose"
    piece: float = 0.0
    chooses: bool = False


def kinematic_cases() -> Iterable[Case]:
    for family in KINEMATIC:
        for piece in (0.0, PIECE):
            yield Case(family=family, duration=LONG, robots=MANY, piece=piece)
        yield Case(family=family, duration=LONG, robots=MANY, kind="twist")


def choice_cases() -> Iterable[Case]:
    for family in ("ideal", *KINEMATIC):
        for piece in (0.0, PIECE):
            yield Case(family=family, duration=LONG, robots=MANY, piece=piece, chooses=True)


def simulated_cases() -> Iterable[Case]:
    for family in SIMULATED:
        for piece in (0.0, PIECE):
            yield Case(family=family, duration=SHORT, robots=FEW, piece=piece)


def measure_recovery(cases: Iterable[Case]) -> list[Recovery]:
    """Return all lines; robots that were done before are not done again."""

    def tell(name: str, done: int, count: int) -> None:
        if name:
            print(f"{name}: {done} of {count}", file=sys.stderr)

    KEPT.parent.mkdir(exist_ok=True)
    return [
        recover(
            case.family, case.robots, kind=case.kind, duration=case.duration, piece=case.piece,
            chooses=case.chooses, workers=Workers(), file=KEPT, tell=tell,
        )
        for case in cases
    ]  # fmt: skip
