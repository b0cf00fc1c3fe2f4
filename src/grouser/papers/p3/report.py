"""P3's experiments as tables, pages and logs."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from grouser.log import Log
from grouser.papers.p3.experiments import TankbotResults
from grouser.papers.p3.figures import manoeuvre_panels, utilisation_panels
from grouser.papers.p3.identification import PRINTED
from grouser.papers.p3.manoeuvre import MANOEUVRES, tankbot_constants
from grouser.papers.p3.population_figures import ORDERS
from grouser.papers.p3.response import STATES
from grouser.papers.p3.stand_ins import HYPOTHESES
from grouser.papers.p3.table4 import NAMES, ROWS, printed_table
from grouser.report import Panel, TextTable

RESPONSE = (
    "x_overshoot_pct", "x_f_from_successive_peaks_Hz", "y_overshoot_pct", "y_f_from_first_peak_Hz",
    "psi_max_deg", "omega_max", "x_peak_to_peak", "ellipse_utilisation_max",
)  # fmt: skip
"""What the table of manoeuvres shows of each."""


def tankbot_pages(
    done: TankbotResults,
) -> Iterator[tuple[str, dict[str, Log], str, tuple[Panel, ...]]]:
    """Yield name, logs, title and figures of each page: one per manoeuvre, and one of slip."""
    for name, log in done.logs.items():
        title = f"Tankbot: {MANOEUVRES[name].title} (P3 Fig {MANOEUVRES[name].figure})"
        yield name, {name: log}, title, manoeuvre_panels({name: log}, tankbot_constants())
    across = {name: log for name, log in done.logs.items() if name.startswith("step-y")}
    title = "Tankbot: slip and friction used, level and tilted (P3 Figs 7, 18, 19)"
    panels = utilisation_panels(across, tankbot_constants())
    yield "slip-utilisation", across, title, panels


def tankbot_tables(done: TankbotResults) -> list[TextTable]:
    """Return the numbers of the manoeuvres, of Table 4, its orders and the identification."""
    return [_responses(done), _statistics(done), _orders(done), _parameters(done)]


def _responses(done: TankbotResults) -> TextTable:
    rows = tuple(
        (name, *("" if (v := response.get(key)) is None else f"{v:.3g}" for key in RESPONSE))
        for name, response in done.responses.items()
    )
    title = "Manoeuvres, from the edge at 15 s"
    return TextTable(title=title, heads=("manoeuvre", *RESPONSE), rows=rows)


def _statistics(done: TankbotResults) -> TextTable:
    rows = tuple(
        (
            f"{state} {statistic} {STATES[state][1]}",
            *(f"{ours:.3f} ({printed:.3f})" for ours, printed in zip(*pair, strict=True)),
        )
        for (state, statistic), *pair in zip(ROWS, done.errors, printed_table(), strict=True)
    )
    title = "Errors of the model: median of stand-ins that differ in all, in brackets P3's"
    return TextTable(title=title, heads=("error", *NAMES), rows=rows)


def _orders(done: TankbotResults) -> TextTable:
    rows = tuple(
        (name, *(_share(*done.orders[f"{order}, robots differ in {name}"]) for order in ORDERS))
        for name in HYPOTHESES
    )
    title = "Share of the rows of Table 4 with P3's order, by what stand-ins have different"
    return TextTable(title=title, heads=("different", *ORDERS), rows=rows)


def _share(value: float, interval: tuple[float, float]) -> str:
    return "{:.2f} ({:.2f} to {:.2f})".format(value, *interval)


def _parameters(done: TankbotResults) -> TextTable:
    found = done.identification
    rows = [
        (e.name, e.unit, f"{PRINTED[e.name]:g}", f"{e.value:.4g}", f"{e.low:.4g} to {e.high:.4g}")
        for e in found.parameters.values()
    ]
    rows += [
        (e.name, e.unit, "lost", f"{e.value:.4g}", f"{e.low:.4g} to {e.high:.4g}")
        for e in found.motor_gains
    ]
    heads = ("parameter", "unit", "printed", "found", "95 % interval")
    title = "Identified from noisy experiments on the virtual treadmill"
    return TextTable(title=title, heads=heads, rows=tuple(rows), words=2)


def describe_reproduction(done: TankbotResults) -> dict[str, Any]:
    """Return all numbers for JSON."""
    found = done.identification
    return {
        "responses": {name: dict(response) for name, response in done.responses.items()},
        "statistics": [
            {
                "state": state,
                "statistic": statistic,
                "unit": STATES[state][1],
                "values": dict(zip(NAMES, map(float, errors), strict=True)),
            }
            for (state, statistic), errors in zip(ROWS, done.errors, strict=True)
        ],
        "orders": {key: [value, *limits] for key, (value, limits) in done.orders.items()},
        "parameters": [asdict(estimate) for estimate in found.parameters.values()],
        "motor_gains": [asdict(estimate) for estimate in found.motor_gains],
    }
