"""Figures of a report of an identification."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from grouser.identify.driven import belt_motion
from grouser.identify.fit import Fit, Residuals
from grouser.identify.identify import Identification
from grouser.identify.prediction import replay_fit
from grouser.identify.prediction_limits import GrowingLimit
from grouser.identify.record import Record
from grouser.log import Log
from grouser.report import Heat, Panel, Series
from grouser.report.colours import LINES, REFERENCE, line_colour

MOST_DOTS = 4000
"""Dots of a figure at most."""
WIDEST = 6.0
"""How many standard deviations of residuals a figure shows [1]."""
MAP_CELLS = 25
"""Cells of the map of what was driven, each way."""
CURVE_POINTS = 60
"""Points of a curve."""
SHOWN_SPEEDS = ((0.5, "usual"), (0.1, "slow"), (0.9, "fast"))
"""Quantiles of the faster belt's mean speed for which a figure of limits has curves [1]."""
SHOWN_ERRORS = 0.99
"""Share of the errors that a figure of limits shows at least [1]."""


def family_colours(found: Identification) -> dict[str, str]:
    """Return one colour for each family, in all figures and in the replay; 0 is the log's."""
    return {f.family: line_colour(n) for n, f in enumerate(found.best_first, start=1)}


def path_panel(found: Identification, runs: Mapping[str, Log]) -> Panel | None:
    """Return observed and predicted paths of one drive, or the yaw rates of steady states."""
    record = found.record
    if record.steady:
        return _steady(found)
    if record.observation.kind not in ("pose", "position") or record.first.size > 1:
        return None
    x, y = record.observation.values[:2]
    rows = _thin(x.size)
    lines = [Series(name="log", x=x[rows], y=y[rows], colour=line_colour(0), dots=True)]
    colours = family_colours(found)
    for number, (name, run) in enumerate(list(runs.items())[1:], start=1):
        rows = _thin(len(run))
        dash = "solid" if number < len(LINES) else "dashed"  # colours repeat
        lines.append(
            Series(name=name, x=run["x"][rows], y=run["y"][rows], colour=colours[name], dash=dash)
        )
    return Panel(
        key="plan", title="Path: observed, and predicted from the start without correction",
        x_label="x [m]", y_label="y [m]", series=tuple(lines), equal_axes=True,
    )  # fmt: skip


def _steady(found: Identification) -> Panel | None:
    """Return the yaw rate of steady states over the belts' difference, observed and predicted."""
    record = found.record
    if record.observation.kind != "twist":
        return None
    across = record.right - record.left
    order = np.argsort(across)
    rates = {"log": (record.observation.values[2], line_colour(0))}
    colours = family_colours(found)
    for fit in found.best_first:
        run = replay_fit(fit, record, found.known_robot)
        rates[fit.family] = run["yaw_rate"], colours[fit.family]
    lines = tuple(
        Series(name=name, x=across[order], y=rate[order], colour=colour, dots=True)
        for name, (rate, colour) in rates.items()
    )
    return Panel(
        key="plan", title="Yaw rate of steady states", x_label="right less left belt [m/s]",
        y_label="yaw rate [rad/s]", series=lines,
    )  # fmt: skip


def limit_panels(fit: Fit) -> tuple[Panel, ...]:
    """Return the limits of predictions of position and heading, with the held-out errors."""
    if fit.limits is None:
        return ()
    pairs = (
        (fit.limits.position, fit.hold_out.position_errors),
        (fit.limits.heading, np.abs(fit.hold_out.heading_errors)),
    )
    return tuple(_limit_panel(fit, limit, errors) for limit, errors in pairs if limit is not None)


def _limit_panel(fit: Fit, limit: GrowingLimit, errors: NDArray[np.float64]) -> Panel:
    """Return limits over time, for usual, slow and fast driving, and all held-out errors."""
    cases = fit.hold_out.cases
    assert cases is not None  # there are no limits without predictions
    scale, unit = (math.degrees(1.0), "deg") if limit.unit == "rad" else (1.0, limit.unit)
    known = np.isfinite(errors)
    inside = np.zeros(errors.size, dtype=bool)
    inside[known] = errors[known] <= limit.of(cases, known)
    lines = [
        Series(name=f"held-out error {name}", x=cases.length[chosen][rows],
               y=scale * errors[chosen][rows], colour=colour, dots=True)
        for name, chosen, colour in (("inside its limit", known & inside, line_colour(0)),
                                     ("beyond it", known & ~inside, line_colour(4)))
        for rows in [_thin(int(chosen.sum()))]
    ]  # fmt: skip
    speeds = cases.travel[known] / np.maximum(cases.length[known], 1e-9)
    time = np.linspace(0.0, float(cases.length[known].max()), CURVE_POINTS)
    top = scale * float(np.quantile(errors[known], SHOWN_ERRORS))
    for number, (share, name) in enumerate(SHOWN_SPEEDS, start=1):
        speed = float(np.quantile(speeds, share))
        y = scale * limit.at(speed * time, time)
        top = max(top, float(y.max())) if name == "usual" else top
        lines.append(Series(name=f"limit, {name} speed, {speed:.2g} m/s", x=time, y=y,
                            colour=line_colour(number),
                            dash="solid" if name == "usual" else "dashed"))  # fmt: skip
    return Panel(
        key=f"limit-{limit.quantity}", title=f"90 % limit of the {limit.quantity} error",
        x_label="time ahead [s]", y_label=f"{limit.quantity} error [{unit}]",
        series=tuple(lines), y_range=(0.0, 1.05 * top),
    )  # fmt: skip


def driven_panel(record: Record, gauge: float) -> Panel:
    """Return how long which mean belt speed and turn rate was driven."""
    speed, turn_rate, weights = belt_motion(record, gauge)
    edges = [_edges(values) for values in (speed, turn_rate)]
    time, *_ = np.histogram2d(speed, turn_rate, bins=edges, weights=weights)
    x, y = (0.5 * (edge[1:] + edge[:-1]) for edge in edges)
    title = "rows" if record.steady else "time [s]"
    heat = Heat(x=x, y=y, values=np.where(time > 0.0, time, np.nan).T, title=title)
    return Panel(
        key="driven", title="Speeds and turns driven, by the belts",
        x_label="mean belt speed [m/s]", y_label="(right less left belt) / gauge [rad/s]",
        series=(), heat=heat,
    )  # fmt: skip


def _edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the edges of cells over all values, zero in the middle of a cell."""
    reach = max(float(np.max(np.abs(values))), 1e-3)
    width = 2.0 * reach / MAP_CELLS
    low, high = (math.floor(values.min() / width + 0.5), math.floor(values.max() / width + 0.5))
    return width * (np.arange(low, high + 2) - 0.5)


def residual_panel(left: Residuals, *, in_pieces: bool = False) -> Panel:
    """Return what a fit leaves of one channel, over time."""
    rows = _thin(left.values.size)
    edge = np.array([left.time.min(), left.time.max()]) if left.time.size else np.zeros(2)
    bounds = [
        Series(name="" if sign < 0 else "±2 standard deviations", x=edge,
               y=np.full(2, 2.0 * sign * left.scale), colour=REFERENCE, dash="dashed", faint=True)
        for sign in (1.0, -1.0)
    ]  # fmt: skip
    dots = Series(name="observed less predicted", x=left.time[rows], y=left.values[rows],
                  colour=line_colour(0), dots=True)  # fmt: skip
    return Panel(
        key=f"residuals-{left.channel}", title=f"What is left of {left.channel}",
        x_label="time, pieces one behind the other [s]" if in_pieces else "time [s]",
        y_label=f"{left.channel} [{left.unit}]", series=(dots, *bounds),
        y_range=(-WIDEST * left.scale, WIDEST * left.scale),
    )  # fmt: skip


def _thin(size: int) -> NDArray[np.intp]:
    return np.arange(0, size, max(size // MOST_DOTS, 1))
