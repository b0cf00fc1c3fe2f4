"""One run of `grouser hil`, from an open link to the exit code."""

import contextlib

from grouser.cli.hil_files import raw_beside
from grouser.cli.output import Output
from grouser.cli.report_hil import report_hil
from grouser.cli.show_board_page import show_board_page
from grouser.cli.signals import interrupt_calls
from grouser.cli.terminal import Terminal
from grouser.cli.watch_board import Watch, watch_board
from grouser.hil.connection import Link
from grouser.hil.options import BoardOptions, describe_run
from grouser.hil.raw_log import RawLog
from grouser.hil.run import BoardRun, run_board
from grouser.scenario.loaded import Loaded


def run_hil(
    link: Link, loaded: Loaded, options: BoardOptions, out: Output, *, page: bool, as_json: bool
) -> int:
    """Run, show, write and report.

    Args:
        link: The open link to the board.
        loaded: What to run.
        options: How the board is driven.
        out: Where the log goes; the raw log goes beside it.
        page: Whether to show the virtual robot in the browser.
        as_json: Whether to print JSON.
    """
    terminal, watch = Terminal(), Watch()
    raw_file = raw_beside(out.path)
    header = {**describe_run(loaded, options), "link": link.name, "boot_wait": link.boot_wait}
    try:
        raw = RawLog(raw_file, header, overwrite=out.overwrite)
    except BaseException:
        link.close()
        raise
    terminal.remark(f"{link.name}: Ctrl-C stops the motors and keeps everything")
    if not options.arm:
        terminal.remark("only watching: --arm permits the motors to run")

    def drive(watch: Watch) -> BoardRun:
        return run_board(
            link,
            loaded,
            options,
            raw=raw,
            stop=watch.stopped.is_set,
            observe=watch.see,
            started=watch.start,
        )

    with contextlib.ExitStack() as stack:
        stack.callback(link.close)
        if options.exchange is not None:
            terminal.remark(f"the virtual robot is the program that writes to {options.exchange}")
        if page:
            terminal.remark("preparing the page ...")
            address = stack.enter_context(show_board_page(loaded.scenario, watch)).address
            terminal.line(f"watch at: {address}")
        model = loaded.scenario.model.reference
        title = f"{loaded.robot.name} on {loaded.course.name}, model {model}"
        # From here on nothing is interrupted: motors may run, and files are to be written.
        stack.enter_context(interrupt_calls(watch.stop))
        run = watch_board(drive, title, watch, quiet=as_json)
        return report_hil(run, loaded.course, output=out, raw_file=raw_file, as_json=as_json)
