"""Figures of P2's turns: printed numbers, simulated ones and predictions."""

from collections.abc import Mapping

import numpy as np

from grouser.geometry import Array
from grouser.laws.turning_geometry import true_speed_difference
from grouser.papers.p2.predict import printed_radii, relative_errors
from grouser.papers.p2.simulate import SimulatedTurns
from grouser.papers.p2.tables import credible_runs, read_columns
from grouser.papers.paper import draw_stems
from grouser.report import Panel, Series
from grouser.report.colours import REFERENCE, line_colour

COLOURS = {
    "no slip": REFERENCE,
    "closed form": line_colour(4),
    "rigid wheels": line_colour(0),
    "shear law": line_colour(1),
    "bias of 1 %": line_colour(2),
    "bias": line_colour(2),
    "eq 19": line_colour(3),
    "eq 20": line_colour(6),
}
"""Colours of predictors by name."""


def draw_errors(radii: Mapping[str, Array]) -> Panel:
    """Return the errors of predicted radii over the printed ones, of P2's 19 runs."""
    kept, printed = credible_runs(), printed_radii()
    span = np.array([printed[kept].min(), printed[kept].max()])
    lines = [Series(name="", x=span, y=np.zeros(2), colour=REFERENCE, faint=True)]
    lines += [
        Series(name=name, x=printed[kept], y=relative_errors(values)[kept], colour=COLOURS[name],
               dots=True)
        for name, values in radii.items()
    ]  # fmt: skip
    return Panel(
        key="radius-errors", title="Radii of runs left out of fits (Table 6)",
        x_label="R0, Table 5 [m]", y_label="error of the radius [%]", series=tuple(lines),
    )  # fmt: skip


def draw_differences(found: Mapping[str, SimulatedTurns]) -> Panel:
    """Return true over apparent speed differences: printed, simulated, and eq 19."""
    runs = read_columns("table5.csv")
    apparent = np.linspace(0.0, runs["Ev_a_mps"][1:].max(), 50)
    lines = [
        Series(name="no slip", x=apparent, y=apparent, colour=REFERENCE, dash="dashed"),
        Series(name="eq 19", x=apparent, y=np.asarray(true_speed_difference(apparent)),
               colour=line_colour(3)),
        Series(name="Table 5", x=runs["Ev_a_mps"][1:], y=runs["Ev_t_mps"][1:],
               colour=line_colour(3), dots=True),
    ]  # fmt: skip
    for name, turns in found.items():
        x, y = turns.column("apparent_difference")[1:], turns.column("true_difference")[1:]
        lines.append(Series(name=name, x=x, y=y, colour=COLOURS[name], dots=True))
    return Panel(
        key="differences", title="Speed differences of paths and wheels (Fig 13)",
        x_label="Ev_a [m/s]", y_label="Ev_t [m/s]", series=tuple(lines),
        y_range=(0.0, 0.55),
    )  # fmt: skip


def draw_pairs(apart: Mapping[str, Array]) -> Panel:
    """Return how far rear and front slippage ratios of a side are apart, printed and ours."""
    runs = read_columns("table5.csv")
    radii = runs["R0_m"][1:]
    lines = []
    for number, (side, ours) in enumerate(apart.items()):
        printed = runs[f"sl_{side[0]}1"] - runs[f"sl_{side[0]}2"]
        colour = line_colour(3 if number else 0)
        lines += [
            Series(name=f"{side}, Table 5", x=radii, y=printed[1:], colour=colour, dots=True),
            Series(name=f"{side}, ours", x=radii, y=ours[1:],
                   colour=colour, dash="dashed"),
        ]  # fmt: skip
    return Panel(
        key="pairs", title="Slippage ratios: rear minus front wheel (Fig 12)",
        x_label="R0, Table 5 [m]", y_label="difference of slippage ratios [1]",
        series=tuple(lines),
    )  # fmt: skip


def draw_sensitivity(errors: Mapping[str, float]) -> Panel:
    """Return mean errors of the radius by setting, as stems."""
    return draw_stems(
        "sensitivity", "Error of the radius by setting",
        "mean error [%]", tuple(errors), {"simulated": (tuple(errors.values()), line_colour(0))},
    )  # fmt: skip
