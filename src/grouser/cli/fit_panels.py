"""Figures of fits: the path, what is left, and how errors grow."""

import numpy as np
from numpy.typing import NDArray

from grouser.identify import Fit, Identification
from grouser.identify.fit import Residuals
from grouser.identify.turning_tables import TurningTables
from grouser.log import Log
from grouser.report import Panel, Series
from grouser.report.colours import REFERENCE, line_colour

MOST_DOTS = 4000
"""Dots of a figure at most."""
WIDEST = 6.0
"""How many standard deviations of residuals a figure shows [1]."""


def fit_panels(
    found: Identification, runs: dict[str, Log], turns: TurningTables | None
) -> tuple[Panel, ...]:
    """Return the figures of an identification.

    Args:
        found: What was found.
        runs: The log and the paths that fits predict, by name.
        turns: P2's tables, if there are.
    """
    chosen = best_first(found)[0]
    panels = [_plan(found, runs), _errors(found)]
    panels += [residual_panel(left) for left in chosen.residuals]
    panels += [] if turns is None else turn_panels(turns)
    return tuple(panel for panel in panels if panel is not None)


def _plan(found: Identification, runs: dict[str, Log]) -> Panel | None:
    record = found.records[0]
    if record.steady:
        return _steady(found)
    if record.observation.kind not in ("pose", "position"):
        return None
    x, y = record.observation.values[:2]
    rows = _thin(x.size)
    lines = [Series(name="log", x=x[rows], y=y[rows], colour=line_colour(0), dots=True)]
    colours = _colours(found)
    for name, run in list(runs.items())[1:]:
        rows = _thin(len(run))
        lines.append(Series(name=name, x=run["x"][rows], y=run["y"][rows], colour=colours[name]))
    return Panel(
        key="plan", title="Path: observed, and predicted from the start without correction",
        x_label="x [m]", y_label="y [m]", series=tuple(lines), equal_axes=True,
    )  # fmt: skip


def _steady(found: Identification) -> Panel:
    """Return the yaw rate of steady states over the belts' difference, observed and predicted."""
    from grouser.identify.prediction import replay_fit

    record = found.records[0]
    across = record.right - record.left
    order = np.argsort(across)
    lines = [
        Series(name="log", x=across[order], y=record.observation.values[2][order],
               colour=line_colour(0), dots=True)
    ]  # fmt: skip
    colours = _colours(found)
    for fit in best_first(found):
        run = replay_fit(fit, record, found.known_robot, found.records)
        lines.append(
            Series(name=fit.family, x=across[order], y=run["yaw_rate"][order],
                   colour=colours[fit.family], dots=True)
        )  # fmt: skip
    return Panel(
        key="plan", title="Yaw rate of steady states", x_label="right less left belt [m/s]",
        y_label="yaw rate [rad/s]", series=tuple(lines),
    )  # fmt: skip


def _errors(found: Identification) -> Panel | None:
    lines, colours = [], _colours(found)
    for fit in best_first(found):
        errors = fit.hold_out.position or fit.hold_out.heading
        if errors:
            times = sorted(errors)
            lines.append(
                Series(name=fit.family, x=np.array(times),
                       y=np.array([errors[t] for t in times]), colour=colours[fit.family],
                       dots=len(times) == 1)
            )  # fmt: skip
    if not lines:
        return None
    place = any(fit.hold_out.position for fit in found.fits.values())
    label = "m" if place else "rad"
    return Panel(
        key="hold-out", x_label="predicted time [s]", y_label=f"RMS error [{label}]",
        title=f"Error of the {'place' if place else 'heading'} on data that no fit has seen",
        series=tuple(lines),
    )  # fmt: skip


def residual_panel(left: Residuals) -> Panel:
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
        x_label="time [s]", y_label=f"{left.channel} [{left.unit}]", series=(dots, *bounds),
        y_range=(-WIDEST * left.scale, WIDEST * left.scale),
    )  # fmt: skip


def turn_panels(turns: TurningTables) -> list[Panel]:
    """Return P2's fits: true over apparent speed difference, and radius over the true one."""
    apparent = np.array([t.apparent_difference for t in turns.turns])
    true = np.array([t.true_difference for t in turns.turns])
    radius = np.array([t.radius for t in turns.turns])
    across = np.array([0.0, apparent.max()])
    line, law = turns.line, turns.power_law
    along = np.linspace(true.min(), true.max(), 200)
    return [
        Panel(
            key="eq19", title="True over apparent speed difference (P2 eq 19)",
            x_label="Ev_a [m/s]", y_label="Ev_t [m/s]",
            series=(
                Series(name="turns", x=apparent, y=true, colour=line_colour(0), dots=True),
                Series(name="eq 19", x=across, y=line.slope * across + line.intercept,
                       colour=line_colour(1)),
            ),
        ),
        Panel(
            key="eq20", title="Radius over true speed difference (P2 eq 20)",
            x_label="Ev_t [m/s]", y_label="R0 [m]",
            series=(
                Series(name="turns", x=true, y=radius, colour=line_colour(0), dots=True),
                Series(name="eq 20", x=along, y=law.coefficient * along**law.exponent,
                       colour=line_colour(1)),
            ),
        ),
    ]  # fmt: skip


def _thin(size: int) -> NDArray[np.intp]:
    return np.arange(0, size, max(size // MOST_DOTS, 1))


def _colours(found: Identification) -> dict[str, str]:
    """Return one colour for each family, in all figures and in the replay; 0 is the log's."""
    return {f.family: line_colour(n) for n, f in enumerate(best_first(found), start=1)}


def best_first(found: Identification) -> list[Fit]:
    """Return all fits, the recommended one first, if one is."""
    chosen = found.recommendation.family
    return sorted(found.fits.values(), key=lambda fit: fit.family != chosen)
