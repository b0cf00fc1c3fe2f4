"""P4's attempts at a step as a ready-made map of `grouser sweep`."""

import math
from dataclasses import replace

from grouser.description import load_robot
from grouser.errors import InvalidValue
from grouser.models import make_model, start_model
from grouser.papers.p4.claims import read_steps
from grouser.papers.p4.step_climbing import attempt_step
from grouser.report import Mark
from grouser.sweep import OUTCOMES, Axis, PointExperiment, Setting, SweepMap
from grouser.sweep.maps import MARK_COLOUR
from grouser.tasks import Task, content_hash
from grouser.version import VERSION

STEP_SETTING = Setting(robot="quince", course="step", model="segments", drive="constant:speed=0.1")
"""What is driven at each point."""
_OF_A_CLIMB = ("flippers.front_raised_deg", "course.height_m")


def step_map() -> SweepMap:
    """Return the map of heights and angles, with P4's outcomes on it."""
    words = {True: "P4: climbed", False: "P4: failed"}
    steps = [(step.angle_deg, step.height_mm / 1e3, step.is_climbed) for step in read_steps()]
    return SweepMap(
        name="step",
        title="Quince in front of a step: does it climb?",
        setting=STEP_SETTING,
        x=Axis(
            key="flippers.front_raised_deg", values=(0.0, 15.0, 30.0, 45.0, 60.0),
            label="front sub-tracks raised by [deg]",
        ),
        y=Axis(
            key="course.height_m", label="height of the step [m]",
            values=tuple(round(0.04 * number, 2) for number in range(1, 11)),
        ),
        experiment=CLIMB,
        marks=tuple(
            Mark(
                symbol="yes" if climbed else "no", x=angle, y=height, colour=MARK_COLOUR,
                name=words[climbed], words=f"{words[climbed]} {height:g} m at {angle:g} deg",
            )
            for angle, height, climbed in steps
        ),
    )  # fmt: skip


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


def _climb_tasks(chosen: SweepMap) -> list[Task]:
    if (chosen.x.key, chosen.y.key) != _OF_A_CLIMB:
        required = f"be {_OF_A_CLIMB[0]} and {_OF_A_CLIMB[1]} for map 'step'"
        raise InvalidValue("--x and --y", f"{chosen.x.key} and {chosen.y.key}", required)
    given, own = chosen.setting, STEP_SETTING
    if replace(given, robot=own.robot, model=own.model) != own:
        required = "be left out for map 'step', which makes P4's attempt at a step"
        found = f"{given.course}, {given.drive}, {given.duration}"
        raise InvalidValue("--course, --drive and --duration", found, required)
    tasks: list[Task] = []
    for height in chosen.y.values:
        robot, course, model = chosen.setting.changed(chosen.y, height).load()
        if not robot.flippers:
            raise InvalidValue("robot", robot.name, "have flippers to raise")
        if not tasks:
            start_model(model, robot, course)  # whether the model can drive there at all
        for raised in chosen.x.values:
            arguments = {
                "robot": chosen.setting.robot,
                "model": chosen.setting.model,
                "height_m": height,
                "raised_deg": raised,
            }
            mark = content_hash(VERSION, model.engine, robot.content_hash, arguments)
            name = f"raised by {raised:g} deg, height {height:g} m ({mark})"
            tasks.append(Task(name=name, function=climb_point, arguments=arguments))
    return tasks


CLIMB = PointExperiment(
    summary="P4's attempt at a step (see grouser.papers.p4.step_climbing)",
    outcomes={
        "reached": replace(
            OUTCOMES["reached"], title="climbed the step", names=("fails", "climbs")
        ),
        "duration": OUTCOMES["duration"],
    },
    make_tasks=_climb_tasks,
)
"""Quince in front of a step, until it stands on it or no longer gets on."""
