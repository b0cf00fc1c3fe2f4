"""`grouser hil`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.options import NO_OPTIONS, Json, Overwrite, ScenarioFile, ScenarioOptions
from grouser.cli.parameters import log_to_write

if TYPE_CHECKING:
    from grouser.scenario.loaded import Loaded

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
CommandTimeout = Annotated[
    int,
    Parameter(
        name=("--command-timeout", "--lease"),
        metavar="MS",
        help="Time after which the board stops if no new command comes, 50 to 500 [ms].",
    ),
]
LogFile = Annotated[
    Path | None,
    log_to_write(
        "out/hil-ROBOT-COURSE-MODEL.csv if not given, with -2, -3 ... if there is one. Every byte "
        "goes to the same name with .raw."
    ),
]
RawFile = Annotated[
    Path | None,
    Parameter(
        metavar="RAW", help="Raw log to run again, without any board; other options are ignored."
    ),
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
    file: ScenarioFile = None,
    /,
    *,
    options: ScenarioOptions = NO_OPTIONS,
    port: PortName = None,
    board: BoardName = "sim",
    lockstep: Lockstep = False,
    arm: Armed = False,
    fault: FaultWords = (),
    rate: Rate = 100,
    command_timeout: CommandTimeout = 100,
    exchange: ExchangePlace = None,
    out: LogFile = None,
    overwrite: Overwrite = False,
    replay: RawFile = None,
    page: Page = False,
    as_json: Json = False,
) -> int:
    """Put a board in the loop: its belts move a virtual robot, whose pose steers them.

    Without a file and options: robot tp100, course behaviour-3, model slip, driver follow; the real
    firmware runs on a simulated chip in real time.
    """
    from grouser.cli.check_suffix import LOGS
    from grouser.cli.hil_files import claim_log
    from grouser.cli.open_link import open_link
    from grouser.cli.output import claim_optional
    from grouser.cli.run_hil import run_hil
    from grouser.errors import InvalidValue
    from grouser.hil.options import BoardOptions, load_for_board, new_link_id

    if replay is not None:
        from grouser.cli.replay_hil import replay_hil

        output = claim_optional("--out", out, overwrite=overwrite, suffixes=LOGS)
        return replay_hil(replay, output, as_json=as_json)
    options.reject(("dt",), "a tick is a period of the board, as --rate says")
    if options.observe is not None and exchange is not None:
        raise InvalidValue("--observe", options.observe, "go without --exchange")
    chosen = BoardOptions(
        rate=rate,
        command_timeout=1e-3 * command_timeout,
        arm=arm or port is None,
        faults=fault,
        exchange=exchange,
        link_id=1 if port is None else new_link_id(),
    )
    loaded = load_for_board(options.scenario(file), chosen)
    if page and lockstep:
        raise InvalidValue("--page", "--lockstep", "go with real time: lockstep is over too soon")
    log = claim_log(out, _name(loaded), overwrite=overwrite)
    link = open_link(port, board, lockstep=lockstep, seed=loaded.scenario.seed)
    return run_hil(link, loaded, chosen, log, page=page, as_json=as_json)


def _name(loaded: "Loaded") -> Path:
    from grouser.log import name_file

    words = f"hil-{loaded.robot.name}-{loaded.course.name}-{loaded.scenario.model.reference}"
    return Path("out") / name_file(words, ".csv")
