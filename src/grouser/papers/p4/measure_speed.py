"""P4's speed benchmark: PackBot 510 on flat ground at 0.3 m/s, steps of 1 ms."""

from collections.abc import Iterable

from grouser.bench import time_drive
from grouser.description import load_course, load_robot
from grouser.models import command_sides, make_model, start_model

SPEED, TICK = 0.3, 0.1
"""Speed of the belts, P4 section IV.A [m/s], and how long one command holds [s]."""
DURATION = 1.0
"""How long each drive takes [s]."""
MODELS = {
    "proposed": "segments",
    "proposed_no_grousers": "segments:grousers=0",
    "4_wheels": "wheels:count=4",
    "13_wheels": "wheels:count=13",
    "constraint_to_ground": "csm",
}
"""Our models by P4's names in Table II."""


def measure_speed(references: Iterable[str], drives: int = 10) -> dict[str, float]:
    """Return the real-time factor of each model: simulated over processor time, its best [1].

    Args:
        references: Models, with parameters.
        drives: How often each drives, in turn with the others.
    """
    robot, course = load_robot("packbot510"), load_course("flat")
    plants = {ref: start_model(make_model(ref), robot, course) for ref in references}
    command = command_sides(robot, SPEED, SPEED)
    best = dict.fromkeys(plants, 0.0)
    for _ in range(drives):
        for reference, plant in plants.items():
            factor = DURATION / time_drive(plant, command, DURATION, tick=TICK)
            best[reference] = max(best[reference], factor)
    return best
