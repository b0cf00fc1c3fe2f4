"""Ready-made maps, and how maps are drawn."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.log import name_file
from grouser.models import make_model
from grouser.registry import Registry
from grouser.report import Heat, Panel
from grouser.report.panel import Series
from grouser.scenario import Scenario
from grouser.sweep.sweep import Axis, Sweep
from grouser.version import VERSION

TREAD = 0.29
"""Tread of the course `staircase` [m]."""
MARK_COLOUR = "#000000"


def _slope_map() -> Sweep:
    angles = np.linspace(0.0, 45.0, 46)
    return Sweep(
        name="slope",
        title="TP100 up a slope: does it arrive?",
        scenario=Scenario(robot="tp100", course="slope", model="csm"),
        x=Axis(
            key="course.angle_deg", label="slope [deg]",
            values=tuple(5.0 * number for number in range(10)),
        ),
        y=Axis(
            key="course.surfaces.ground.friction", label="friction of the ground [1]",
            values=tuple(round(0.1 * number, 1) for number in range(1, 11)),
        ),
        lines=(
            Series(
                name="friction = tan(slope)", x=angles, y=np.tan(np.radians(angles)),
                colour=MARK_COLOUR, dash="dashed",
            ),
        ),
    )  # fmt: skip


def _stairs_map() -> Sweep:
    pitches = tuple(20.0 + 2.5 * number for number in range(13))
    rises = tuple(round(TREAD * math.tan(math.radians(pitch)), 4) for pitch in pitches)
    return Sweep(
        name="stairs",
        title="Absolem, flippers level, over stairs and down: does it arrive?",
        scenario=Scenario(robot="absolem", course="staircase", model="csm").vary(
            "flippers.all_raised_deg", 0.0
        ),
        x=Axis(
            key="course.terrain.stairs.rise_m", values=rises, shown=pitches,
            label="pitch of the stairs, treads of 0.29 m [deg]",
        ),
        y=Axis(
            key="driver.speed", label="speed [m/s]",
            values=tuple(round(0.1 * number, 1) for number in range(1, 7)),
        ),
    )  # fmt: skip


MAPS: Registry[Callable[[], Sweep]] = Registry(
    "map", "grouser.maps", {"slope": _slope_map, "stairs": _stairs_map}
)
"""Functions that return the ready-made maps, by name; then those of papers and plug-ins."""


def draw_map(sweep: Sweep, values: NDArray[np.float64]) -> Panel:
    """Return the heat map of a sweep, with published results on it."""
    outcome = sweep.find_outcome()
    robot, course, model = _references(sweep.scenario)
    x, y = np.array(sweep.x.places), np.array(sweep.y.places)
    half = 0.5 * (y[1] - y[0]), 0.5 * (y[-1] - y[-2])
    return Panel(
        key="map",
        title=sweep.title or f"{robot} on {course}, {model}: {outcome.title}",
        x_label=sweep.x.title,
        y_label=sweep.y.title,
        series=sweep.lines,
        marks=sweep.marks,
        y_range=(float(y[0] - half[0]), float(y[-1] + half[1])),
        heat=Heat(x=x, y=y, values=values, title=outcome.title, names=outcome.names),
    )


def _references(scenario: Scenario) -> tuple[str, str, str]:
    return scenario.robot.reference, scenario.course.reference, scenario.model.reference


def map_facts(sweep: Sweep) -> dict[str, str]:
    """Return what a map depends on, by name."""
    scenario = sweep.scenario
    robot, course, model = _references(scenario)
    engine = make_model(scenario.model.name, **scenario.model.parameters).computed_by
    angles = [f"{math.degrees(angle):g}" for key in scenario.flippers for angle in key.angles]
    return {
        "robot": robot,
        "course": course,
        "model": f"{model} ({engine or 'no engine'})",
        "driver": sweep.experiment.summary if sweep.experiment else scenario.driver.reference,
        "flippers": f"{'/'.join(angles)} deg" if angles else "at rest, but for what is varied",
        "shown": sweep.find_outcome().title,
        "grouser": VERSION,
    }


def choose_sweep(
    ready: str | None,
    x: str | None,
    y: str | None,
    change: Callable[[Scenario], Scenario] = lambda scenario: scenario,
    scenario: Scenario | None = None,
) -> Sweep:
    """Return a ready-made sweep with changes, or one with given axes.

    Args:
        ready: Name of a ready-made map.
        x: What is varied along the horizontal axis, as `course.height_m=0.1:0.4:0.1`.
        y: What is varied along the vertical axis.
        change: Returns the scenario with what is to differ.
        scenario: What is run without a ready-made map; TP100 on flat ground if None.

    Raises:
        UnknownName: There is no such map.
        InvalidValue: Without a ready-made map, an axis is missing; or both vary the same.
    """
    axes = {
        option: Axis.parse(f"--{option}", word) for option, word in (("x", x), ("y", y)) if word
    }
    if ready is not None:
        sweep = _change_ready(MAPS.find(ready)(), axes, change)
    elif len(axes) < 2:
        required = f"be given, both, or a ready-made map: {', '.join(MAPS)}"
        raise InvalidValue("--x and --y", " ".join(axes) or "neither", required)
    else:
        name = name_file(f"{axes['x'].key}-{axes['y'].key}", "")
        found = change(scenario or Scenario(course="flat", model="csm"))
        sweep = Sweep(name=name, scenario=found, x=axes["x"], y=axes["y"])
    if sweep.x.key == sweep.y.key:
        raise InvalidValue("--y", sweep.y.key, "vary another parameter than --x")
    return sweep


def _change_ready(
    ready: Sweep, axes: dict[str, Axis], change: Callable[[Scenario], Scenario]
) -> Sweep:
    """Return a ready-made sweep with changes; published results hold only without any."""
    x, y = _like(ready.x, axes.get("x")), _like(ready.y, axes.get("y"))
    sweep = replace(ready, x=x, y=y, scenario=change(ready.scenario))
    has_same_axes = (x.key, y.key) == (ready.x.key, ready.y.key)
    if has_same_axes and sweep.scenario == ready.scenario:
        return sweep
    return replace(sweep, title="", marks=(), lines=())


def _like(ready: Axis, given: Axis | None) -> Axis:
    """Return the axis that was given; one of the same key keeps its label."""
    if given is None:
        return ready
    is_same = given.key == ready.key and not ready.shown
    return replace(given, label=ready.label) if is_same else given
