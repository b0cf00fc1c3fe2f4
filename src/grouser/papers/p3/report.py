"""P3's experiments as tables, pages and logs."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from grouser.log import Log
from grouser.papers.p3.claims import Reproduction, printed_statistics
from grouser.papers.p3.figures import manoeuvre_panels, utilisation_panels
from grouser.papers.p3.identification import PRINTED
from grouser.papers.p3.manoeuvre import MANOEUVRES, tankbot_constants
from grouser.report import Panel, TextTable

RESPONSE = (
    "x_overshoot_pct", "x_f_from_successive_peaks_Hz", "y_overshoot_pct", "y_f_from_first_peak_Hz",
    "psi_max_deg", "omega_max", "x_peak_to_peak", "ellipse_utilisation_max",
)  # fmt: skip
"""What the table of manoeuvres shows of each."""


def tankbot_pages(
    done: Reproduction,
) -> Iterator[tuple[str, dict[str, Log], str, tuple[Panel, ...]]]:
    """Yield name, logs, title and figures of each page: one per manoeuvre, and one of slip."""
    for name, log in done.logs.items():
        title = f"Tankbot: {MANOEUVRES[name].title} (P3 Fig {MANOEUVRES[name].figure})"
        yield name, {name: log}, title, manoeuvre_panels({name: log}, tankbot_constants())
    across = {name: log for name, log in done.logs.items() if name.startswith("step-y")}
    title = "Tankbot: slip and friction used, level and tilted (P3 Figs 7, 18, 19)"
    panels = utilisation_panels(across, tankbot_constants())
    yield "slip-utilisation", across, title, panels


def tankbot_tables(done: Reproduction) -> list[TextTable]:
    """Return the numbers of the manoeuvres, of Table 4, and of the identification."""
    return [_responses(done), _statistics(done), _parameters(done)]


def _responses(done: Reproduction) -> TextTable:
    rows = tuple(
        (name, *("" if (v := response.get(key)) is None else f"{v:.3g}" for key in RESPONSE))
        for name, response in done.responses.items()
    )
    title = "Manoeuvres, from the edge at 15 s"
    return TextTable(title=title, heads=("manoeuvre", *RESPONSE), rows=rows)


def _statistics(done: Reproduction) -> TextTable:
    printed, names = printed_statistics(), tuple(done.logs)
    rows = tuple(
        (
            f"{row.state} {row.statistic} {row.unit}",
            *(
                f"{row.values[name]:.3f} ({printed[row.state, row.statistic][name]:.3f})"
                for name in names
            ),
        )
        for row in done.statistics
    )
    title = "Errors of the model: against a stand-in, in brackets P3's against its robot"
    return TextTable(title=title, heads=("error", *names), rows=rows)


def _parameters(done: Reproduction) -> TextTable:
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


def describe_reproduction(done: Reproduction) -> dict[str, Any]:
    """Return all numbers for JSON."""
    found = done.identification
    return {
        "responses": {name: dict(response) for name, response in done.responses.items()},
        "statistics": [asdict(row) for row in done.statistics],
        "parameters": [asdict(estimate) for estimate in found.parameters.values()],
        "motor_gains": [asdict(estimate) for estimate in found.motor_gains],
    }
