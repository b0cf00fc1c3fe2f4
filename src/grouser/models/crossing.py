"""How far a robot is with a riser that it crosses, and how belt travel moves it on."""

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from grouser.geometry import Pose, Scalar, Twist
from grouser.laws.step_climb import StepClimb

STUCK = 6
"""Phase of a robot that a riser stops; 0 is driving, 1 to 5 are those of `StepPhase` [1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """How far each robot is with the riser that it crosses; entries of the others mean nothing."""

    encounter: NDArray[np.int64]
    """Index of the encounter, -1 for a robot that just drives."""
    grounded: NDArray[np.bool_]
    """Whether the lower wheel is on the ground; else the body rests on the edge alone."""
    travel: NDArray[np.float64]
    """Belt travel since first contact, while grounded [m]."""
    run: NDArray[np.float64]
    """Run between the lower tangent point and the edge, while not grounded [m]."""
    nose_up: NDArray[np.float64]
    """Angle of the upper end above level, while not grounded [rad]."""
    edge_x: NDArray[np.float64]
    """World x of the point of the riser that the robot crosses [m]."""
    edge_y: NDArray[np.float64]
    """World y of that point [m]."""
    phase: NDArray[np.float64]
    """What the robot does: 0 drives, 1 to 5 as in `StepPhase`, 6 is stuck [1]."""


def advance_crossing(
    climb: StepClimb, crossing: Crossing, belt_travel: Scalar, duration: float
) -> Crossing:
    """Return the crossing after some belt travel towards the high side.

    While the lower wheel is grounded the belt's travel alone moves the robot. On the edge the
    belt moves the run, and gravity turns the body, to whichever side its centre of mass is.
    """
    was_grounded = crossing.grounded
    travel = np.minimum(crossing.travel + belt_travel, climb.end_travel if climb.stalls else np.inf)
    lifts = was_grounded & (travel >= climb.tip_travel)
    run = np.where(was_grounded, climb.run_of_travel(travel), crossing.run - belt_travel)

    resting = climb.grounded_nose_up(np.maximum(run, 1e-9))
    com_x = climb.com_x_in_world(climb.on_edge(crossing.run, crossing.nose_up))
    turn = np.where(com_x >= -1e-12, -1.0, 1.0) * climb.tip_rate * duration
    tipped = np.minimum(np.maximum(crossing.nose_up + turn, 0.0), resting)
    nose_up = np.where(was_grounded, climb.tip_nose_up, tipped)
    falls_back = ~was_grounded & (turn > 0.0) & (tipped >= resting)

    grounded = (was_grounded & ~lifts) | falls_back
    travel = np.where(falls_back, climb.travel_of_run(run), travel)
    level = ~grounded & (nose_up <= 0.0)
    done = (grounded & (travel < 0.0)) | (level & (run < 0.0))
    stuck = grounded & climb.stalls & (travel >= climb.end_travel)
    climbing_phase = np.where(
        grounded, np.asarray(climb.grounded(travel).phase), np.where(level, 5.0, 4.0)
    )
    phase = np.where(done, 0.0, np.where(stuck, STUCK, climbing_phase))
    return replace(
        crossing,
        encounter=np.where(done, -1, crossing.encounter),
        grounded=grounded,
        travel=travel,
        run=run,
        nose_up=nose_up,
        phase=phase,
    )


Chosen = TypeVar("Chosen", "Crossing", Pose, Twist)


def choose(chosen: NDArray[np.bool_], ours: Chosen, others: Chosen) -> Chosen:
    """Return `ours` for the chosen robots and `others` for the rest, field by field."""
    kind = type(others)
    merged = {
        name: np.where(chosen, getattr(ours, name), getattr(others, name))[()]
        for name in kind.__dataclass_fields__
    }
    return kind(**merged)
