"""What comes out of tables that are no drives: P2's turns, and P3's tilted treadmill."""

import json
from pathlib import Path
from typing import Any

from grouser.cli.identify_request import Request, need_robot
from grouser.cli.main import DONE
from grouser.cli.print_fits import print_fit, print_turns
from grouser.cli.terminal import Terminal
from grouser.description import Robot
from grouser.errors import InvalidValue
from grouser.identify import KnownRobot, export_fit
from grouser.identify.exports import without_nan
from grouser.identify.treadmill_table import fit_tilt_table, is_lifted_step
from grouser.identify.turning_tables import Turn, TurningTables, tabulate_turns
from grouser.identify.turns import read_turns
from grouser.log import Log
from grouser.storage import write_atomically


def is_table_of_turns(log: Log) -> bool:
    """Return whether a log is a table with one of P2's runs in each row."""
    return {"radius", "true_difference", "apparent_difference"} <= set(log)


def tabulate(turns: list[Turn], request: Request, robot: Robot) -> TurningTables:
    """Return P2's tables of turns, without those that were left out."""
    given = robot.turning
    of_file = (given.speed_difference_slope, given.speed_difference_intercept) if given else None
    return tabulate_turns(turns, robot.gauge, request.leave_out, of_file)


def report_turns(request: Request, log: Log, terminal: Terminal, *, as_json: bool) -> int:
    """Tell and write what a table of turns says."""
    for output in request.exports:
        if output.path.suffix.lower() != ".json":
            raise InvalidValue("export of a table of turns", str(output.path), "end in .json")
    robot = need_robot(request, log)
    tables = tabulate(read_turns(log, str(request.logs[0]), robot), request, robot)
    content: dict[str, Any] = {"family": "turning", **tables.to_dict()}
    text = json.dumps(without_nan(content), indent=2) + "\n"

    def write_page(path: Path) -> None:
        from grouser.cli.write_fit_page import write_turns_page

        write_turns_page(tables, path, robot.name)

    written = request.write(lambda o: o.write(lambda p: write_atomically(p, text)), write_page)
    if as_json:
        terminal.json(content | {"written": written})
    else:
        print_turns(terminal, tables)
        _tell_written(written, terminal)
    return DONE


def report_tilt(request: Request, logs: list[Log], terminal: Terminal, *, as_json: bool) -> int:
    """Tell and write what a tilted treadmill says."""
    robot = need_robot(request, logs[0])
    steps = [log for log in logs[1:] if is_lifted_step(log)]
    fit = fit_tilt_table(logs[0], str(request.logs[0]), robot, steps)
    known_robot = KnownRobot(gauge=robot.gauge, robot=robot)

    def write_page(path: Path) -> None:
        from grouser.cli.write_fit_page import write_single_fit_page

        write_single_fit_page(fit, path, robot.name)

    written = request.write(
        lambda o: o.write(lambda path: export_fit(fit, path, known_robot)), write_page
    )
    if as_json:
        terminal.json({"fits": {fit.family: fit.to_dict()}, "written": written})
    else:
        print_fit(terminal, fit)
        _tell_written(written, terminal)
    return DONE


def _tell_written(written: list[Path], terminal: Terminal) -> None:
    for path in written:
        terminal.line(f"written: {path}")
