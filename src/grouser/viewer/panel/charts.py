"""Charts of the last seconds."""

import math
from dataclasses import dataclass

import numpy as np
import viser
import viser.uplot

from grouser.report.colours import LINES, REFERENCE
from grouser.viewer.history import History

HEIGHT = 150
"""Height of a chart [pixels]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One chart: its title, and the quantities in it."""

    title: str
    """Title, with the unit."""
    lines: tuple[tuple[str, str], ...]
    """Each line's label and its name in `Reading`."""
    factor: float = 1.0
    """From SI to the unit of the title [1]."""
    largest: float = math.inf
    """What is larger is drawn as large as this: slip means nothing as a belt stops [1]."""


CHARTS = (
    Chart(title="Speed [m/s]", lines=(("asked", "speed_commanded"), ("reached", "speed"))),
    Chart(
        title="Yaw rate [°/s]",
        lines=(("asked", "yaw_rate_commanded"), ("reached", "yaw_rate")),
        factor=math.degrees(1.0),
    ),
    Chart(title="Slip [1]", lines=(("left", "slip_left"), ("right", "slip_right")), largest=1.5),
    Chart(
        title="Attitude [°]",
        lines=(("pitch", "pitch"), ("roll", "roll")),
        factor=math.degrees(1.0),
    ),
    Chart(title="Real-time factor [1]", lines=(("factor", "real_time_factor"),)),
)
"""What is drawn."""


class Charts:
    """The charts in their own panel."""

    def __init__(self, gui: viser.GuiApi) -> None:
        empty = np.zeros(1)
        self._plots = [
            gui.add_uplot(
                data=(empty, *(empty for _ in chart.lines)),
                series=(
                    viser.uplot.Series(label="t [s]"),
                    *(
                        viser.uplot.Series(label=label, stroke=_colour(chart, n), width=1.5)
                        for n, (label, _) in enumerate(chart.lines)
                    ),
                ),
                title=chart.title,
                # The first scale would be read as seconds since 1970.
                scales={"x": viser.uplot.Scale(time=False, auto=True)},
                height=HEIGHT,
            )
            for chart in CHARTS
        ]

    def show(self, history: History) -> None:
        """Draw what the history holds."""
        if not len(history):
            return
        time = history.column("time")
        for chart, plot in zip(CHARTS, self._plots, strict=True):
            columns = (chart.factor * history.column(name) for _, name in chart.lines)
            plot.data = (time, *(column.clip(-chart.largest, chart.largest) for column in columns))


def _colour(chart: Chart, number: int) -> str:
    if chart.lines[number][0] == "asked":
        return REFERENCE
    return LINES[number - (chart.lines[0][0] == "asked")]
