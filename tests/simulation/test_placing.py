"""Placing a robot, a law of the whole catalogue: every model on every kind of course it drives."""

from dataclasses import replace

import pytest

from grouser import Scenario
from grouser.description import load_course
from grouser.models import CATALOGUE, command_sides
from grouser.simulation.events import Place

COURSES = (
    "flat", "slope", "rough", "step", "staircase", "pallet", "lane-gap", "soil-bin", "treadmill",
)  # fmt: skip
"""Each kind of ground that a model may be able to drive."""
ROBOTS = {"tankbot": "tankbot", "smooth": "tp100", "turning": "tp100"}
"""Robots with the data that some models need; the others drive one with flippers."""
SLOW = {"plates": ("flat", "slope")}
"""Courses of a model whose start takes seconds."""


def pairs():
    """Return all that the catalogue says it can do, so that a new model is tested, too."""
    for name, model in CATALOGUE.items():
        for course in SLOW.get(name, COURSES):
            if load_course(course).features <= model.features:
                yield name, course


@pytest.mark.parametrize(("model", "course"), list(pairs()))
def test_a_placed_robot_stands_there_with_its_belts_and_flippers_as_they_were(model, course):
    robot = ROBOTS.get(model, "absolem")
    simulation = Scenario(robot=robot, course=course, model=model).start()
    start = simulation.motion.pose
    command = command_sides(simulation.robot, 0.1, 0.12)
    angles = tuple(angle - 0.2 for angle in command.flipper_angles)
    for _ in range(20):
        simulation.advance(replace(command, flipper_angles=angles))
    before = simulation.motion
    assert before.belt_travels[0] > 0.0
    there = replace(start, x=start.x + 0.05, y=start.y + 0.02)
    simulation.happen(Place(time=simulation.time, pose=there))
    simulation.events.act(simulation)
    placed = simulation.motion
    assert (placed.pose.x, placed.pose.y) == pytest.approx((there.x, there.y), abs=1e-9)
    assert placed.belt_travels == before.belt_travels
    assert placed.flipper_angles == pytest.approx(before.flipper_angles, abs=1e-12)
    assert placed.twist.vx == pytest.approx(0.0, abs=1e-9)
    simulation.advance(replace(command, flipper_angles=angles))
    assert simulation.motion.belt_travels[0] > before.belt_travels[0]
    again = simulation.log()
    assert again.provenance.scenario["events"][0]["place"]["x_m"] == pytest.approx(there.x)
