"""P4's attempts at a step as a ready-made map of `grouser sweep`."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from grouser.errors import InvalidValue
from grouser.papers.p4.step_climbing import STEP, attempt_step
from grouser.papers.p4.tables import read_steps
from grouser.report import Mark
from grouser.scenario import Scenario
from grouser.sweep import OUTCOMES, Axis, PointExperiment, Sweep
from grouser.sweep.maps import MARK_COLOUR
from grouser.tasks import Task, content_hash
from grouser.version import VERSION

_AXES = ("flippers.front_raised_deg", "course.height_m")


def step_map() -> Sweep:
    """Return the map of heights and angles, with P4's outcomes on it."""
    words = {True: "P4: climbed", False: "P4: failed"}
    steps = [(step.angle_deg, step.height_mm / 1e3, step.is_climbed) for step in read_steps()]
    return Sweep(
        name="step",
        title="Quince in front of a step: does it climb?",
        scenario=STEP,
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


def climb_point(scenario: Mapping[str, Any], raised_deg: float) -> dict[str, float]:
    """Return whether a robot climbs a step and the time it took, by names of outcomes."""
    attempt = attempt_step(Scenario.from_content(scenario), math.radians(raised_deg))
    return {"reached": float(attempt.climbed), "duration": attempt.duration}


def _climb_tasks(sweep: Sweep) -> list[Task]:
    if (sweep.x.key, sweep.y.key) != _AXES:
        required = f"be {_AXES[0]} and {_AXES[1]} for map 'step'"
        raise InvalidValue("--x and --y", f"{sweep.x.key} and {sweep.y.key}", required)
    if sweep.scenario.vary(robot=STEP.robot, model=STEP.model) != STEP:
        required = "be left out for map 'step', which makes P4's attempt at a step"
        raise InvalidValue("options but --robot and --model", "others", required)
    tasks: list[Task] = []
    for height in sweep.y.values:
        loaded = sweep.scenario.vary(sweep.y.key, height).load()
        if not loaded.robot.flippers:
            raise InvalidValue("robot", loaded.robot.name, "have flippers to raise")
        if not tasks:
            loaded.start()  # whether the model can drive there at all
        content, mark = loaded.scenario.content(), loaded.scenario.content_hash
        for raised in sweep.x.values:
            parts = VERSION, loaded.model.computed_by, mark, raised
            name = f"raised by {raised:g} deg, height {height:g} m ({content_hash(*parts)})"
            arguments = {"scenario": content, "raised_deg": raised}
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
"""Quince in front of a step, until it stands on it or is stuck."""
