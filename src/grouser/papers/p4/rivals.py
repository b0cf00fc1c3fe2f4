"""What P4 says of other methods, and of other uses of its own.

Section II: wheels in place of a track stick where a bump stands between two of them; a track that
is held by constraints to the ground climbs a wall almost without friction. Section V: belts that
stand in the world are a conveyor. P4 prints no number for any of them; what is driven was stated
before it was run.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grouser.datasheet.attempt import SPEED, TICK
from grouser.description import load_robot, parse_course, parse_robot
from grouser.description.course import Course
from grouser.geometry import Pose
from grouser.models import Command, command_sides, make_model, start_model
from grouser.papers.p4.step_climbing import STEP, start_at_phase
from grouser.papers.paper import Findings
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Heat, Panel

WALL, LOW_FRICTION, WALL_TIME = 0.5, 0.1, 15.0
"""Height of a wall [m], friction of wall and floor [1] and time at it [s], assumed: P4 says low."""
LIFTED = 0.0873
"""Nose-up pitch from which a robot has begun to climb, 5 degrees, assumed [rad]."""
BUMPS = (0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14)
"""Heights of the bumps, up to three quarters of PackBot's track, assumed [m]."""
BUMP_WIDTH, BUMP_AT, BUMP_TIME = 0.02, 1.0, 25.0
"""Width of a bump [m] and where it stands [m], and time for it [s], assumed: narrower than the gap
between two of four wheels, 170 mm apart."""
WHEELS, TRACK, SMOOTH_TRACK = "wheels:count=4", "segments", "segments:grousers=0"
"""P4's four wheels, its own track, and that without grousers."""
BUMP = """
name = "bump"
speed_m_s = 0.1
[[terrain]]
kind = "plane"
[[terrain]]
kind = "step"
x_m = {at}
height_m = {height}
depth_m = {width}
width_m = 2.0
[surfaces.ground]
friction = 0.6
"""
"""A narrow bump with P4's friction."""
CONVEYOR = """
name = "conveyor"
[body]
mass_kg = 8.0
size_m = [0.15, 0.30, 0.12]
centre_m = [0.0, 0.0, 0.06]
centre_of_mass_m = [0.0, 0.0, 0.05]
[drive]
speed_limit_m_s = 1.0
acceleration_limit_m_s2 = 2.0
"""
"""A crate on belts that stand in the world, as in examples/06_conveyor.py but level."""
CONVEYOR_BELT = """
[[tracks]]
name = "{side}"
side = "{side}"
y_m = {y}
width_m = 0.20
loop.pulleys = [
    {{ x_m = 1.0, z_m = 0.06, radius_m = 0.06 }},
    {{ x_m = -1.0, z_m = 0.06, radius_m = 0.06 }},
]
grousers = {{ count = 20, shape = "cuboid", length_m = 0.01, height_m = 0.03 }}
"""
CARRIED, SETTLING = 3.0, 1.0
"""Time on the conveyor, and the first part of it that does not count, assumed [s]."""
CLIMBS_WALL = "constraint to ground climbs a wall at friction 0.1"
STICKS = "a bump stops four wheels, and not the track"
STICKS_SMOOTH = "a bump stops four wheels, and not the track without grousers"
CARRIES = "speed of a crate on a conveyor over the belt's"


def watch_wall(variation: Variation = AS_STATED) -> Findings:
    """Return whether Quince by csm begins to climb a wall with little friction."""
    scenario = STEP.vary(model="csm").vary("course.height_m", WALL)
    scenario = scenario.vary("course.surfaces.ground.friction", LOW_FRICTION)
    loaded = variation.vary_loaded(scenario.load())
    plant = start_model(loaded.model, loaded.robot, loaded.course, start_at_phase(loaded))
    command = Command(
        belt_speeds=(SPEED,) * len(loaded.robot.drives),
        flipper_angles=(0.0,) * len(loaded.robot.flippers),
    )
    highest = 0.0
    for _ in range(round(WALL_TIME / TICK)):
        plant.advance(command, TICK)
        highest = max(highest, -float(plant.motion.pose.pitch))
    return Findings(values={CLIMBS_WALL: float(highest > LIFTED)})


def crosses_bump(model: str, height: float, variation: Variation = AS_STATED) -> bool:
    """Return whether PackBot crosses a bump [m]."""
    robot = variation.vary_robot(load_robot("packbot510"))
    text = BUMP.format(at=BUMP_AT, height=height, width=BUMP_WIDTH)
    course: Course = variation.vary_course(parse_course(text, "bump"))
    start = replace(course.start_pose, x=course.start_pose.x + 0.01 * variation.seed)
    plant = start_model(make_model(model), robot, course, start)
    command = command_sides(robot, SPEED, SPEED)
    for _ in range(round(BUMP_TIME / TICK)):
        plant.advance(command, TICK)
        if float(plant.motion.pose.x) + robot.rear > BUMP_AT + BUMP_WIDTH:
            return True
    return False


def cross_bumps(variation: Variation = AS_STATED) -> Findings:
    """Return whether there are bumps that stop four wheels and not a track."""
    crossed = {
        model: np.array([crosses_bump(model, height, variation) for height in BUMPS])
        for model in (WHEELS, TRACK, SMOOTH_TRACK)
    }
    values = {
        key: float(np.any(crossed[track] & ~crossed[WHEELS]))
        for key, track in ((STICKS, TRACK), (STICKS_SMOOTH, SMOOTH_TRACK))
    }
    return Findings(values=values, panels=(_draw_bumps(crossed),))


def _draw_bumps(crossed: Mapping[str, NDArray[np.bool_]]) -> Panel:
    grid = np.stack([*crossed.values()], axis=1).astype(float)
    heat = Heat(
        x=np.arange(len(crossed), dtype=float), y=1e3 * np.array(BUMPS), values=grid,
        title="crossed", names=("stops", "crosses"),
    )  # fmt: skip
    return Panel(
        key="bumps", title="PackBot on a narrow bump (P4 section II.A)", x_label="",
        y_label="height of the bump [mm]", series=(), heat=heat,
        x_names=("four wheels", "with grousers", "without grousers"),
    )  # fmt: skip


def carry(variation: Variation = AS_STATED) -> Findings:
    """Return how fast a level conveyor carries a crate, over its belt's speed."""
    belts = (CONVEYOR_BELT.format(side=side, y=y) for side, y in (("left", 0.11), ("right", -0.11)))
    robot = variation.vary_robot(parse_robot(CONVEYOR + "".join(belts), "conveyor"))
    course = variation.vary_course(parse_course(BUMP.format(at=5.0, height=0.01, width=0.02), "b"))
    plant = start_model(make_model("segments", fixed=True), robot, course, Pose(x=-0.5))
    command = command_sides(robot, SPEED, SPEED)
    begin = 0.0
    for tick in range(round(CARRIED / TICK)):
        if tick == round(SETTLING / TICK):
            begin = float(plant.motion.pose.x)
        plant.advance(command, TICK)
    moved = float(plant.motion.pose.x) - begin
    return Findings(values={CARRIES: moved / (SPEED * (CARRIED - SETTLING))})
