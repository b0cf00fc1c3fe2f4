"""`grouser soil`: the data sheet of a robot on soils."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from grouser.cli.exits import DONE
from grouser.cli.options import File, RobotReference, SoilReference, Speed, options, several
from grouser.cli.shared_options import ResultOptions
from grouser.cli.terminal import Terminal, json_text
from grouser.errors import InvalidValue
from grouser.storage import write_atomically
from grouser.units import check_range, format_number

if TYPE_CHECKING:
    from grouser.cli.output import Output
    from grouser.description import Robot
    from grouser.identify.pull_slip import PullCurve, SoilFit
    from grouser.laws.soil_drive import SoilDrive
    from grouser.report import Panel
    from grouser.report.soil_sheet import SoilSheet

SHEETS = (".png", ".svg", ".json")
"""How the name of a sheet may end."""
USUAL_SPEED = 0.2
"""Speed of turns where none is given, unless the robot is slower [m/s]."""
RobotArgument = Annotated[
    RobotReference,
    Parameter(name="ROBOT", help="Robot: a name that `grouser robots` lists, or a TOML file."),
]
SoilArgument = Annotated[
    SoilReference,
    Parameter(name="SOIL", help="Soils: names such as dry-sand, or TOML files; all if none."),
]


@options
class SheetOptions:
    """What the sheet is of."""

    speed: Speed | None = None
    """Speed of the robot in turns and of its belts in a turn in place [m/s]; 0.2 if not given, but
    no faster than the robot can."""
    fit: File | None = None
    """Find K, c and phi of the one SOIL from measured pulls: a CSV file with the columns slip, pull
    [N] and perhaps weight [N]."""
    out: Annotated[tuple[Path, ...], several("FILE")] = ()
    """Write the curves (.png, .svg) and all numbers (.json)."""


def soil(
    robot: RobotArgument,
    /,
    *soils: SoilArgument,
    given: SheetOptions = SheetOptions(),
    results: ResultOptions = ResultOptions(),
) -> int:
    """Print the data sheet of a robot on soils: pull, sinkage, slopes, turns, power.

    Several soils stand beside each other. Nothing is simulated: these are closed forms, and the
    quadrature of steady turns.
    """
    from grouser.cli.output import claim_output
    from grouser.description import load_robot, load_soil, soil_names
    from grouser.identify.pull_slip import fit_pull_curve, read_pull_curve
    from grouser.laws.soil_drive import SoilDrive, belts_of
    from grouser.report.soil_sheet import SoilSheet, fit_panel, sheet_panels

    outputs = [
        claim_output("--out", path, overwrite=results.overwrite, suffixes=SHEETS)
        for path in given.out
    ]
    found = load_robot(robot)
    if given.fit is not None and len(soils) != 1:
        required = "name the one soil whose moduli and weight the fit keeps"
        raise InvalidValue("SOIL with --fit", " ".join(soils) or "none", required)
    speed, belts = _speed(given.speed, found), belts_of(found)
    drives = [SoilDrive(belts=belts, soil=load_soil(name)) for name in soils or soil_names()]
    curve = None if given.fit is None else read_pull_curve(given.fit)
    fit = None if curve is None else fit_pull_curve(curve, drives[0])
    sheets = [SoilSheet.of(drive, speed) for drive in _with_fitted(drives, fit)]
    panels = sheet_panels(sheets)
    if fit is not None and curve is not None:
        measured = fit_panel(fit.drive, curve.slips, curve.pulls, curve.weights)
        panels = (measured, *(panel for panel in panels if panel.key != "sinkage"))  # it stays
    content = _content(found, speed, sheets, fit)
    content["written"] = [_write(output, content, panels) for output in outputs]
    if results.as_json:
        Terminal().json(content)
    else:
        _print(Terminal(), found, sheets, fit, curve, content["written"])
    return DONE


def _speed(given: float | None, robot: Robot) -> float:
    if given is None:
        return min(USUAL_SPEED, robot.drive.speed_limit)
    return check_range("--speed", given, "m/s", is_size=True)


def _with_fitted(drives: list[SoilDrive], fit: SoilFit | None) -> list[SoilDrive]:
    """Return the drives, and that with the fitted soil beside the one it began with."""
    if fit is None:
        return drives
    soil = fit.drive.soil.model_copy(update={"name": f"{drives[0].soil.name}, fitted"})
    return [*drives, type(fit.drive)(belts=fit.drive.belts, soil=soil)]


def _content(
    robot: Robot, speed: float, sheets: list[SoilSheet], fit: SoilFit | None
) -> dict[str, Any]:
    from grouser.report.soil_sheet import belts_content, notes_of

    content: dict[str, Any] = {
        "robot": robot.name,
        **belts_content(sheets[0].drive.belts),
        "speed_m_s": speed,
        "soils": [sheet.content() for sheet in sheets],
        "notes": notes_of(sheets),
    }
    if fit is not None:
        every = {**fit.estimates, "strength": fit.strength}
        content["fit"] = {
            "estimates": {
                key: {
                    "value": e.value,
                    "low": e.low,
                    "high": e.high,
                    "unit": e.unit,
                    "determined": key not in fit.undetermined,
                }
                for key, e in every.items()
            },
            "rmse_N": fit.rmse,
            "sentences": fit.sentences,
        }
    return content


def _write(output: Output, content: dict[str, Any], panels: tuple[Panel, ...]) -> Path:
    from grouser.report import write_picture

    if output.path.suffix.lower() == ".json":
        return output.write(lambda path: write_atomically(path, json_text(content)))
    return output.write(lambda path: write_picture({}, path, panels=panels))


def _print(
    terminal: Terminal,
    robot: Robot,
    sheets: list[SoilSheet],
    fit: SoilFit | None,
    curve: PullCurve | None,
    written: list[Path],
) -> None:
    from grouser.report.soil_sheet import sheet_table

    belts = sheets[0].drive.belts
    ribs = f", grousers of {1e3 * belts.grouser_height:g} mm" if belts.grouser_height else ""
    size = f"{belts.count} belts of {belts.length:.3g} m x {belts.width:.3g} m{ribs}"
    title = f"{robot.name} on soil: {belts.weight:.4g} N on {size}, at {sheets[0].speed:g} m/s"
    if fit is not None and curve is not None:
        _print_fit(terminal, fit, curve)
    terminal.tables([sheet_table(title, sheets)])
    for path in written:
        terminal.line(f"written: {path}")


def _print_fit(terminal: Terminal, fit: SoilFit, curve: PullCurve) -> None:
    terminal.heading(f"fitted to {len(curve.slips)} pulls, rms of what is left {fit.rmse:.3g} N")
    every = {**fit.estimates, "strength": fit.strength}
    rows = []
    for key, e in every.items():
        known = key not in fit.undetermined
        numbers = [format_number(number) for number in (e.value, e.low, e.high)]
        rows.append((key, *(numbers if known else ("not determined", "", "")), e.unit))
    terminal.table(("number", "value", "from", "to (95 %)", "unit"), rows, numbers=(1, 2, 3))
    for sentence in fit.sentences:
        terminal.line(sentence)
    if fit.sentences:
        terminal.line()
