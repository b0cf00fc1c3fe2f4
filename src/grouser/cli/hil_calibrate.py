"""`grouser hil calibrate gyro`, `encoder` and `speed`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from grouser.cli.exits import DONE
from grouser.cli.options import Seconds, Speed, options
from grouser.cli.shared_options import CalibrationOptions, MovingBoard, ResultOptions, StillBoard
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue
from grouser.extras import require_extra
from grouser.units import format_number

if TYPE_CHECKING:
    from grouser.cli.output import Output
    from grouser.description import Robot
    from grouser.description.edit import Entry
    from grouser.hil.board_session import BoardSession
    from grouser.hil.calibrate import Bench, Calibration


@options
class EncoderOptions:
    """How the encoders are measured."""

    distance: Annotated[float, Parameter(metavar="M")] = 1.0
    """How far to drive, by the encoders as they are [m]."""
    speed: Speed = 0.1
    """How fast to drive [m/s]."""
    measured: Annotated[str | None, Parameter(metavar="LEFT[,RIGHT]")] = None
    """How far the belts ran, by a tape measure [m]; entered after the drive if not given. A
    simulated board measures it itself."""


AtRest = Annotated[Seconds, Parameter(help="How long to watch the robot stand, twice [s].")]
Duties = Annotated[
    tuple[float, ...],
    Parameter(
        metavar="DUTY ...",
        consume_multiple=2,
        negative="",
        help="Duties to measure at, rising, above 0 and at most 1.",
    ),
]


def calibrate_gyro(
    *,
    options: CalibrationOptions = CalibrationOptions(),
    board: StillBoard = StillBoard(),
    duration: AtRest = 5.0,
    results: ResultOptions = ResultOptions(),
) -> int:
    """Measure what the gyroscope shows at rest. Let the robot stand."""
    from grouser.hil.calibrate import measure_gyro

    if not 0.5 <= duration <= 600.0:
        raise InvalidValue("--duration", duration, "be from 0.5 to 600 s")
    return _calibrate(
        _make_bench(options, board),
        lambda session, known: measure_gyro(session, known, duration),
        options,
        results,
    )


def calibrate_encoder(
    *,
    options: CalibrationOptions = CalibrationOptions(),
    board: MovingBoard = MovingBoard(),
    given: EncoderOptions = EncoderOptions(),
    results: ResultOptions = ResultOptions(),
) -> int:
    """Drive straight, compare the encoders with a tape measure, and scale them."""
    from grouser.hil.calibrate import measure_encoder

    distance, speed = given.distance, given.speed
    for name, value, most in (("--distance", distance, 20.0), ("--speed", speed, 0.5)):
        if not 0.01 <= value <= most:
            raise InvalidValue(name, value, f"be from 0.01 to {most:g}")
    bench = _make_bench(options, board, given.measured)
    return _calibrate(
        bench,
        lambda session, known: measure_encoder(
            session, known, bench.read_tape, distance=distance, speed=speed
        ),
        options,
        results,
    )


def calibrate_speed(
    *,
    options: CalibrationOptions = CalibrationOptions(),
    board: MovingBoard = MovingBoard(),
    duties: Duties = (0.25, 0.4, 0.6, 0.8, 1.0),
    results: ResultOptions = ResultOptions(),
) -> int:
    """Measure how fast the belts run at which duty. Put the robot on a stand."""
    from grouser.hil.calibrate import measure_speed_map

    return _calibrate(
        _make_bench(options, board),
        lambda session, known: measure_speed_map(session, known, duties),
        options,
        results,
    )


def _make_bench(
    options: CalibrationOptions, board: StillBoard, measured: str | None = None
) -> Bench:
    from grouser.hil.calibrate import Bench

    known: dict[str, Any] = {"arm": True, **asdict(board)}  # a board that stands needs no --arm
    return Bench(robot=options.robot, measured=measured, **known)


def _calibrate(
    bench: Bench,
    measure: Callable[[BoardSession, Robot], Calibration],
    options: CalibrationOptions,
    results: ResultOptions,
) -> int:
    """Measure, print what changes, and write the robot's file."""
    from grouser.description import load_robot
    from grouser.storage import write_atomically

    require_extra("changing a robot's file", "hil", "tomlkit")
    load_robot(options.robot)
    target = None if options.dry_run else _find_target(options, overwrite=results.overwrite)
    Terminal().remark("measuring ...")
    found, text = bench.calibrate(measure)
    file = target and target.write(lambda path: write_atomically(path, text))
    _print(found, file, as_json=results.as_json)
    return DONE


def _find_target(options: CalibrationOptions, *, overwrite: bool) -> Output:
    from grouser.cli.output import claim_output

    if options.out is not None:
        return claim_output("--out", options.out, overwrite=overwrite, suffixes=(".toml",))
    if not Path(options.robot).is_file():
        required = "be a file of your own, or come with --out FILE to write one"
        raise InvalidValue("--robot", options.robot, required)
    return claim_output("--robot", Path(options.robot), overwrite=True)  # it is to be changed


def _print(found: Calibration, target: Path | None, *, as_json: bool) -> None:
    terminal = Terminal()
    if as_json:
        terminal.json({**asdict(found), "file": target})
        return
    rows = [
        (item.key, *map(_format_entry, (item.before, item.after, item.deviation)))
        for item in found.items
    ]
    terminal.table(("key", "before", "after", "deviation"), rows)
    before, after = format_number(found.error_before), format_number(found.error_after, 2)
    terminal.line(f"error of {found.error}: {before} {found.unit} before, {after} after")
    terminal.line("nothing written" if target is None else f"robot: {target}")


def _format_entry(entry: Entry | None) -> str:
    if entry is None:
        return "-"
    if isinstance(entry, Sequence):
        return ", ".join(format_number(float(number)) for number in entry)
    return format_number(float(entry), 5)
