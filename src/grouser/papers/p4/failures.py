"""How failed attempts fail: P4 saw belts slip on the riser and on the floor."""

import math

import numpy as np

from grouser.datasheet.attempt import SPEED, TICK
from grouser.models import Command, start_model
from grouser.papers.p4.step_climbing import STEP, start_at_phase
from grouser.papers.p4.tables import read_steps
from grouser.papers.paper import Findings
from grouser.papers.variation import AS_STATED, Variation

DURATION, WATCHED = 12.0, 4.0
"""How long it drives at the step, and the last part in which slip is watched, assumed [s]."""
HALF = 0.5
"""Slip speed over belt speed, weighted by force, from which belts slip, assumed [1]."""
UPRIGHT = 0.35
"""Standing upright: a riser's or a floor's normal has at most this much of the other [1]."""


def name_slip(angle_deg: float, height_mm: float, place: str) -> str:
    """Return what slip in a failed attempt is called."""
    return f"belts slip on the {place} at {height_mm:g} mm, {angle_deg:g}°"


def watch_failures(variation: Variation = AS_STATED) -> Findings:
    """Return whether belts slip on riser and floor while Quince fails at a step."""
    values = {}
    for angle, height, climbed in read_steps():
        if climbed:
            continue
        for place, slip in _watch(angle, height, variation).items():
            values[name_slip(angle, height, place)] = float(slip > HALF)
    return Findings(values=values)


def _watch(angle_deg: float, height_mm: float, variation: Variation) -> dict[str, float]:
    """Return mean slip over belt speed on riser and floor, weighted by force [1]."""
    scenario = STEP.vary("course.height_m", height_mm / 1e3).vary("model.contacts", True)
    loaded = variation.vary_loaded(scenario.load())
    robot = loaded.robot
    plant = start_model(loaded.model, robot, loaded.course, start_at_phase(loaded))
    raised = -math.radians(angle_deg)
    command = Command(
        belt_speeds=(SPEED,) * len(robot.drives), flipper_angles=(raised, raised, 0.0, 0.0)
    )
    sums = {"riser": np.zeros(2), "floor": np.zeros(2)}
    for tick in range(round(DURATION / TICK)):
        plant.advance(command, TICK)
        if tick * TICK < DURATION - WATCHED:
            continue
        for contact in plant.motion.contacts:
            normal = contact.normal_in_world
            if abs(normal[2]) < UPRIGHT:
                place = "riser"
            elif abs(normal[0]) < UPRIGHT and contact.position_in_world[2] < HALF * height_mm / 1e3:
                place = "floor"
            else:
                continue
            force = math.dist(contact.force_in_world, (0.0, 0.0, 0.0))
            slip = math.dist(contact.slip_in_world, (0.0, 0.0, 0.0))
            sums[place] += force, force * slip / SPEED
    return {place: slips / forces if forces else 0.0 for place, (forces, slips) in sums.items()}
