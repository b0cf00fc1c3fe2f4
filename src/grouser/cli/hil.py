"""`grouser hil`: one run with a board in the loop, or a raw log run again."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from grouser.cli.exits import DIFFERENT, DONE, interrupt_calls
from grouser.cli.options import (
    CourseName,
    DriverName,
    ModelName,
    Observe,
    RobotName,
    Speed,
    log_to_write,
)
from grouser.cli.shared_options import BoardOptions, ResultOptions
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue

if TYPE_CHECKING:
    from grouser.cli.hil_setup import HilSetup
    from grouser.cli.output import Output
    from grouser.hil.board_thread import Watch
    from grouser.hil.connection import Link
    from grouser.hil.raw_log import RawLog
    from grouser.hil.run import BoardRun
    from grouser.viewer.app import DrivePage


Lockstep = Annotated[
    bool,
    Parameter(
        negative="",
        show_default=False,
        help="As fast as possible and the same every time, instead of in real time; for simulated "
        "boards.",
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
        metavar="MS",
        help="Time after which the board stops if no new command comes, 50 to 500 [ms].",
    ),
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
    *,
    robot: RobotName = "tp100",
    course: CourseName = "behaviour-3",
    model: ModelName = "slip",
    drive: DriverName = "follow",
    speed: Speed = None,
    duration: DrivingTime = None,
    board: BoardOptions = BoardOptions(),
    lockstep: Lockstep = False,
    fault: FaultWords = (),
    rate: Rate = 100,
    command_timeout: CommandTimeout = 100,
    exchange: ExchangePlace = None,
    observe: Observe = None,
    out: LogFile = None,
    replay: RawFile = None,
    page: Page = False,
    results: ResultOptions = ResultOptions(),
) -> int:
    """Put a board in the loop: its belts move a virtual robot, whose pose steers them.

    Without options, the real firmware runs on a simulated chip in real time.
    """
    from grouser.cli.hil_setup import HilSetup
    from grouser.cli.output import LOGS, claim_log, claim_optional
    from grouser.hil.open_link import new_link_id, open_link

    if replay is not None:
        output = claim_optional("--out", out, overwrite=results.overwrite, suffixes=LOGS)
        return replay_hil(replay, output, as_json=results.as_json)
    setup = HilSetup.prepare(
        robot,
        course,
        speed=speed,
        model=model,
        drive=drive,
        duration=duration,
        rate=rate,
        lease=command_timeout,
        seed=board.seed,
        arm=board.arm or board.port is None,
        link_id=1 if board.port is None else new_link_id(),
        faults=fault,
        exchange=exchange,
        observe=observe,
    )
    if page and lockstep:
        raise InvalidValue("--page", "--lockstep", "go with real time: lockstep is over too soon")
    log = claim_log(out, _name_log(setup), overwrite=results.overwrite)
    link = open_link(board.port, board.board, lockstep=lockstep, seed=board.seed)
    return run_hil(link, setup, log, page=page, as_json=results.as_json)


def _name_log(setup: HilSetup) -> Path:
    from grouser.log import name_file

    words = f"hil-{setup.robot.name}-{setup.course.name}-{setup.model}"
    return Path("out") / name_file(words, ".csv")


def run_hil(link: Link, setup: HilSetup, out: Output, *, page: bool, as_json: bool) -> int:
    """Run, show, write and report.

    Args:
        link: The line to the board, open.
        setup: What to run.
        out: Where the log goes; the raw log goes beside it.
        page: Whether to show the virtual robot in the browser.
        as_json: Whether to print JSON.
    """
    from grouser.cli.hil_status import report_hil, watch_board
    from grouser.cli.output import raw_beside
    from grouser.hil.board_thread import Watch
    from grouser.hil.exchange import ControllerSide
    from grouser.hil.run import drive_board

    terminal, watch = Terminal(), Watch()
    raw_file = raw_beside(out.path)
    raw = _open_raw_log(raw_file, link, setup, overwrite=out.overwrite)
    terminal.remark(f"{link.name}: Ctrl-C stops the motors and keeps everything")
    if not setup.arm:
        terminal.remark("only watching: --arm permits the motors to run")

    def drive(watch: Watch) -> BoardRun:
        return drive_board(
            link,
            setup.task(),
            raw=raw,
            stop=watch.stopped.is_set,
            observe=watch.see,
            started=watch.start,
            exchange=side,
        )

    with contextlib.ExitStack() as stack:
        stack.callback(link.close)
        side = None if setup.exchange is None else ControllerSide.open(setup.exchange)
        if side is not None:
            stack.callback(side.close)
            terminal.remark(f"the virtual robot is the program that writes to {setup.exchange}")
        if page:
            terminal.remark("preparing the page ...")
            address = stack.enter_context(show_board_page(setup, watch)).address
            terminal.line(f"watch at: {address}")
        title = f"{setup.robot.name} on {setup.course.name}, model {setup.model}"
        # From here on nothing is interrupted: motors may run, and files are to be written.
        stack.enter_context(interrupt_calls(watch.stop))
        run = watch_board(drive, title, watch, quiet=as_json)
        return report_hil(run, setup.course, output=out, raw_file=raw_file, as_json=as_json)


def _open_raw_log(path: Path, link: Link, setup: HilSetup, *, overwrite: bool) -> RawLog:
    from grouser.hil.raw_log import RawLog

    head = {**setup.head(), "link": link.name, "boot_wait": link.boot_wait}
    try:
        return RawLog(path, head, overwrite=overwrite)
    except BaseException:
        link.close()
        raise


def replay_hil(raw_file: Path, output: Output | None, *, as_json: bool) -> int:
    """Run a raw log again and report whether the result is the same.

    The host must send the same bytes, and the virtual robot must move the same, bit for bit.

    Args:
        raw_file: The raw log; the log beside it is what the new one is compared with.
        output: Where to write the new log; nowhere if not given.
        as_json: Whether to print JSON.
    """
    from grouser.cli.hil_setup import HilSetup
    from grouser.hil.raw_log import ReplayLink, read_raw_log
    from grouser.hil.run import drive_board
    from grouser.log import read_log, write_log
    from grouser.log.compare import find_bit_difference

    terminal = Terminal()
    head, entries = read_raw_log(raw_file)
    setup = HilSetup.from_head(head, raw_file)
    link = ReplayLink(entries, boot_wait=head.get("boot_wait", 0.0))
    run = drive_board(link, setup.task(), stop=lambda: link.is_stopped)
    out = None if output is None else output.write(lambda path: write_log(run.log, path))
    known = [raw_file.with_suffix(suffix) for suffix in (".csv", ".parquet")]
    log_file = next((file for file in known if file.is_file()), None)
    difference = None if log_file is None else find_bit_difference(read_log(log_file), run.log)
    same = difference is None and not link.differs
    if as_json:
        terminal.json(
            {
                "raw_log": raw_file,
                "log": log_file,
                "same": same,
                "same_words": not link.differs,
                "parting": None if difference is None else difference.to_dict(),
                "rows": len(run.log),
                "replayed_log": out,
            }
        )
        return DONE if same else DIFFERENT
    words = "other bytes than in the log" if link.differs else "the same bytes as in the log"
    terminal.line(f"{raw_file}: the host sends {words}")
    if log_file is None:
        terminal.line(f"no log beside it to compare with; {len(run.log)} rows")
    elif difference is None:
        terminal.line(f"{log_file}: the same, bit for bit, over {len(run.log)} rows")
    else:
        terminal.line(f"{log_file}: {difference.sentence}")
    return DONE if same else DIFFERENT


def show_board_page(setup: HilSetup, watch: Watch) -> DrivePage:
    """Return the page, open: a context that closes it.

    Args:
        setup: What is run.
        watch: Where the run stores its state, and how to stop it.

    Raises:
        MissingExtra: The packages of the page are not installed.
    """
    from grouser.viewer.app import DrivePage
    from grouser.viewer.session import Choice

    robot, course = setup.references
    return DrivePage(Choice(robot=robot, course=course, model=setup.model), outside=watch)
