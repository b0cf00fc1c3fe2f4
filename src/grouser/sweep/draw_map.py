"""What a sweep has found, as a panel and as facts beside it."""

import numpy as np
from numpy.typing import NDArray

from grouser.models import make_model
from grouser.report import Heat, Panel
from grouser.sweep.maps import SweepMap
from grouser.sweep.outcome import find_outcome
from grouser.version import VERSION


def draw_map(chosen: SweepMap, values: NDArray[np.float64]) -> Panel:
    """Return the heat map of a sweep, with what others have found on it.

    Args:
        chosen: What was varied, driven and shown.
        values: What came of it, a row for each y [unit of the outcome's title].
    """
    setting, outcome = chosen.setting, find_outcome(chosen.outcome, chosen.experiment)
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
    climb = "P4's attempt at a step (see grouser.papers.p4.step_climbing)"
    return {
        "robot": setting.robot,
        "course": setting.course,
        "model": f"{setting.model} ({make_model(setting.model).engine or 'no engine'})",
        "driver": climb if chosen.experiment == "climb" else setting.drive,
        "flippers": ", ".join(f"{key} {value:g}" for key, value in setting.flippers.items())
        or "at rest, but for what is varied",
        "shown": find_outcome(chosen.outcome, chosen.experiment).title,
        "grouser": VERSION,
    }
