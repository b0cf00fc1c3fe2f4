"""Parameters from logs: read, fit, tell, write."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, get_args

from grouser.cli.fit_panels import best_first
from grouser.cli.identify_request import Request, find_robot
from grouser.cli.main import DONE, UNCERTAIN
from grouser.cli.output import Output
from grouser.cli.print_fits import print_fits, print_turns
from grouser.cli.report_steady_tables import (
    is_table_of_turns,
    report_tilt,
    report_turns,
    tabulate,
)
from grouser.cli.terminal import Terminal
from grouser.description import load_course, parse_course
from grouser.errors import InvalidValue, UnknownName
from grouser.identify import (
    FAMILIES,
    Fit,
    Identification,
    Setting,
    export_fit,
    identify_records,
    kinematic_families,
    read_record,
)
from grouser.identify.exports import UNFIT
from grouser.identify.families.kinematic import smallest_difference
from grouser.identify.record import Kind
from grouser.identify.treadmill_table import is_tilt_table
from grouser.identify.turning_tables import TurningTables
from grouser.identify.turns import find_turns
from grouser.log import Log, read_foreign, read_log
from grouser.tasks import SERIAL, Workers

FEWEST_TURNS = 3
"""Turns from which on P2's procedure is run."""


def report_identification(request: Request, *, as_json: bool) -> int:
    """Obey, print what was found, and return the exit code."""
    _check(request)
    logs = [
        read_log(path) if request.column_map is None else read_foreign(path, request.column_map)
        for path in request.logs
    ]
    terminal = Terminal()
    if is_table_of_turns(logs[0]):
        return report_turns(request, logs[0], terminal, as_json=as_json)
    if is_tilt_table(logs[0]):
        return report_tilt(request, logs, terminal, as_json=as_json)
    setting = _setting(request, logs[0])
    observed = None if request.poses is None else read_log(request.poses)
    records = [
        read_record(log, str(path), setting.robot, setting.gauge, _kind(request.observe), observed)
        for log, path in zip(logs, request.logs, strict=True)
    ]
    with _progress(terminal) as tell:
        names = _families(request)
        workers = _choose_workers(request, names)
        found = identify_records(records, setting, names, tell, request.seed, workers)
    turns = _turns(request, found)
    written = _write(request, found, logs[0], turns)
    if as_json:
        terminal.json(_content(found, turns) | {"written": written})
        return DONE if found.recommendation.family else UNCERTAIN
    print_fits(terminal, found)
    if turns is not None:
        print_turns(terminal, turns)
    for path in written:
        terminal.line(f"written: {path}")
    return DONE if found.recommendation.family else UNCERTAIN


def _choose_workers(request: Request, families: tuple[str, ...]) -> Workers:
    """Return who fits: other processes take longer to start than quick families to fit."""
    if request.workers is not None or request.cluster is not None:
        return Workers(count=request.workers, cluster=request.cluster)
    slow = [name for name in families if name in FAMILIES and FAMILIES[name].is_simulated]
    return Workers() if slow else SERIAL


def _check(request: Request) -> None:
    if not request.logs:
        raise InvalidValue("identify", "no log", "have a log to learn from")
    if request.poses is not None and len(request.logs) > 1:
        raise InvalidValue("--poses", str(request.poses), "come with one log")


def _families(request: Request) -> tuple[str, ...]:
    return (
        tuple(FAMILIES) if "all" in request.families else request.families or kinematic_families()
    )


def _kind(word: str | None) -> Kind | None:
    if word is not None and word not in get_args(Kind):
        raise UnknownName("kind of observation", word, get_args(Kind))
    return word  # pyright: ignore[reportReturnType]


def _setting(request: Request, log: Log) -> Setting:
    robot = find_robot(request, log)
    gauge = request.gauge or (robot.gauge if robot else None)
    if gauge is None:
        raise InvalidValue("robot", "none", "be given by --robot, or its --gauge in metres")
    origin = log.provenance
    if request.course is not None:
        course = load_course(request.course)
    elif origin.course_text:
        course = parse_course(origin.course_text, origin.course, **origin.course_parameters)
    else:
        course = load_course("flat")
    return Setting(gauge=gauge, robot=robot, course=course)


def _turns(request: Request, found: Identification) -> TurningTables | None:
    """Return P2's tables, if its family was asked for and the drive has turns."""
    robot = found.setting.robot
    if "turning" not in found.fits or robot is None:
        return None
    smallest = smallest_difference(found.records, found.setting)
    turns = [turn for record in found.records for turn in find_turns(record, robot, smallest)]
    if len(turns) - len(request.leave_out) < FEWEST_TURNS:
        return None
    return tabulate(turns, request, robot)


def _write(
    request: Request, found: Identification, log: Log, turns: TurningTables | None
) -> list[Path]:
    def write_page(path: Path) -> None:
        from grouser.cli.write_fit_page import write_fit_page

        write_fit_page(found, log, path, turns)

    return request.write(partial(_export, found), write_page)


def _export(found: Identification, output: Output) -> Path:
    """Write the recommended fit, or the best of those that the format has a place for."""
    name = found.recommendation.family
    if not name and output.path.suffix.lower() != ".json":
        required = f"have a family to write; recommended is {found.recommendation.sentence}"
        raise InvalidValue("--export", str(output.path), required)
    chosen, *rest = best_first(found)
    others = [fit for fit in rest if fit.status.is_trusted and math.isfinite(fit.hold_out.score)]
    for fit in (chosen, *sorted(others, key=lambda fit: fit.hold_out.score)):
        try:
            path = output.write(partial(_export_fit, fit, found.setting))
        except InvalidValue as error:
            if error.name != UNFIT or len(found.fits) == 1:
                raise
            continue
        if fit is not chosen:
            words = f"{path} holds family {fit.family}: it has no place for {chosen.family}"
            Terminal().remark(words)
        return path
    raise InvalidValue(UNFIT, chosen.family, f"have a place in {output.path.name}; export .json")


def _export_fit(fit: Fit, setting: Setting, path: Path) -> None:
    export_fit(fit, path, setting)


def _content(found: Identification, turns: TurningTables | None) -> dict[str, Any]:
    chosen = found.recommendation
    return {
        "recommended": chosen.family or None,
        "as_good": chosen.as_good,
        "why": chosen.sentence,
        "fits": {name: fit.to_dict() for name, fit in found.fits.items()},
        "refused": found.refused,
        **({"turning": turns.to_dict()} if turns else {}),
    }


@contextmanager
def _progress(terminal: Terminal) -> Iterator[Callable[[str], None]]:
    if not terminal.err.is_terminal:
        yield lambda words: None
        return
    with terminal.err.status("fitting") as status:
        yield lambda words: status.update(words)
