"""Quince on a step.

Okada et al. (P4), section IV.B and Table IV: 0.1 m/s straight at a step, friction 0.6, front
sub-tracks level or raised by 45 degrees. P4 states neither when a climb counts nor the rear
sub-tracks' angle: here the whole robot must stand on the step, and rear sub-tracks lie flat [A].

With rigid grousers, a step stops a robot whose centre of the front pulley is too low: the
grouser below the one at the edge holds the robot off the riser. The upper one comes down on the
step only if it reaches farther, that is if it is less than half a pitch above level when it
passes the edge (`hooking_height`). For Quince with level sub-tracks that is 114 mm, less than
the 120 mm that P4 climbed.
"""

import math

from grouser.datasheet.attempt import (
    BELOW,
    LEVEL,
    TICK,
    Attempt,
    Pace,
    make_attempt,
    reach_of,
    start_ahead,
)
from grouser.description import Course, Robot
from grouser.description.track import Belt, Flipper
from grouser.geometry import Pose
from grouser.models import Command, Motion, start_model
from grouser.papers.p4.hinges import GivingHinges
from grouser.papers.variation import AS_STATED, Variation
from grouser.scenario import Scenario
from grouser.scenario.run import Loaded

HINGE_SAMPLES = 4
"""How often in a tick hinges that give follow their load [1]."""
PHASE_STEP = 0.5 * (math.sqrt(5.0) - 1.0)
"""By what share of a pitch the start moves from one seed to the next, the golden section: phases
of few seeds are spread evenly [1]."""
STEP = Scenario(robot="quince", course="step", model="segments", driver="constant:speed=0.1")
"""P4's attempt; the model, the robot and the height of the step can be varied."""


def attempt_step(scenario: Scenario, angle: float, variation: Variation = AS_STATED) -> Attempt:
    """Make an attempt of `attempt_loaded` in `STEP`, varied, with rear sub-tracks level."""
    return attempt_loaded(variation.vary_loaded(scenario.load()), angle)


def attempt_loaded(
    loaded: Loaded, angle: float, *, rear: float = 0.0, phase: float = 0.0, give: float = 0.0
) -> Attempt:
    """Drive straight at a step until the robot stands on it, or is stuck.

    The attempt is that of data sheets (`grouser.datasheet.attempt`): time and progress count from
    when the sub-tracks are raised, and it ends where the rear of the robot is on the step.

    Args:
        loaded: `STEP`, varied and loaded. Its robot has front flippers first, then rear ones.
        angle: Angle of the front sub-tracks, positive raises them, as P4 counts [rad].
        rear: Angle of the rear sub-tracks, likewise [rad].
        phase: By what share of the front belts' pitch it starts nearer to the step, so that other
            places of the belts meet the riser; the scenario's seed adds to it [1].
        give: Angle per moment by which hinges of front sub-tracks give; needs a model whose
            motions have contacts [rad/(N m)].
    """
    robot, course = loaded.robot, loaded.course
    plant = start_model(loaded.model, robot, course, start_at_phase(loaded, phase))
    fronts, rears = (len(robot.flippers) + 1) // 2, len(robot.flippers) // 2
    hinges = GivingHinges(robot, (-angle,) * fronts + (rear,) * rears, give)

    samples = HINGE_SAMPLES if give else 1

    def drive(speed: float) -> Motion:
        for _ in range(samples):
            speeds = (speed,) * len(robot.drives)
            plant.advance(Command(belt_speeds=speeds, flipper_angles=hinges.angles), TICK / samples)
            if give:
                hinges.follow(plant.motion, TICK / samples)
        return plant.motion

    return make_attempt(drive, lambda pose: _stands_on_step(robot, course, pose), Pace())


def _stands_on_step(robot: Robot, course: Course, pose: Pose) -> bool:
    step = course.terrain.slabs[0].footprint
    stands_from = step.x - 0.5 * step.length + reach_of(robot)[1]
    is_up = float(pose.z) > float(course.parameters["height_m"]) - BELOW
    return is_up and abs(float(pose.pitch)) < LEVEL and float(pose.x) > stands_from


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


def hook_height(flipper: Flipper, angle: float) -> float:
    """Return the highest edge on which a raised front flipper's grousers can hook [m].

    The robot stands on the tips of tracks that are as high as the flipper and have its grousers.

    Args:
        flipper: A front flipper.
        angle: How far it is raised [rad].
    """
    grousers = flipper.track.grousers
    _, _, middle = flipper.centre_at(-angle)
    far = 2.0 * middle - flipper.hinge[2]
    return hooking_height(flipper.track, far + (grousers.height if grousers else 0.0))


def start_at_phase(loaded: Loaded, phase: float = 0.0) -> Pose:
    """Return the start, moved ahead by a share of the front belts' pitch and by the seed."""
    share = (phase + PHASE_STEP * loaded.scenario.seed) % 1.0
    return start_ahead(loaded.robot, loaded.course, share)
