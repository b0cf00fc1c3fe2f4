"""What the outcomes of Table IV depend on: one setting changed at a time, and two at once.

The grid was stated before it was run, that of grousers and hinges that give after first trials. P4
states friction and the geometry of grousers; it does not state where the centre of mass is, how the
rear sub-tracks stand, or what gives.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from grouser.description import Robot, load_robot
from grouser.geometry import Array
from grouser.papers.p4.step_climbing import STEP, attempt_loaded
from grouser.papers.p4.tables import read_steps
from grouser.papers.paper import Findings
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Heat, Mark, Panel

MARK = "#000000"
"""Colour of P4's outcomes."""
TILT, FRICTION = "tilt of front sub-tracks [deg]", "friction [1]"
PHASE = "phase of belts at the start [pitch]"
TALL, MANY = "height of grousers [mm]", "grousers on a sub-track [1]"
SOFT = "give of grousers [1/MPa]"
GIVE = "give of front hinges [deg per 10 N m]"
AHEAD, REAR = "centre of mass, ahead [mm]", "rear sub-tracks, raised [deg]"
SETTINGS: dict[str, tuple[float, tuple[float, ...]]] = {
    TILT: (0.0, (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)),
    FRICTION: (0.6, (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
    PHASE: (0.0, tuple(k / 8 for k in range(8))),
    TALL: (16.0, (8.0, 12.0, 14.0, 16.0, 18.0, 20.0, 22.0, 24.0)),
    MANY: (22.0, (14.0, 16.0, 18.0, 20.0, 22.0, 24.0, 28.0)),
    SOFT: (0.0, (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0)),
    GIVE: (0.0, (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
    AHEAD: (0.0, (-60.0, -30.0, 0.0, 30.0, 60.0)),
    REAR: (0.0, (0.0, 15.0, 30.0, 45.0, 60.0, 90.0)),
}
"""What is changed one at a time: its value in the comparison with P4, and its values [unit of the
name]. Tilt is how much higher front sub-tracks stand than stated, the give of a grouser its depth
over force per width. Main tracks have grousers in proportion to sub-tracks."""
MAIN_PER_SUB = 40 / 22
"""Grousers on a main track over those on a sub-track, P4 Table III [1]."""


def climbs(
    angle_deg: float,
    height_mm: float,
    changes: Iterable[tuple[str, float]] = (),
    variation: Variation = AS_STATED,
) -> bool:
    """Return whether Quince climbs a step with some settings changed, [deg] and [mm]."""
    given = {name: stated for name, (stated, _) in SETTINGS.items()} | dict(changes)
    scenario = STEP.vary("course.height_m", height_mm / 1e3)
    scenario = scenario.vary("course.surfaces.ground.friction", given[FRICTION])
    if given[SOFT]:
        scenario = scenario.vary("model.stiffness", 1e6 / given[SOFT])
    if given[GIVE]:
        scenario = scenario.vary("model.contacts", True)
    loaded = replace(scenario.load(), robot=_change_robot(given))
    return attempt_loaded(
        variation.vary_loaded(loaded),
        math.radians(angle_deg + given[TILT]),
        rear=math.radians(given[REAR]),
        phase=given[PHASE],
        give=math.radians(given[GIVE]) / 10.0,
    ).climbed


def _change_robot(given: Mapping[str, float]) -> Robot:
    """Return Quince with other grousers and its mass elsewhere."""
    changes: dict[str, float] = {}
    for belt, count in (("tracks", MAIN_PER_SUB * given[MANY]), ("flippers.track", given[MANY])):
        changes[f"{belt}.grousers.count"] = round(count)
        changes[f"{belt}.grousers.height_m"] = 1e-3 * given[TALL]
    robot = load_robot("quince", changes)
    x, y, z = robot.body.centre_of_mass
    body = robot.body.model_copy(update={"centre_of_mass": (x + 1e-3 * given[AHEAD], y, z)})
    return robot.model_copy(update={"body": body, "text": ""})


CELLS = tuple((step.angle_deg, step.height_mm) for step in read_steps())
"""Angles [deg] and heights [mm] of Table IV."""
HARD_CELL = 0.0, 120.0
"""The one that ours fails: angle [deg] and height [mm]."""
PAIRS = ((TILT, FRICTION), (SOFT, PHASE))
"""Settings that are changed two at a time, at `HARD_CELL`."""


def vary_one(name: str, variation: Variation = AS_STATED) -> Findings:
    """Return the outcomes of all six cells of Table IV over one setting, as a figure."""
    values = SETTINGS[name][1]
    grid = [[climbs(*cell, [(name, value)], variation) for cell in CELLS] for value in values]
    return Findings(values={}, panels=(_draw_cells(name, np.array(grid, dtype=float)),))


def vary_two(across: str, up: str, variation: Variation = AS_STATED) -> Findings:
    """Return the outcome of the cell that ours fails over two settings, as a figure."""
    x, y = SETTINGS[across][1], SETTINGS[up][1]
    grid = [[climbs(*HARD_CELL, [(across, a), (up, b)], variation) for a in x] for b in y]
    stated = SETTINGS[across][0], SETTINGS[up][0]
    heat = _heat(x, y, np.array(grid, dtype=float))
    mark = Mark(symbol="yes", x=stated[0], y=stated[1], colour=MARK, name="P4: climbs, as stated")
    angle, height = HARD_CELL
    panel = Panel(
        key=f"two {across} {up}", title=f"{height:g} mm at {angle:g}°: does Quince climb?",
        x_label=across, y_label=up, series=(), marks=(mark,), heat=heat,
    )  # fmt: skip
    return Findings(values={}, panels=(panel,))


def _draw_cells(name: str, grid: Array) -> Panel:
    stated, values = SETTINGS[name]
    marks = tuple(
        Mark(
            symbol="yes" if step.is_climbed else "no", x=float(number), y=stated, colour=MARK,
            name="P4: climbs" if step.is_climbed else "P4: fails",
        )
        for number, step in enumerate(read_steps())
    )  # fmt: skip
    return Panel(
        key=f"one {name}", title=f"Table IV over {name.partition(' [')[0]}", x_label="",
        y_label=name, series=(), marks=marks, heat=_heat(range(len(CELLS)), values, grid),
        x_names=tuple(f"{height:g} mm\n{angle:g}°" for angle, height in CELLS),
    )  # fmt: skip


def _heat(x: Iterable[float], y: Iterable[float], grid: Array) -> Heat:
    return Heat(
        x=np.array(tuple(x), dtype=float), y=np.array(tuple(y), dtype=float), values=grid,
        title="climbed", names=("fails", "climbs"),
    )  # fmt: skip
