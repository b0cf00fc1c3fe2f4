"""One run of `grouser hil`, from an open line to the exit code."""

import contextlib

from grouser.cli.exits import interrupt_calls
from grouser.cli.hil_files import raw_beside
from grouser.cli.hil_setup import HilSetup
from grouser.cli.output import Output
from grouser.cli.report_hil import report_hil
from grouser.cli.show_board_page import show_board_page
from grouser.cli.terminal import Terminal
from grouser.cli.watch_board import Watch, watch_board
from grouser.hil.connection import Link
from grouser.hil.exchange import ControllerSide
from grouser.hil.raw_log import RawLog
from grouser.hil.run import BoardRun, drive_board


def run_hil(link: Link, setup: HilSetup, out: Output, *, page: bool, as_json: bool) -> int:
    """Run, show, write and report.

    Args:
        link: The line to the board, open.
        setup: What to run.
        out: Where the log goes; the raw log goes beside it.
        page: Whether to show the virtual robot in the browser.
        as_json: Whether a machine listens.
    """
    terminal, watch = Terminal(), Watch()
    raw_file = raw_beside(out.path)
    head = {**setup.head(), "link": link.name, "boot_wait": link.boot_wait}
    try:
        raw = RawLog(raw_file, head, overwrite=out.overwrite)
    except BaseException:
        link.close()
        raise
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
            terminal.remark(f"the virtual robot is whoever writes to {setup.exchange}")
        if page:
            terminal.remark("preparing the page ...")
            address = stack.enter_context(show_board_page(setup, watch)).address
            terminal.line(f"watch at: {address}")
        title = f"{setup.robot.name} on {setup.course.name}, model {setup.model}"
        # From here on nothing is interrupted: motors may run, and files are to be written.
        stack.enter_context(interrupt_calls(watch.stop))
        run = watch_board(drive, title, watch, quiet=as_json)
        return report_hil(run, setup.course, output=out, raw_file=raw_file, as_json=as_json)
