"""`grouser exchange simulate` and `grouser exchange control`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from grouser.cli.options import (
    CourseName,
    DriverName,
    Json,
    ModelName,
    Overwrite,
    RobotName,
    Seed,
    Speed,
    StartPose,
    TickLength,
)
from grouser.cli.parameters import log_to_write

Where = Annotated[
    str,
    Parameter(
        name="WHERE",
        help="Folder of Encoder.txt and Orientation.txt; or udp, udp:PORT, udp:HOST:PORT.",
    ),
]
LogFile = Annotated[
    Path | None,
    log_to_write("out/exchange-SIDE-ROBOT-COURSE.csv if not given."),
]
Seconds = Annotated[
    float | None,
    Parameter(
        name="--duration",
        metavar="SECONDS",
        help="Time [s] after the other side's first line at which to stop.",
    ),
]
Patience = Annotated[
    float | None,
    Parameter(
        metavar="SECONDS",
        help="Stop when the other side was silent for so long [s]; wait for ever if not given.",
    ),
]
Period = Annotated[
    float, Parameter(metavar="SECONDS", help="Time [s] between two lines that we write.")
]


def simulate(
    where: Where = "out/exchange",
    /,
    *,
    robot: RobotName = "tp100",
    course: CourseName = "behaviour-2",
    model: ModelName = "slip",
    start: StartPose = None,
    dt: TickLength = None,
    seed: Seed = 0,
    duration: Seconds = None,
    patience: Patience = None,
    out: LogFile = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> int:
    """Be the simulation of another program's controller: Encoder.txt in, Orientation.txt out."""
    from functools import partial

    from grouser.cli.report_exchange import report_exchange
    from grouser.cli.trip import Trip
    from grouser.hil.exchange import SimulationLoop, SimulationSide
    from grouser.models import make_model

    dump_folder = Path("out") if out is None else out.parent
    trip = Trip.prepare(robot, course, start=start, dt=dt, seed=seed, dump_folder=dump_folder)
    simulation = trip.simulate(make_model(model))
    return report_exchange(
        lambda: SimulationSide.open(where),
        lambda side: SimulationLoop(simulation, side),
        f"simulate-{trip.robot.name}-{trip.course.name}",
        stream=partial(simulation.stream, keep=True),
        limits=(duration, patience),
        out=out,
        overwrite=overwrite,
        as_json=as_json,
        remark=f"simulating for whoever writes to {where}; Ctrl-C ends and keeps the log",
    )


def control(
    where: Where = "out/exchange",
    /,
    *,
    robot: RobotName = "tp100",
    course: CourseName = "behaviour-2",
    drive: DriverName = "follow",
    speed: Speed = None,
    period: Period = 0.05,
    duration: Seconds = None,
    patience: Patience = None,
    out: LogFile = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> int:
    """Drive another program's simulation: Orientation.txt in, Encoder.txt out."""
    from grouser.cli.report_exchange import report_exchange
    from grouser.cli.trip import Trip
    from grouser.errors import InvalidValue
    from grouser.hil.exchange import ControllerSide, ControlLoop

    if not 0.001 <= period <= 0.25:
        raise InvalidValue("--period", period, "be from 0.001 to 0.25 s")
    trip = Trip.prepare(robot, course, speed=speed, duration=duration)
    plan = trip.plan(drive)
    return report_exchange(
        lambda: ControllerSide.open(where),
        lambda side: ControlLoop(trip.robot, trip.course, plan.driver, side, period),
        f"control-{trip.robot.name}-{trip.course.name}",
        limits=(plan.duration if duration is None else duration, patience),
        out=out,
        overwrite=overwrite,
        as_json=as_json,
        remark=f"driving whoever writes to {where}; Ctrl-C ends and keeps the log",
    )
