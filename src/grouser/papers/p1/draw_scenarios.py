"""Figures of P1's eight scenarios: where each model was."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from grouser.papers.p1.entrant import ENTRANTS
from grouser.papers.p1.measures import Drive
from grouser.papers.p1.reference import Trajectory, sample_times
from grouser.papers.p1.scenario import Scenario
from grouser.report import Panel, Series
from grouser.report.colours import REFERENCE, line_colour
from grouser.report.panel import Dash

COMMANDED = 0.3
"""Speed of the straight drive [m/s]."""
Array = NDArray[np.float64]
Axis = tuple[str, Callable[[Array, Rotation, Array], Array]]
"""Label, and what to take of positions, rotations and times."""


def _heading(places: Array, turns: Rotation, times: Array) -> Array:
    return np.unwrap(turns.as_euler("ZYX")[:, 0])


TIME: Axis = ("time [s]", lambda places, turns, times: times)
AHEAD: Axis = ("x [m]", lambda places, turns, times: places[:, 0] - places[0, 0])
BEHIND: Axis = (
    "behind the command [m]",
    lambda places, turns, times: COMMANDED * (times - times[0]) - places[:, 0] + places[0, 0],
)
ASIDE: Axis = ("y [m]", lambda places, turns, times: places[:, 1])
PLACE: Axis = ("x [m]", lambda places, turns, times: places[:, 0])
HEIGHT: Axis = ("z [m]", lambda places, turns, times: places[:, 2])
HEADING: Axis = ("heading [rad]", _heading)
MOVED: Axis = (
    "distance from the start [m]",
    lambda places, turns, times: np.linalg.norm(places - places[0], axis=1),
)
AXES: dict[str, tuple[Axis, Axis]] = {
    "straight": (TIME, BEHIND),
    "rotate": (TIME, HEADING),
    "circular": (PLACE, ASIDE),
    "ramp": (PLACE, HEIGHT),
    "staircase": (PLACE, HEIGHT),
    "stand": (TIME, MOVED),
    "pallet": (PLACE, HEIGHT),
    "back-and-forth": (TIME, AHEAD),
}
"""What is drawn of each scenario: along, and up."""


def draw_scenario(
    scenario: Scenario, name: str, drive: Drive, reference: Trajectory | None, note: str = ""
) -> Panel:
    """Return the figure of one model in a scenario; figures of several are one on the page.

    Args:
        scenario: Which.
        name: P1's name of the model.
        drive: Where it was.
        reference: Where it should have been, if that is known.
        note: What is particular, for the legend; such a line is dotted.
    """
    along, up = AXES[scenario.name]
    lines = []
    if reference is not None:
        lines.append(
            _line("stand-in for the robot", REFERENCE, "dashed", scenario,
                  reference.positions, reference.rotations)
        )  # fmt: skip
    number = list(ENTRANTS).index(name)
    dash: Dash = "dotted" if note else "dashdot" if number >= 4 else "solid"
    lines.append(
        _line(f"{name}{note}", line_colour(number), dash, scenario, drive.positions,
              drive.rotations)
    )  # fmt: skip
    return Panel(
        key=f"scenario-{scenario.name}", title=f"{scenario.title}: P1's models",
        x_label=along[0], y_label=up[0], series=tuple(lines),
        equal_axes=(along, up) == (PLACE, ASIDE),
    )  # fmt: skip


def _line(
    name: str, colour: str, dash: Dash, scenario: Scenario, places: Array, turns: Rotation
) -> Series:
    along, up = (take(places, turns, sample_times(scenario)) for _, take in AXES[scenario.name])
    return Series(name=name, x=along, y=up, colour=colour, dash=dash)
