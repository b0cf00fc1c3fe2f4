"""`grouser hil calibrate gyro`, `encoder` and `speed`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.hil import Armed, BoardName, PortName
from grouser.cli.options import Json, Overwrite, RobotName, Seed

OutFile = Annotated[
    Path | None,
    Parameter(
        metavar="FILE",
        help="Robot file to write; the robot's own file if not given. A robot that comes with "
        "grouser needs one.",
    ),
]
DryRun = Annotated[
    bool,
    Parameter(negative="", show_default=False, help="Measure and tell, but write no file."),
]
AtRest = Annotated[
    float, Parameter(metavar="SECONDS", help="How long to watch the robot stand, twice [s].")
]
Distance = Annotated[
    float, Parameter(metavar="M", help="How far to drive, by the encoders as they are [m].")
]
DriveSpeed = Annotated[float, Parameter(metavar="M_PER_S", help="How fast to drive [m/s].")]
Measured = Annotated[
    str | None,
    Parameter(
        metavar="LEFT[,RIGHT]",
        help="How far the belts ran, by a tape measure [m]; asked after the drive if not given. A "
        "simulated board brings its own tape.",
    ),
]
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
    robot: RobotName = "tp100",
    port: PortName = None,
    board: BoardName = "sim",
    duration: AtRest = 5.0,
    seed: Seed = 0,
    out: OutFile = None,
    overwrite: Overwrite = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> int:
    """Measure what the gyroscope shows at rest. Let the robot stand."""
    from grouser.cli.run_calibration import Bench, run_calibration
    from grouser.errors import InvalidValue
    from grouser.hil.calibrate import measure_gyro

    if not 0.5 <= duration <= 600.0:
        raise InvalidValue("--duration", duration, "be from 0.5 to 600 s")
    bench = Bench(robot=robot, port=port, board=board, seed=seed, arm=True)
    return run_calibration(
        bench,
        lambda session, known: measure_gyro(session, known, duration),
        out=out,
        overwrite=overwrite,
        dry_run=dry_run,
        as_json=as_json,
    )


def calibrate_encoder(
    *,
    robot: RobotName = "tp100",
    port: PortName = None,
    board: BoardName = "sim",
    arm: Armed = False,
    distance: Distance = 1.0,
    speed: DriveSpeed = 0.1,
    measured: Measured = None,
    seed: Seed = 0,
    out: OutFile = None,
    overwrite: Overwrite = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> int:
    """Drive straight, compare the encoders with a tape measure, and scale them."""
    from grouser.cli.run_calibration import Bench, run_calibration
    from grouser.errors import InvalidValue
    from grouser.hil.calibrate import measure_encoder

    for name, value, most in (("--distance", distance, 20.0), ("--speed", speed, 0.5)):
        if not 0.01 <= value <= most:
            raise InvalidValue(name, value, f"be from 0.01 to {most:g}")
    bench = Bench(robot=robot, port=port, board=board, seed=seed, arm=arm, measured=measured)
    return run_calibration(
        bench,
        lambda session, known: measure_encoder(
            session, known, bench.read_tape, distance=distance, speed=speed
        ),
        out=out,
        overwrite=overwrite,
        dry_run=dry_run,
        as_json=as_json,
    )


def calibrate_speed(
    *,
    robot: RobotName = "tp100",
    port: PortName = None,
    board: BoardName = "sim",
    arm: Armed = False,
    duties: Duties = (0.25, 0.4, 0.6, 0.8, 1.0),
    seed: Seed = 0,
    out: OutFile = None,
    overwrite: Overwrite = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> int:
    """Measure how fast the belts run at which duty. Put the robot on a stand."""
    from grouser.cli.run_calibration import Bench, run_calibration
    from grouser.hil.calibrate import measure_speed_map

    bench = Bench(robot=robot, port=port, board=board, seed=seed, arm=arm)
    return run_calibration(
        bench,
        lambda session, known: measure_speed_map(session, known, duties),
        out=out,
        overwrite=overwrite,
        dry_run=dry_run,
        as_json=as_json,
    )
