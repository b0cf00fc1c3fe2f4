"""P4's climb at one point of a map."""

import math

from grouser.description import load_robot
from grouser.models import make_model
from grouser.papers.p4.step_climbing import attempt_step


def climb_point(robot: str, model: str, height_m: float, raised_deg: float) -> dict[str, float]:
    """Return whether a robot climbs a step, and how long it took, by names of outcomes.

    Args:
        robot: Name or file of a robot with flippers.
        model: Reference of a model.
        height_m: Height of the step [m].
        raised_deg: How far front flippers are raised [deg].
    """
    attempt = attempt_step(
        make_model(model), height_m, math.radians(raised_deg), robot=load_robot(robot)
    )
    return {"reached": float(attempt.climbed), "duration": attempt.duration}
