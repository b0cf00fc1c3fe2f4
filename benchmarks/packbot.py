"""P4's speed benchmark: PackBot 510 on flat ground at 0.3 m/s, steps of 1 ms."""

import time
from dataclasses import dataclass
from typing import Any

from grouser.description import load_course, load_robot
from grouser.models import command_sides, make_model, start_model
from grouser.papers.p4.measure_speed import DURATION, MODELS, SPEED, TICK
from grouser.papers.p4.printed import read_factors

DRIVES = 10
"""How often each model drives, in turn with the others."""
CSM = read_factors()["constraint_to_ground"]
"""Factor of csm in P4, estimated there [1]."""
PUBLISHED: dict[str, float | None] = {
    **{MODELS[name]: factor for name, factor in read_factors().items()},
    **dict.fromkeys(("frictionless", "csm:boxes=1", "plates")),
}
"""Real-time factors of P4 Table II, on another computer; none of models that P4 lacks [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    model: str
    """What drove."""
    real_time_factor: float
    """Simulated over processor time [1]."""
    over_csm: float
    """That over csm's in the same run [1]."""
    published: float | None
    """Real-time factor of P4 [1]."""
    published_over_csm: float | None
    """That over csm's in P4 [1]."""
    contacts: float
    """Contacts in a step, mean over the drive [1]."""
    degrees: int
    """Degrees of freedom of the engine [1]."""
    geoms: int
    """Shapes that may touch [1]."""


def measure_packbot() -> list[Row]:
    """Return all lines, the fastest first."""
    robot, course = load_robot("packbot510"), load_course("flat")
    plants: dict[str, Any] = {ref: start_model(make_model(ref), robot, course) for ref in PUBLISHED}
    command = command_sides(robot, SPEED, SPEED)
    best, contacts = dict.fromkeys(PUBLISHED, 0.0), dict.fromkeys(PUBLISHED, 0.0)
    for _ in range(DRIVES):
        for reference, plant in plants.items():
            begin = time.process_time()
            for _ in range(round(DURATION / TICK)):
                plant.advance(command, TICK)
            best[reference] = max(best[reference], DURATION / (time.process_time() - begin))
            contacts[reference] += plant.data.ncon / DRIVES
    rows: list[Row] = []
    for reference, factor in sorted(best.items(), key=lambda item: -item[1]):
        published, engine = PUBLISHED[reference], plants[reference].scene.model
        rows.append(
            Row(
                model=reference,
                real_time_factor=factor,
                over_csm=factor / best["csm"],
                published=published,
                published_over_csm=None if published is None else published / CSM,
                contacts=contacts[reference],
                degrees=engine.nv,
                geoms=engine.ngeom,
            )
        )
    return rows
