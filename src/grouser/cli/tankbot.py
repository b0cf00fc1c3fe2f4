"""`grouser tankbot`."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from grouser.cli.options import Json, Overwrite, Seed

if TYPE_CHECKING:
    from grouser.papers.p3.claims import Reproduction

Folder = Annotated[
    Path | None,
    Parameter(metavar="FOLDER", help="Where to write pages and logs; out/tankbot if not given."),
]
RESPONSE = (
    "x_overshoot_pct", "x_f_from_successive_peaks_Hz", "y_overshoot_pct", "y_f_from_first_peak_Hz",
    "psi_max_deg", "omega_max", "x_peak_to_peak", "ellipse_utilisation_max",
)  # fmt: skip
"""What the table of manoeuvres shows of each."""


def tankbot(
    *,
    out_dir: Folder = None,
    overwrite: Overwrite = False,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Run the experiments of P3 on the virtual treadmill: numbers, and a page per manoeuvre."""
    from grouser.cli.output import FolderOutput, claim_folder
    from grouser.cli.terminal import Terminal
    from grouser.extras import require_extra
    from grouser.log import write_log
    from grouser.papers.p3.claims import reproduce_tankbot
    from grouser.papers.p3.figures import manoeuvre_panels, utilisation_panels
    from grouser.papers.p3.manoeuvre import MANOEUVRES, tankbot_constants
    from grouser.report import write_page

    require_extra("a page for each manoeuvre", "plots", "plotly")
    terminal = Terminal()
    folder = claim_folder("--out-dir", out_dir, Path("out/tankbot"), overwrite=overwrite)
    files = FolderOutput.of("--out-dir", None, folder, overwrite=overwrite)
    done = reproduce_tankbot(seed, lambda words: terminal.remark(f"tankbot: {words}"))
    for name, log in done.logs.items():
        files.claim(f"{name}.csv").write(partial(write_log, log))
        title = f"Tankbot: {MANOEUVRES[name].title} (P3 Fig {MANOEUVRES[name].figure})"
        panels = manoeuvre_panels({name: log}, tankbot_constants())
        page = partial(write_page, {name: log}, title=title, panels=panels)
        files.claim(f"{name}.html").write(page)
    across = {name: log for name, log in done.logs.items() if name.startswith("step-y")}
    title = "Tankbot: slip and friction used, level and tilted (P3 Figs 7, 18, 19)"
    panels = utilisation_panels(across, tankbot_constants())
    page = partial(write_page, across, title=title, panels=panels)
    files.claim("slip-utilisation.html").write(page)
    if as_json:
        terminal.json(_content(done, folder))
        return
    _tell_responses(terminal, done)
    _tell_statistics(terminal, done)
    _tell_parameters(terminal, done)
    terminal.line(f"pages and logs: {folder}")


def _tell_responses(terminal: Any, done: "Reproduction") -> None:
    terminal.heading("Manoeuvres, from the edge at 15 s")
    rows = [
        (name, *("" if (v := response.get(key)) is None else f"{v:.3g}" for key in RESPONSE))
        for name, response in done.responses.items()
    ]
    terminal.table(("manoeuvre", *RESPONSE), rows, numbers=range(1, len(RESPONSE) + 1))


def _tell_statistics(terminal: Any, done: "Reproduction") -> None:
    from grouser.papers.p3.claims import printed_statistics

    terminal.heading("Errors of the model: against a stand-in, in brackets P3's against its robot")
    printed, names = printed_statistics(), tuple(done.logs)
    rows = [
        (
            f"{row.state} {row.statistic} {row.unit}",
            *(
                f"{row.values[name]:.3f} ({printed[row.state, row.statistic][name]:.3f})"
                for name in names
            ),
        )
        for row in done.statistics
    ]
    terminal.table(("error", *names), rows, numbers=range(1, len(names) + 1))


def _tell_parameters(terminal: Any, done: "Reproduction") -> None:
    from grouser.papers.p3.identification import PRINTED

    terminal.heading("Identified from noisy experiments on the virtual treadmill")
    found = done.identification
    rows = [
        (e.name, e.unit, f"{PRINTED[e.name]:g}", f"{e.value:.4g}", f"{e.low:.4g} to {e.high:.4g}")
        for e in found.parameters.values()
    ]
    rows += [
        (e.name, e.unit, "lost", f"{e.value:.4g}", f"{e.low:.4g} to {e.high:.4g}")
        for e in found.motor_gains
    ]
    headings = ("parameter", "unit", "printed", "found", "95 % interval")
    terminal.table(headings, rows, numbers=(2, 3, 4))


def _content(done: "Reproduction", folder: Path) -> dict[str, Any]:
    from dataclasses import asdict

    found = done.identification
    return {
        "responses": {name: dict(response) for name, response in done.responses.items()},
        "statistics": [asdict(row) for row in done.statistics],
        "parameters": [asdict(estimate) for estimate in found.parameters.values()],
        "motor_gains": [asdict(estimate) for estimate in found.motor_gains],
        "folder": folder,
    }
