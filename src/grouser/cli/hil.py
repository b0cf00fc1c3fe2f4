"""`grouser hil`: one run with a board in the loop, or a raw log run again."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from cyclopts import Parameter

from grouser import interrupts
from grouser.cli.exits import DIFFERENT, DONE
from grouser.cli.options import (
    NO_OPTIONS,
    Flag,
    OutFile,
    ScenarioFile,
    ScenarioOptions,
    options,
    refuses,
)
from grouser.cli.shared_options import (
    Armed,
    BoardName,
    CommandTimeout,
    HeadingName,
    PortName,
    ResultOptions,
)
from grouser.cli.terminal import Terminal
from grouser.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from grouser.cli.output import Output
    from grouser.hil.board_thread import Watch
    from grouser.hil.connection import Link
    from grouser.hil.hand import HandDrive
    from grouser.hil.options import BoardOptions
    from grouser.hil.run import BoardRun
    from grouser.scenario import Scenario
    from grouser.scenario.run import Loaded


@options
class HilOptions:
    """Which board is in the loop, how it is driven, and what is written."""

    port: PortName = None
    board: BoardName = "sim"
    arm: Armed = False
    lockstep: Flag = False
    """As fast as possible and the same every time, instead of in real time; for simulated
    boards."""
    fault: Annotated[
        tuple[str, ...],
        Parameter(metavar="'WORDS @SECONDS'", negative="", show_default=False),
    ] = ()
    """Fault to inject into a simulated board, as in 'encoder left stuck @5'; may be given several
    times. An unknown fault lists all."""
    rate: Annotated[int, Parameter(metavar="HZ")] = 100
    """States per second, 10 to 200."""
    command_timeout: CommandTimeout = 0.1
    heading: HeadingName = "belts"
    exchange: Annotated[str | None, Parameter(metavar="FOLDER|udp")] = None
    """Let another program have the virtual robot: folder of Encoder.txt and Orientation.txt, or
    udp, udp:PORT, udp:HOST:PORT."""
    out: OutFile | None = None
    """Log to write, .csv, .parquet or .mcap; out/hil-ROBOT-COURSE-MODEL.csv if not given, with -2,
    -3 ... if there is one. Every byte goes to the same name with .raw."""
    replay: Annotated[Path | None, Parameter(metavar="RAW")] = None
    """Raw log to run again, without any board; other options are ignored."""
    page: Flag = False
    """Show the virtual robot in the browser, with a button that stops the motors. With --driver
    person, keys, touch pad or gamepad drive the board there."""


@refuses("a tick is one period of the board; see --rate", "dt")
def hil(
    file: ScenarioFile = None,
    /,
    *,
    options: ScenarioOptions = NO_OPTIONS,
    given: HilOptions = HilOptions(),
    results: ResultOptions = ResultOptions(),
) -> int:
    """Put a board in the loop: its belts move a virtual robot, whose pose steers them.

    Without a file and options: robot tp100, course behaviour-3, model slip, driver follow; the real
    firmware runs on a simulated chip in real time.
    """
    from grouser.cli.output import LOGS, claim_log, claim_optional
    from grouser.hil.heading import check_heading
    from grouser.hil.links import open_link
    from grouser.hil.options import BoardOptions, load_for_board, new_link_id
    from grouser.log import name_file

    if given.replay is not None:
        output = claim_optional("--out", given.out, overwrite=results.overwrite, suffixes=LOGS)
        return replay_hil(given.replay, output, as_json=results.as_json)
    if options.observe is not None and given.exchange is not None:
        raise InvalidValue("--observe", options.observe, "go without --exchange")
    chosen = BoardOptions(
        rate=given.rate,
        command_timeout=given.command_timeout,
        arm=given.arm or given.port is None,
        faults=given.fault,
        heading=check_heading(given.heading),
        exchange=given.exchange,
        link_id=1 if given.port is None else new_link_id(),
    )
    scenario = options.scenario(file)
    hand = make_hand(scenario, page=given.page)
    loaded = load_for_board(scenario, chosen, hand)
    if given.page and given.lockstep:
        raise InvalidValue("--page", "--lockstep", "go with real time: lockstep is over too soon")
    words = f"hil-{loaded.robot.name}-{loaded.course.name}-{loaded.scenario.model.reference}"
    log = claim_log(given.out, Path("out") / name_file(words, ".csv"), overwrite=results.overwrite)
    link = open_link(given.port, given.board, lockstep=given.lockstep, seed=loaded.scenario.seed)

    def report(run: BoardRun, watch: Watch, raw_file: Path) -> int:
        from grouser.cli.hil_status import report_hil

        as_json = results.as_json
        return report_hil(run, loaded.course, output=log, raw_file=raw_file, as_json=as_json)

    shown = {"page": given.page, "quiet": results.as_json, "hand": hand}
    return drive_board(link, loaded, chosen, log, report, **shown)


def make_hand(scenario: Scenario, *, page: bool) -> HandDrive | None:
    """Return the driver that a person steers on the page, if the scenario's driver is a person."""
    from grouser.hil.hand import PERSON, HandDrive

    if scenario.driver.name != PERSON:
        return None
    if not page:
        raise InvalidValue("--driver", PERSON, "come with --page, where the person drives")
    return HandDrive(scenario.robot.load_robot())


T = TypeVar("T")


def drive_board(
    link: Link,
    loaded: Loaded,
    options: BoardOptions,
    out: Output,
    finish: Callable[[BoardRun, Watch, Path], T],
    *,
    page: bool = False,
    quiet: bool = False,
    hand: HandDrive | None = None,
) -> T:
    """Run a scenario with a board, shown in a panel; return what `finish` does.

    `finish` gets the run, its watch and the file of its raw log. From the board's answer until it
    returns, Ctrl-C stops the motors and interrupts nothing else.
    """
    from grouser.cli.hil_status import watch_board
    from grouser.cli.output import raw_beside
    from grouser.hil.board_thread import Watch
    from grouser.hil.options import describe_run
    from grouser.hil.raw_log import RawLog
    from grouser.hil.run import run_board

    terminal, watch = Terminal(), Watch(hand=hand if options.arm else None)
    raw_file = raw_beside(out.path)
    header = {"link": link.name, "boot_wait": link.boot_wait}
    try:
        header = {**describe_run(loaded, options), **header}
        raw = RawLog(raw_file, header, overwrite=out.overwrite)
    except BaseException:
        link.close()
        raise
    terminal.remark(f"{link.name}: Ctrl-C stops the motors and keeps everything")
    if not options.arm:
        terminal.remark("only watching: --arm permits the motors to run")
    if options.exchange is not None:
        terminal.remark(f"the virtual robot is the program that writes to {options.exchange}")

    def drive(watch: Watch) -> BoardRun:
        see = {"stop": watch.stopped.is_set, "observe": watch.see, "started": watch.start}
        return run_board(link, loaded, options, raw=raw, **see)

    with contextlib.ExitStack() as stack:
        stack.callback(link.close)
        if page:
            from grouser.viewer.app import DriveApp

            terminal.remark("preparing the page ...")
            shown = stack.enter_context(DriveApp(loaded.scenario, external=watch))
            terminal.line(f"{'drive' if watch.is_steered else 'watch'} at: {shown.address}")
        model = loaded.scenario.model.reference
        title = f"{loaded.robot.name} on {loaded.course.name}, model {model}"
        # From here on nothing is interrupted: motors may run, and files are to be written.
        stack.enter_context(interrupts.calling(watch.stop))
        run = watch_board(drive, title, watch, quiet=quiet)
        return finish(run, watch, raw_file)


def replay_hil(raw_file: Path, output: Output | None, *, as_json: bool) -> int:
    """Run a raw log again and report whether the result is the same.

    The host must send the same bytes, and the virtual robot must move the same, bit for bit.
    """
    from grouser.hil.options import read_run
    from grouser.hil.raw_log import ReplayLink, read_raw_log
    from grouser.hil.run import run_board
    from grouser.log import read_log, write_log
    from grouser.log.compare import find_bit_difference

    terminal = Terminal()
    header, entries = read_raw_log(raw_file)
    loaded, options = read_run(header, raw_file)
    link = ReplayLink(entries, boot_wait=header.get("boot_wait", 0.0))
    run = run_board(link, loaded, options, stop=lambda: link.is_stopped)
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
                "divergence": None if difference is None else difference.to_dict(),
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
        _remark_source(log_file, terminal)
    return DONE if same else DIFFERENT


def _remark_source(log_file: Path, terminal: Terminal) -> None:
    from grouser.log import read_log
    from grouser.log.provenance import explain_source

    if remark := explain_source(read_log(log_file).provenance):
        terminal.remark(remark)
