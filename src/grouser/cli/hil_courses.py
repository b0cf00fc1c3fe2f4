"""`grouser hil courses`: P0's courses in real time, with a board at a port."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from grouser.cli.exits import DIFFERENT, DONE, INTERRUPTED
from grouser.cli.options import Count, Names, OutFolder, options
from grouser.cli.shared_options import CommandTimeout, MovingBoard, ResultOptions
from grouser.cli.terminal import Terminal
from grouser.errors import GrouserError, InvalidValue

if TYPE_CHECKING:
    from grouser.cli.output import FolderOutput
    from grouser.hil.board_thread import Watch
    from grouser.hil.options import BoardOptions
    from grouser.hil.run import BoardRun
    from grouser.papers.p0.courses import CourseResult


@options
class CourseOptions:
    """Which of P0's courses are driven, and where results go."""

    courses: Names = ()
    """Which of the courses of P0; all if not given."""
    draws: Count = 200
    """How many perturbed robots to draw for each course."""
    command_timeout: CommandTimeout = 0.1
    out: OutFolder | None = None
    """Where logs go; out/hil-courses if not given."""


def hil_courses(
    *,
    board: MovingBoard = MovingBoard(),
    given: CourseOptions = CourseOptions(),
    results: ResultOptions = ResultOptions(),
) -> int:
    """Drive P0's courses in real time with a board: its numbers beside ours.

    A course is written when it ends: Ctrl-C stops the motors, keeps everything, and the tables show
    the courses that were finished. Stand-ins of the robot move by the counts of the encoders.
    """
    from grouser.cli.output import FolderOutput, claim_folder
    from grouser.hil.links import check_real_time
    from grouser.hil.options import BoardOptions
    from grouser.papers.p0.report import check_courses

    check_real_time(board.board)
    names = check_courses(given.courses)
    if given.draws < 1:
        raise InvalidValue("--draws", given.draws, "be at least 1")
    if board.port is not None and not board.arm:
        raise InvalidValue("--arm", "not given", "be given: the motors will run")
    chosen = BoardOptions(command_timeout=given.command_timeout)
    usual, overwrite = Path("out/hil-courses"), results.overwrite
    folder = claim_folder("--out", given.out, usual, overwrite=overwrite)
    files = FolderOutput.of("--out", None, folder, overwrite=overwrite)
    drives = CourseDrives(board, chosen, files, draws=given.draws, quiet=results.as_json)
    problem = drives.drive_all(names)
    return drives.report(names, problem, as_json=results.as_json)


class CourseDrives:
    """Courses that are driven one after the other, each on a link of its own."""

    def __init__(
        self,
        board: MovingBoard,
        options: BoardOptions,
        files: FolderOutput,
        *,
        draws: int,
        quiet: bool,
    ) -> None:
        self._board, self._options, self._files = board, options, files
        self._draws, self._quiet = draws, quiet
        self._found: list[CourseResult] = []
        self._was_stopped = False

    def drive_all(self, names: tuple[str, ...]) -> GrouserError | None:
        """Drive courses until one is stopped or fails; return the error of that one."""
        try:
            for name in names:
                self._wait_for_person(name)
                self._drive(name)
                if self._was_stopped:
                    break
        except KeyboardInterrupt:  # while it waited, or between two courses
            self._was_stopped = True
        except GrouserError as error:
            if not self._found:
                raise
            return error
        return None

    def report(self, names: tuple[str, ...], problem: GrouserError | None, *, as_json: bool) -> int:
        """Print the tables of the finished courses, and what is missing; return the exit code."""
        from grouser.papers.p0.report import course_tables, describe_course, is_met, judge_targets

        terminal = Terminal()
        valid = [result for result in self._found if result.run.report.is_valid]
        targets = [target for result in valid for target in judge_targets(result)]
        if as_json:
            courses = [describe_course(result) for result in self._found]
            terminal.json({"courses": courses, "targets": targets, "folder": self._files.path})
        else:
            if valid:
                terminal.tables(course_tables(valid, targets))
            terminal.line(f"logs: {self._files.path}")
        for result in self._found:
            for words in result.run.report.problems:
                terminal.remark(f"{result.course} is not valid: {words}; its errors do not count")
        if problem is not None:
            raise problem
        if self._was_stopped:
            done = f"{len(self._found)} of {len(names)} courses are finished"
            terminal.remark(f"grouser: stopped; the motors are off, {done}, and everything is kept")
            return INTERRUPTED
        return DONE if is_met(self._found, targets) else DIFFERENT

    def _wait_for_person(self, name: str) -> None:
        """Let somebody put a real robot at the start of a course."""
        if self._board.port is None or not sys.stdin.isatty():
            return
        Terminal().remark(f"{name}: put the robot at its start, then press Enter (Ctrl-C ends)")
        sys.stdin.readline()

    def _drive(self, name: str) -> None:
        from grouser.cli.hil import drive_board
        from grouser.hil.links import open_link
        from grouser.hil.options import new_link_id
        from grouser.log import write_log
        from grouser.papers.p0.courses import judge_run, load_run

        board, out = self._board, self._files.claim(f"{name}.csv")
        options = replace(self._options, link_id=new_link_id())
        loaded = load_run(name, board.seed, options)
        link = open_link(board.port, board.board, lockstep=False, seed=board.seed)

        def finish(run: BoardRun, watch: Watch, raw_file: Path) -> None:
            out.write(partial(write_log, run.log))
            self._was_stopped = run.was_stopped
            if not run.was_stopped and watch.conversation is not None:
                judged = judge_run(loaded, run, watch.conversation, count=self._draws)
                self._found.append(judged)

        drive_board(link, loaded, options, out, finish, quiet=self._quiet)
