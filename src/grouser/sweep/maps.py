"""Ready-made maps, and how maps are drawn."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from grouser.errors import InvalidValue
from grouser.log import name_file
from grouser.models import make_model
from grouser.registry import Registry
from grouser.report import Heat, Panel
from grouser.report.panel import Mark, Series
from grouser.sweep.outcomes import OUTCOMES, Outcome, find_outcome
from grouser.sweep.setting import Axis, Setting
from grouser.tasks import Task
from grouser.version import VERSION

TREAD = 0.29
"""Tread of the course `staircase` [m]."""
MARK_COLOUR = "#000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointExperiment:
    """What is run at each point of a map, where it is not a driver until it is done."""

    summary: str
    """What it is, beside the map."""
    outcomes: Mapping[str, Outcome]
    """What it can show, by name."""
    make_tasks: Callable[["SweepMap"], list[Task]]
    """Returns a task for each point, row by row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepMap:
    """What is varied, what is driven, what is shown."""

    name: str
    """What files are called."""
    title: str = ""
    """What the map shows; made of setting and outcome if empty."""
    setting: Setting
    """What is driven at each point, but for what is varied."""
    x: Axis
    """What is varied along the horizontal axis."""
    y: Axis
    """What is varied along the vertical axis."""
    outcome: str = "reached"
    """What is shown of each drive."""
    experiment: PointExperiment | None = None
    """What is run at each point instead of the driver; None to drive."""
    marks: tuple[Mark, ...] = ()
    """What others have found."""
    lines: tuple[Series, ...] = field(default=())
    """What is expected."""

    def find_outcome(self) -> Outcome:
        """Return what is shown.

        Raises:
            UnknownName: There is no such outcome.
        """
        return find_outcome(self.outcome, self.experiment.outcomes if self.experiment else OUTCOMES)


def _slope_map() -> SweepMap:
    angles = np.linspace(0.0, 45.0, 46)
    return SweepMap(
        name="slope",
        title="TP100 up a slope: does it arrive?",
        setting=Setting(robot="tp100", course="slope", model="csm", drive="follow"),
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


def _stairs_map() -> SweepMap:
    pitches = tuple(20.0 + 2.5 * number for number in range(13))
    rises = tuple(round(TREAD * math.tan(math.radians(pitch)), 4) for pitch in pitches)
    return SweepMap(
        name="stairs",
        title="Absolem, flippers level, over stairs and down: does it arrive?",
        setting=Setting(
            robot="absolem", course="staircase", model="csm", drive="follow",
            # At rest they are raised by half a radian, and the robot falls over its rear ones.
            flippers={"all_raised_deg": 0.0},
        ),
        x=Axis(
            key="course.terrain.stairs.rise_m", values=rises, shown=pitches,
            label="pitch of the stairs, treads of 0.29 m [deg]",
        ),
        y=Axis(
            key="drive.speed", label="speed [m/s]",
            values=tuple(round(0.1 * number, 1) for number in range(1, 7)),
        ),
    )  # fmt: skip


MAPS: Registry[Callable[[], SweepMap]] = Registry(
    "map", "grouser.maps", {"slope": _slope_map, "stairs": _stairs_map}
)
"""What makes each ready-made map, by name; then those of papers and plug-ins."""


def draw_map(chosen: SweepMap, values: NDArray[np.float64]) -> Panel:
    """Return the heat map of a sweep, with what others have found on it.

    Args:
        chosen: What was varied, driven and shown.
        values: What came of it, a row for each y [unit of the outcome's title].
    """
    setting, outcome = chosen.setting, chosen.find_outcome()
    title = chosen.title or f"{setting.robot} on {setting.course}, {setting.model}: {outcome.title}"
    x, y = np.array(chosen.x.places), np.array(chosen.y.places)
    half = 0.5 * (y[1] - y[0]), 0.5 * (y[-1] - y[-2])
    return Panel(
        key="map",
        title=title,
        x_label=chosen.x.title,
        y_label=chosen.y.title,
        series=chosen.lines,
        marks=chosen.marks,
        y_range=(float(y[0] - half[0]), float(y[-1] + half[1])),
        heat=Heat(x=x, y=y, values=values, title=outcome.title, names=outcome.names),
    )


def map_facts(chosen: SweepMap) -> dict[str, str]:
    """Return what a map depends on, by name."""
    setting = chosen.setting
    return {
        "robot": setting.robot,
        "course": setting.course,
        "model": f"{setting.model} ({make_model(setting.model).engine or 'no engine'})",
        "driver": chosen.experiment.summary if chosen.experiment else setting.drive,
        "flippers": ", ".join(f"{key} {value:g}" for key, value in setting.flippers.items())
        or "at rest, but for what is varied",
        "shown": chosen.find_outcome().title,
        "grouser": VERSION,
    }


USUAL = Setting(robot="tp100", course="flat", model="csm", drive="follow")
"""What runs on a map that is not ready-made, unless given."""


def choose_map(
    ready: str | None, x: str | None, y: str | None, words: Mapping[str, str]
) -> SweepMap:
    """Return a ready-made map with changes, or one of its own.

    Args:
        ready: Name of a ready-made map.
        x: What is varied along the horizontal axis.
        y: What is varied along the vertical axis.
        words: Robot, course, model and driver, where they were given.

    Raises:
        UnknownName: There is no such map.
        InvalidValue: Without a ready-made map, an axis is missing; or both vary the same.
    """
    axes = {
        option: Axis.parse(f"--{option}", word) for option, word in (("x", x), ("y", y)) if word
    }
    if ready is not None:
        chosen = MAPS.find(ready)()
        changed = replace(
            chosen,
            x=_like(chosen.x, axes.get("x")),
            y=_like(chosen.y, axes.get("y")),
            setting=replace(chosen.setting, **words),
        )
        # Published results hold only for the published setting.
        same = chosen.setting == changed.setting and not _other_keys(chosen, changed)
        chosen = changed if same else replace(changed, title="", marks=(), lines=())
    elif len(axes) < 2:
        required = f"be given, both, or a ready-made map: {', '.join(MAPS)}"
        raise InvalidValue("--x and --y", " ".join(axes) or "neither", required)
    else:
        setting = replace(USUAL, **words)
        name = name_file(f"{axes['x'].key}-{axes['y'].key}", "")
        chosen = SweepMap(name=name, setting=setting, x=axes["x"], y=axes["y"])
    if chosen.x.key == chosen.y.key:
        raise InvalidValue("--y", chosen.y.key, "vary another parameter than --x")
    return chosen


def _like(ready: Axis, given: Axis | None) -> Axis:
    """Return the axis that was given; the same parameter keeps its words."""
    if given is None:
        return ready
    is_same = given.key == ready.key and not ready.shown
    return replace(given, label=ready.label) if is_same else given


def _other_keys(one: SweepMap, other: SweepMap) -> bool:
    return (one.x.key, one.y.key) != (other.x.key, other.y.key)
