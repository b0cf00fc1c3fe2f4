"""`grouser hil`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.options import (
    CourseName,
    DriverName,
    Json,
    ModelName,
    Observe,
    RobotName,
    Seed,
    Speed,
)
from grouser.cli.parameters import log_to_write

if TYPE_CHECKING:
    from grouser.cli.hil_setup import HilSetup

PortName = Annotated[
    str | None,
    Parameter(
        metavar="DEVICE",
        help="Serial port of a real board, such as /dev/ttyACM0. Without --arm it is only watched.",
    ),
]
BoardName = Annotated[
    str,
    Parameter(
        metavar="NAME",
        help="Board without hardware: sim, the real firmware on a simulated chip (needs `make "
        "firmware`); python, its control law and protocol in Python, without the chip.",
    ),
]
Lockstep = Annotated[
    bool,
    Parameter(
        negative="",
        show_default=False,
        help="As fast as possible and the same every time, instead of in real time; for simulated "
        "boards.",
    ),
]
Armed = Annotated[
    bool,
    Parameter(
        name="--arm",
        negative="",
        show_default=False,
        help="Permit the motors of a real board to run. Put the robot where it may drive.",
    ),
]
FaultWords = Annotated[
    tuple[str, ...],
    Parameter(
        name="--fault",
        metavar="'WORDS @SECONDS'",
        negative="",
        show_default=False,
        help="Let something go wrong on a simulated board, as in 'encoder left stuck @5'; may be "
        "given several times. Wrong words list the right ones.",
    ),
]
Rate = Annotated[int, Parameter(metavar="HZ", help="States per second, 10 to 200.")]
Lease = Annotated[
    int, Parameter(metavar="MS", help="Time that a command holds on the board, 50 to 500 [ms].")
]
DrivingTime = Annotated[
    float | None,
    Parameter(
        metavar="SECONDS",
        help="Time of driving [s] after which to stop; if not given, when the driver is done.",
    ),
]
LogFile = Annotated[
    Path | None,
    log_to_write(
        "out/hil-ROBOT-COURSE-MODEL.csv if not given, with -2, -3 ... if there is one. Every byte "
        "goes to the same name with .raw."
    ),
]
Overwrite = Annotated[
    bool,
    Parameter(
        negative="", show_default=False, help="Let --out replace the log and raw log of that name."
    ),
]
RawFile = Annotated[
    Path | None,
    Parameter(metavar="RAW", help="Raw log to run again, without any board; ignores the others."),
]
ExchangePlace = Annotated[
    str | None,
    Parameter(
        metavar="FOLDER|udp",
        help="Let another program hold the virtual robot: folder of Encoder.txt and "
        "Orientation.txt, or udp, udp:PORT, udp:HOST:PORT.",
    ),
]
Page = Annotated[
    bool,
    Parameter(
        negative="",
        show_default=False,
        help="Show the virtual robot in the browser, with a button that stops the motors.",
    ),
]


def hil(
    *,
    robot: RobotName = "tp100",
    course: CourseName = "behaviour-3",
    model: ModelName = "slip",
    drive: DriverName = "follow",
    speed: Speed = None,
    duration: DrivingTime = None,
    port: PortName = None,
    board: BoardName = "sim",
    lockstep: Lockstep = False,
    arm: Armed = False,
    fault: FaultWords = (),
    rate: Rate = 100,
    lease: Lease = 100,
    exchange: ExchangePlace = None,
    observe: Observe = None,
    seed: Seed = 0,
    out: LogFile = None,
    overwrite: Overwrite = False,
    replay: RawFile = None,
    page: Page = False,
    as_json: Json = False,
) -> int:
    """Put a board in the loop: its belts move a virtual robot, whose pose steers them.

    Without options, the real firmware runs on a simulated chip in real time.
    """
    from grouser.cli.check_suffix import LOGS, check_suffix
    from grouser.cli.hil_files import choose_log
    from grouser.cli.hil_setup import HilSetup, new_link_id
    from grouser.cli.open_link import open_link
    from grouser.cli.run_hil import run_hil
    from grouser.errors import InvalidValue

    check_suffix("--out", out, LOGS)
    if replay is not None:
        from grouser.cli.replay_hil import replay_hil

        if out is not None:
            choose_log(out, out, overwrite=overwrite)
        return replay_hil(replay, out, as_json=as_json)
    setup = HilSetup.prepare(
        robot,
        course,
        speed=speed,
        model=model,
        drive=drive,
        duration=duration,
        rate=rate,
        lease=lease,
        seed=seed,
        arm=arm or port is None,
        link_id=1 if port is None else new_link_id(),
        faults=fault,
        exchange=exchange,
        observe=observe,
    )
    if page and lockstep:
        raise InvalidValue("--page", "--lockstep", "go with real time: lockstep is over too soon")
    log = choose_log(out, _name(setup), overwrite=overwrite)
    link = open_link(port, board, lockstep=lockstep, seed=seed)
    return run_hil(link, setup, log, overwrite=overwrite, page=page, as_json=as_json)


def _name(setup: "HilSetup") -> Path:
    from grouser.log import name_file

    words = f"hil-{setup.robot.name}-{setup.course.name}-{setup.model}"
    return Path("out") / name_file(words, ".csv")
