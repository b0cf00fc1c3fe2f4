"""Figures of populations: shares with their intervals, Table 4 beside ours, maps, hills."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grouser.models.planar.constants import Constants
from grouser.papers.p3.shares import Estimates
from grouser.papers.p3.stand_ins import HYPOTHESES
from grouser.papers.p3.table4 import NAMES, ROWS, Population, printed_table
from grouser.papers.paper import GAP
from grouser.report import Mark, Panel, Series
from grouser.report.colours import REFERENCE, line_colour

ORDERS = {
    "step-x is worst along": ("step-x worst along", 1 / 7),
    "pitched is worst across": ("pitched worst across", 1 / 7),
    "rows with step-x or pitched worst": ("either worst", 2 / 7),
}
"""P3's orders: beginning of the key, name in the legend, and the share of an order by chance."""


def draw_shares(estimates: Estimates, key: str, title: str, where: str = "") -> Panel:
    """Return the shares of rows with P3's order, and their intervals, by hypothesis."""
    lines: list[Series] = []
    for number, (order, (name, chance)) in enumerate(ORDERS.items()):
        colour = line_colour(number)
        found = [estimates[f"{order}, {where}robots differ in {h}"] for h in HYPOTHESES]
        lines += _with_intervals(name, number - 1, found, colour)
        ends = np.array([-0.5, len(HYPOTHESES) - 0.5])
        lines.append(Series(name="", x=ends, y=np.full(2, chance), colour=colour, dash="dotted"))
    return Panel(
        key=key, title=title,
        x_label="what robots have different; dotted: an order by chance; P3: 1, 1 and 0.94",
        y_label="share of rows [1]", series=tuple(lines), x_names=tuple(HYPOTHESES),
        y_range=(-0.02, 1.02),
    )  # fmt: skip


def _with_intervals(
    name: str, place: float, found: Sequence[tuple[float, tuple[float, float]]], colour: str
) -> list[Series]:
    """Return dots, and lines from the low to the high end of their intervals."""
    x: NDArray[np.float64] = np.arange(len(found), dtype=np.float64) + GAP * place
    gaps = np.full(len(found), np.nan)
    values = np.array([value for value, _ in found])
    low, high = np.array([interval for _, interval in found]).T
    return [
        Series(name=name, x=x, y=values, colour=colour, dots=True),
        Series(
            name="", x=np.stack((x, x, gaps), axis=1).ravel(),
            y=np.stack((low, high, gaps), axis=1).ravel(), colour=colour,
        ),
    ]  # fmt: skip


def draw_worst(population: Population) -> Panel:
    """Return for each row of Table 4 which manoeuvre is worst, for which share of robots."""
    lines: list[Series] = []
    marks: list[Mark] = []
    printed = printed_table().argmax(axis=1)
    for number, name in enumerate(NAMES):
        x = np.arange(len(ROWS)) + 0.11 * (number - 3)
        share = np.mean(population.worst == number, axis=0)
        gaps = np.full(len(ROWS), np.nan)
        lines.append(
            Series(
                name=name, x=np.stack((x, x, gaps), axis=1).ravel(),
                y=np.stack((0.0 * share, share, gaps), axis=1).ravel(), colour=line_colour(number),
            )
        )  # fmt: skip
        marks += [
            Mark(
                symbol="yes", x=float(x[row]), y=float(share[row]), colour=line_colour(number),
                name="P3's worst",
            )
            for row in np.flatnonzero(printed == number)
        ]  # fmt: skip
    return Panel(
        key="worst-manoeuvre", title="Table 4: the manoeuvre with the largest error",
        x_label="row of Table 4", y_label="share of robots [1]", series=tuple(lines),
        marks=tuple(marks), x_names=tuple(f"{state} {statistic}" for state, statistic in ROWS),
        y_range=(0.0, 1.0),
    )  # fmt: skip


def draw_errors(population: Population) -> Panel:
    """Return the median errors of ours over those that Table 4 prints."""
    ratio = np.median(population.errors, axis=0) / printed_table()
    lines = [
        Series(
            name=f"{state} {statistic}", x=np.arange(len(NAMES), dtype=float),
            y=ratio[row], colour=line_colour(number), dots=True,
        )
        for number, (row, (state, statistic)) in enumerate(
            (row, name) for row, name in enumerate(ROWS) if name[1] == "rms"
        )
    ]  # fmt: skip
    ends = np.array([-0.5, len(NAMES) - 0.5])
    lines.append(Series(name="as printed", x=ends, y=np.ones(2), colour=REFERENCE, dash="dashed"))
    return Panel(
        key="error-sizes", title="Errors against robots that differ in all, over P3's",
        x_label="", y_label="ours over printed [1]", series=tuple(lines), x_names=NAMES,
    )  # fmt: skip


def draw_maps(maps: Constants, clipped: NDArray[np.bool_]) -> Panel:
    """Return gains and limits of motor maps, and whose forces are clipped when rolled (Fig 7)."""
    _, _, gain, limit = (np.asarray(part) for part in maps.left_forward)
    groups = (("clipped when rolled", clipped, 3), ("never clipped when rolled", ~clipped, 0))
    lines = [
        Series(name=name, x=gain[which], y=limit[which], colour=line_colour(number), dots=True)
        for name, which, number in groups
        if which.any()
    ]
    usual = Mark(symbol="yes", x=4.0, y=16.0, colour=REFERENCE, name="map of tankbot.toml")
    return Panel(
        key="motor-maps", title="Motor maps with P3's frequencies: which ones clip (Fig 7)",
        x_label="gain [N m/V]", y_label="largest torque [N m]", series=tuple(lines),
        marks=(usual,),
    )  # fmt: skip


def draw_hills(limits: Mapping[str, ArrayLike]) -> Panel:
    """Return the steepest slopes of robots, indirect over direct."""
    lines = []
    for number, where in enumerate(("from rest", "on the treadmill")):
        direct, indirect = (
            np.rad2deg(np.asarray(limits[f"{where}, {way}"])) for way in ("direct", "indirect")
        )
        # A little apart, so that dots on the grid of slopes do not hide each other.
        shift = 0.16 * (number - 0.5)
        lines.append(
            Series(name=where, x=direct + shift, y=indirect, colour=line_colour(3 * number),
                   dots=True)
        )  # fmt: skip
    top = max(float(line.x.max()) for line in lines) + 1.0
    same = np.array([0.0, top])
    lines.append(Series(name="as steep", x=same, y=same, colour=REFERENCE, dash="dashed"))
    return Panel(
        key="hills", title="Steepest slopes, straight up and at 45 degrees",
        x_label="straight up [deg]", y_label="at 45 degrees to the fall line [deg]",
        series=tuple(lines), equal_axes=True,
    )  # fmt: skip
