"""The charts."""

import math
from dataclasses import dataclass

import numpy as np
import viser
import viser.uplot
from numpy.typing import NDArray

from grouser.report.colours import LINES, REFERENCE
from grouser.viewer.stream import History

HEIGHT = 150
"""Height of a chart [pixels]."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: its title with unit, and its lines."""

    title: str
    lines: dict[str, str]
    """Label of each line, and name of its field in `Reading`."""
    factor: float = 1.0
    """Factor from SI to the unit of the title [1]."""
    largest: float = math.inf
    """Larger values are drawn as this one, as slip grows without limit when a belt stops [1]."""


DEGREES = math.degrees(1.0)
"""Degrees per radian [1]."""
CHARTS = (
    Chart("Speed [m/s]", {"commanded": "speed_commanded", "actual": "speed"}),
    Chart("Yaw rate [°/s]", {"commanded": "yaw_rate_commanded", "actual": "yaw_rate"}, DEGREES),
    Chart("Slip [1]", {"left": "slip_left", "right": "slip_right"}, largest=1.5),
    Chart("Attitude [°]", {"pitch": "pitch", "roll": "roll"}, DEGREES),
    Chart("Real-time factor [1]", {"factor": "real_time_factor"}),
)
"""All charts, from top to bottom."""


class Charts:
    """The tab with the charts."""

    def __init__(self, gui: viser.GuiApi) -> None:
        empty = np.zeros(1)
        self._gui, self._folder = gui, gui.add_folder("Ghosts", visible=False)
        self._gaps: viser.GuiUplotHandle | None = None
        self._ghosts: tuple[str, ...] = ()
        self._plots = [
            gui.add_uplot(
                data=(empty, *(empty for _ in chart.lines)),
                series=(
                    viser.uplot.Series(label="t [s]"),
                    *(
                        viser.uplot.Series(
                            label=label, stroke=_colour(tuple(chart.lines), n), width=1.5
                        )
                        for n, label in enumerate(chart.lines)
                    ),
                ),
                title=chart.title,
                # Otherwise uPlot reads x as seconds since 1970.
                scales={"x": viser.uplot.Scale(time=False, auto=True)},
                height=HEIGHT,
            )
            for chart in CHARTS
        ]

    def show(self, history: History) -> None:
        """Draw the history."""
        if not len(history):
            return
        time = history.column("time")
        for chart, plot in zip(CHARTS, self._plots, strict=True):
            columns = (chart.factor * history.column(name) for name in chart.lines.values())
            plot.data = (time, *(column.clip(-chart.largest, chart.largest) for column in columns))
        self._show_gaps(time, history)

    def _show_gaps(self, time: NDArray[np.float64], history: History) -> None:
        if history.ghosts != self._ghosts:
            self._ghosts, self._gaps = history.ghosts, self._add_gaps(history.ghosts)
        if self._gaps is not None:
            self._gaps.data = (time, *(history.gap(name) for name in self._ghosts))

    def _add_gaps(self, ghosts: tuple[str, ...]) -> viser.GuiUplotHandle | None:
        """Return a new chart with a line for each ghost, instead of the one before."""
        if self._gaps is not None:
            self._gaps.remove()
        self._folder.visible = bool(ghosts)
        if not ghosts:
            return None
        with self._folder:
            return self._gui.add_uplot(
                data=(np.zeros(1),) * (1 + len(ghosts)),
                series=(
                    viser.uplot.Series(label="t [s]"),
                    *(
                        viser.uplot.Series(label=name, stroke=LINES[n + 1], width=1.5)
                        for n, name in enumerate(ghosts)
                    ),
                ),
                title="Distance [m]",
                scales={"x": viser.uplot.Scale(time=False, auto=True)},
                height=HEIGHT,
            )


def _colour(labels: tuple[str, ...], number: int) -> str:
    if labels[number] == "commanded":
        return REFERENCE
    return LINES[number - (labels[0] == "commanded")]
