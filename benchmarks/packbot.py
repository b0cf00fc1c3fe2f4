"""P4's speed benchmark: PackBot 510 on flat ground at 0.3 m/s, steps of 1 ms."""

from dataclasses import dataclass

from grouser.description import load_course, load_robot
from grouser.drawing.at_rest import start_in_3d
from grouser.models import command_sides, make_model
from grouser.papers.p4.speed import (
    MODELS,
    PACKBOT_DURATION,
    PACKBOT_SPEED,
    PACKBOT_TICK,
    measure_factors,
)
from grouser.papers.p4.tables import read_factors

CSM = read_factors()["constraint_to_ground"]
"""Factor of csm in P4, estimated there [1]."""
PUBLISHED: dict[str, float | None] = {
    **{MODELS[name]: factor for name, factor in read_factors().items()},
    **dict.fromkeys(("frictionless", "csm:patches=2", "plates")),
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
    """Contacts in a step, mean over a drive [1]."""


def measure_packbot() -> list[Row]:
    """Return all lines, the fastest first."""
    best = {model: max(factors) for model, factors in measure_factors(PUBLISHED).items()}
    rows: list[Row] = []
    for reference, factor in sorted(best.items(), key=lambda item: -item[1]):
        published, contacts = PUBLISHED[reference], _count_contacts(reference)
        rows.append(
            Row(
                model=reference,
                real_time_factor=factor,
                over_csm=factor / best["csm"],
                published=published,
                published_over_csm=None if published is None else published / CSM,
                contacts=contacts,
            )
        )
    return rows


def _count_contacts(reference: str) -> float:
    robot = load_robot("packbot510")
    plant = start_in_3d(make_model(reference), robot, load_course("flat"))
    command, ticks = (
        command_sides(robot, PACKBOT_SPEED, PACKBOT_SPEED),
        round(PACKBOT_DURATION / PACKBOT_TICK),
    )
    contacts = 0.0
    for _ in range(ticks):
        plant.advance(command, PACKBOT_TICK)
        contacts += len(plant.world.contacts(0).belt) / ticks
    return contacts
