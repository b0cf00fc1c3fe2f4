"""Table IV: which steps Quince climbs, and which of them only with grousers."""

import math
from collections.abc import Mapping

import numpy as np

from grouser.description import load_robot
from grouser.papers.p4.highest_step import SMOOTH, name_highest
from grouser.papers.p4.step_climbing import STEP, attempt_step, hook_height
from grouser.papers.p4.tables import read_brackets, read_steps
from grouser.papers.paper import Findings
from grouser.papers.variation import AS_STATED, Variation
from grouser.report import Label, Mark, Panel, Series
from grouser.report.colours import REFERENCE, line_colour

NEED_GROUSERS = ((0.0, 120.0), (45.0, 240.0))
"""Angles [deg] and heights [mm] at which P4 calls grousers the key to the climb."""

WIDE = 2.5
"""Half width of a limit in the figure [deg]."""


def name_step(angle_deg: float, height_mm: float, *, grousers: bool = True) -> str:
    """Return what a climb is called."""
    worn = "" if grousers else " without grousers"
    return f"climbs {height_mm:g} mm at {angle_deg:g}°{worn}"


def name_need(angle_deg: float, height_mm: float) -> str:
    """Return what a climb that needs grousers is called."""
    return f"climbs {height_mm:g} mm at {angle_deg:g}° only with grousers"


def climb_steps(variation: Variation = AS_STATED) -> Findings:
    """Return which steps of Table IV Quince climbs, and which of two need grousers."""
    values = {}
    for angle, height, _ in read_steps():
        scenario = STEP.vary("course.height_m", height / 1e3)
        climbed = attempt_step(scenario, math.radians(angle), variation).climbed
        values[name_step(angle, height)] = float(climbed)
        if (angle, height) in NEED_GROUSERS:
            smooth = attempt_step(scenario.vary(model=SMOOTH), math.radians(angle), variation)
            values[name_step(angle, height, grousers=False)] = float(smooth.climbed)
            values[name_need(angle, height)] = float(climbed and not smooth.climbed)
    return Findings(values=values)


def draw_outcomes(values: Mapping[str, float]) -> tuple[Panel, ...]:
    """Return which steps of Table IV were climbed, of those that were tried, and by P4."""
    tried = [s for s in read_steps() if name_step(s[0], s[1]) in values]
    if not tried:
        return ()
    marks = []
    for step in tried:
        climbed = bool(values[name_step(step[0], step[1])])
        mark = Mark(
            symbol="yes" if climbed else "no", x=step.angle_deg, y=step.height_mm,
            colour=line_colour(1 if climbed else 3),
            name="climbs" if climbed else "fails",
            words=f"P4: {'climbs' if step.is_climbed else 'fails'}",
        )  # fmt: skip
        marks.append(mark)
    labels = tuple(Label(text=m.words, x=m.x, y=m.y + 8.0) for m in marks)
    panel = Panel(
        key="steps", title="Quince on the steps of Table IV", series=(*_limits(values), _hooks()),
        marks=tuple(marks), labels=labels, x_label="front sub-tracks raised by [deg]",
        y_label="height of the step [mm]",
    )  # fmt: skip
    return (panel,)


def _limits(values: Mapping[str, float]) -> list[Series]:
    """Return between which steps P4's limit lies, and ours where it was sought."""
    brackets, gap = read_brackets(), [math.nan]
    lines = [
        Series(
            name="P4's limit is in", colour=REFERENCE,
            x=np.array([x for angle in brackets for x in (angle + WIDE, angle + WIDE, *gap)]),
            y=np.array([y for limits in brackets.values() for y in (*limits, *gap)]),
        )
    ]  # fmt: skip
    for number, grousers in enumerate((True, False)):
        found = {
            angle: 1e3 * values[key]
            for angle in brackets
            if (key := name_highest(angle, grousers=grousers)) in values
        }
        name = "ours" if grousers else "ours, smooth"
        if found:
            line = Series(
                name=name, colour=line_colour(4 * number),
                x=np.array([x for angle in found for x in (angle - WIDE, angle + WIDE, *gap)]),
                y=np.array([y for height in found.values() for y in (height, height, *gap)]),
            )  # fmt: skip
            lines.append(line)
    return lines


def _hooks() -> Series:
    flipper = load_robot("quince").flippers[0]
    angles = np.arange(0.0, 46.0, 5.0)
    heights = [1e3 * hook_height(flipper, math.radians(angle)) for angle in angles]
    return Series(
        name="hooks reach", x=angles, y=np.array(heights), dash="dashed",
        colour=line_colour(5),
    )  # fmt: skip
