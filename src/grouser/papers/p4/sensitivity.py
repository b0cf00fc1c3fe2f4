"""What the outcomes of Table IV depend on: one setting changed at a time, and two at once.

The grid was stated before it was run. P4 states friction and the geometry of grousers; it does not
state where the centre of mass is, how the rear sub-tracks stand, or how soft the rubber is.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from grouser.description import Robot, load_robot
from grouser.papers.p4.step_climbing import STEP, attempt_loaded
from grouser.papers.variation import AS_STATED, Variation


TILT, FRICTION = "front sub-tracks higher than stated by [deg]", "friction [1]"
PHASE = "start nearer to the step by [pitch]"
TALL, MANY = "height of grousers [mm]", "grousers on a sub-track [1]"
SOFT = "give of grousers per force and width [1/MPa]"
GIVE = "give of front hinges [deg per 10 N m]"
AHEAD, REAR = "centre of mass ahead by [mm]", "rear sub-tracks raised by [deg]"
SETTINGS: dict[str, tuple[float, tuple[float, ...]]] = {
    TILT: (0.0, (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)),
    FRICTION: (0.6, (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
    PHASE: (0.0, tuple(k / 8 for k in range(8))),
    TALL: (16.0, (8.0, 12.0, 14.0, 16.0, 18.0, 20.0, 22.0, 24.0)),
    MANY: (22.0, (14.0, 16.0, 18.0, 20.0, 22.0, 24.0, 28.0)),
    SOFT: (0.0, (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0)),
    GIVE: (0.0, (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
    AHEAD: (0.0, (-60.0, -30.0, 0.0, 30.0, 60.0)),
    REAR: (0.0, (0.0, 15.0, 30.0, 45.0, 60.0, 90.0)),
}
"""What is changed one at a time: its value in the comparison with P4, and its values [unit of the
name]. On main tracks the number of grousers changes by the same factor as on sub-tracks."""
MAIN_PER_SUB = 40 / 22
"""Grousers on a main track over those on a sub-track, P4 Table III [1]."""


def climbs(
    angle_deg: float,
    height_mm: float,
    changes: Iterable[tuple[str, float]] = (),
    variation: Variation = AS_STATED,
) -> bool:
    """Return whether Quince climbs a step with some settings changed, [deg] and [mm]."""
    given = {name: stated for name, (stated, _) in SETTINGS.items()} | dict(changes)
    scenario = STEP.vary("course.height_m", height_mm / 1e3)
    scenario = scenario.vary("course.surfaces.ground.friction", given[FRICTION])
    if given[SOFT]:
        scenario = scenario.vary("model.stiffness", 1e6 / given[SOFT])
    if given[GIVE]:
        scenario = scenario.vary("model.contacts", True)
    loaded = replace(scenario.load(), robot=_change_robot(given))
    return attempt_loaded(
        variation.vary_loaded(loaded),
        math.radians(angle_deg + given[TILT]),
        rear=math.radians(given[REAR]),
        phase=given[PHASE],
        give=math.radians(given[GIVE]) / 10.0,
    ).climbed


def _change_robot(given: Mapping[str, float]) -> Robot:
    """Return Quince with other grousers and its mass elsewhere."""
    changes: dict[str, float] = {}
    for belt, count in (("tracks", MAIN_PER_SUB * given[MANY]), ("flippers.track", given[MANY])):
        changes[f"{belt}.grousers.count"] = round(count)
        changes[f"{belt}.grousers.height_m"] = 1e-3 * given[TALL]
    robot = load_robot("quince", changes)
    x, y, z = robot.body.centre_of_mass
    body = robot.body.model_copy(update={"centre_of_mass": (x + 1e-3 * given[AHEAD], y, z)})
    return robot.model_copy(update={"body": body, "text": ""})
