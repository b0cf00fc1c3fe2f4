"""Quince on a step, PackBot's speed.

Okada et al. (P4), section IV.B and Table IV: 0.1 m/s straight at a step, friction 0.6, front
sub-tracks level or raised by 45 degrees. P4 states neither when a climb counts nor the rear
sub-tracks' angle: here the whole robot must stand on the step, and rear sub-tracks lie flat [A].

With rigid grousers, a step stops a robot whose centre of the front pulley is too low: the
grouser below the one at the edge holds the robot off the riser. The upper one comes down on the
step only if it reaches farther, that is if it is less than half a pitch above level when it
passes the edge (`hooking_height`). For Quince with level sub-tracks that is 114 mm, less than
the 120 mm that P4 climbed; `TILT` makes up for it.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from grouser.bench import time_drive
from grouser.description import Robot, load_course, load_robot
from grouser.description.track import Belt
from grouser.models import Command, command_sides, make_model, start_model
from grouser.scenario import Scenario

SPEED = 0.1
"""Speed of the belts, P4 section IV.B [m/s]."""
PATIENCE, LONGEST = 5.0, 40.0
"""Time without progress that ends an attempt, and longest attempt, assumed [s]."""
PROGRESS = 1e-3
"""Least way that counts as progress [m]."""
TILT = math.radians(3.0)
"""How much higher than stated the front sub-tracks stand, assumed: it raises the far pulley of
Quince by 10 mm. 2 degrees are not enough for P4's 120 mm, 2.5 are [rad]."""
TICK = 0.02
"""Length of a tick [s]."""
STEP = Scenario(robot="quince", course="step", model="segments", driver="constant:speed=0.1")
"""P4's attempt; the model, the robot and the height of the step can be varied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """How an attempt at a step ended."""

    climbed: bool
    """Whether the whole robot stands on the step."""
    duration: float
    """Time until it stood there, or until the attempt was given up [s]."""


def attempt_step(scenario: Scenario, angle: float, *, tilt: float = TILT) -> Attempt:
    """Drive straight at a step until the robot stands on it, or is stuck.

    The loop is not `grouser.scenario.run`: time and progress count from when the sub-tracks are
    raised, and the attempt ends where the rear of the robot is on the step.

    Args:
        scenario: `STEP`, varied. Its robot has front flippers first, then rear ones.
        angle: Angle of the front sub-tracks, positive raises them, as P4 counts [rad].
        tilt: How much higher they really stand [rad].
    """
    loaded = scenario.load()
    robot, course = loaded.robot, loaded.course
    plant = start_model(loaded.model, robot, course)
    front, rear = (len(robot.flippers) + 1) // 2, len(robot.flippers) // 2
    flippers = (-angle - tilt,) * front + (0.0,) * rear
    stand = Command(belt_speeds=(0.0,) * len(robot.drives), flipper_angles=flippers)
    drive = Command(belt_speeds=(SPEED,) * len(robot.drives), flipper_angles=flippers)
    for _ in range(round(2.0 / TICK)):  # until the sub-tracks are raised
        plant.advance(stand, TICK)
    step = course.terrain.slabs[0].footprint
    stands_from = step.x - 0.5 * step.length + _rear_reach(robot)
    height = float(course.parameters["height_m"])
    farthest, since, time = float(plant.motion.pose.x), 0.0, 0.0
    while time < LONGEST and time - since < PATIENCE:
        plant.advance(drive, TICK)
        time += TICK
        pose = plant.motion.pose
        if float(pose.x) > farthest + PROGRESS:
            farthest, since = float(pose.x), time
        level = abs(float(pose.pitch)) < 0.05
        if level and float(pose.x) > stands_from and float(pose.z) > height - 0.01:
            return Attempt(climbed=True, duration=time)
    return Attempt(climbed=False, duration=time)


def hooking_height(belt: Belt, centre_height: float) -> float:
    """Return the highest edge on which rigid grousers of a belt's front pulley can hook [m].

    Tips are at the radius R = r + g, the angle p/r apart. The tip at the edge must reach
    farther than the one below it: sin(a) = (h - z) / R with a < p / (2 r).

    Args:
        belt: A belt with grousers.
        centre_height: Height z of the pulley's centre while the robot stands on its tips [m].
    """
    radius = belt.loop.end_arcs[0].radius
    grousers, pitch = belt.grousers, belt.pitch
    if grousers is None or pitch is None:
        return centre_height
    return centre_height + (radius + grousers.height) * math.sin(0.5 * pitch / radius)


def _rear_reach(robot: Robot) -> float:
    """Return how far the robot reaches behind its origin, with its rear sub-tracks level [m]."""
    flippers = [-f.hinge[0] - f.track.loop.bounds[0] for f in robot.flippers]
    return max(-robot.rear, *flippers, 0.0)


PACKBOT_SPEED, PACKBOT_TICK = 0.3, 0.1
"""Speed of the belts, P4 section IV.A [m/s], and how long one command holds [s]."""
PACKBOT_DURATION = 1.0
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
    """Return the real-time factor of each model: simulated over processor time, its best [1]."""
    robot, course = load_robot("packbot510"), load_course("flat")
    plants = {ref: start_model(make_model(ref), robot, course) for ref in references}
    command = command_sides(robot, PACKBOT_SPEED, PACKBOT_SPEED)
    best = dict.fromkeys(plants, 0.0)
    for _ in range(drives):
        for reference, plant in plants.items():
            factor = PACKBOT_DURATION / time_drive(
                plant, command, PACKBOT_DURATION, tick=PACKBOT_TICK
            )
            best[reference] = max(best[reference], factor)
    return best
