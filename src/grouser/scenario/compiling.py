"""Compile the model of a scenario before it is needed, in this process or in another one.

The compiler holds Python's lock: a page whose process compiles cannot be driven. Another process
fills the folder of compiled code (`models.kept_code`), from which this one then loads it.
"""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING

from grouser.errors import GrouserError, one_line
from grouser.models import Command
from grouser.models.compiler import WRITING, NotCompiled, only_kept
from grouser.notices import LOGGER, Progress, listen, report, watch

if TYPE_CHECKING:
    from grouser.scenario.scenario import Scenario

LANES = 2
"""Robots for which the code of many robots is compiled [1]."""
LESS_URGENT = 5
"""How much less urgent than this process the one that compiles is: its "niceness" [1]."""
MESSAGE_LENGTH = 1_000
"""Most characters of a sentence about what was wrong [1]."""
PROGRAM = "from grouser.scenario.compiling import serve; serve()"


def try_out(scenario: "Scenario", *, many: bool = False) -> None:
    """Start a scenario's robot, or many, and advance by a tick: all code is compiled or loaded."""
    loaded = scenario.vary(driver="person", observers=(), contacts=False).load()
    speeds = (0.0,) * len(loaded.robot.drives)
    angles = tuple(flipper.rest_angle for flipper in loaded.robot.flippers)
    command = Command(belt_speeds=speeds, flipper_angles=angles)
    (loaded.start_many(LANES) if many else loaded.start()).advance(command)


def is_compiled(scenario: "Scenario") -> bool:
    """Return whether a scenario's robot can drive at once; its code is loaded then."""
    try:
        with only_kept():
            try_out(scenario)
    except NotCompiled:
        return False
    return True


class Compilation:
    """Another process that compiles the models of scenarios; it ends with this one."""

    def __init__(
        self,
        scenarios: Sequence["Scenario"],
        show: Callable[[float], None],
        end: Callable[[str | None], None],
    ) -> None:
        """Start to compile.

        Args:
            scenarios: What is needed: each is tried out with one robot.
            show: Is told which share is done, in another thread, as those who watch are.
            end: Is called once in another thread unless `stop` was: None, or a sentence about what
                was wrong.
        """
        self._show, self._end = show, end
        self._is_stopped = False
        # "-P": no module of the working directory takes the place of one of ours.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._given = pickle.dumps([scenario.vary(driver="person") for scenario in scenarios])
        self._thread = threading.Thread(target=self._follow, name="compiling", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the process, if it has not ended; a file that it writes is finished first."""
        self._is_stopped = True
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _follow(self) -> None:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        problem: str | None = "its process has ended before it was done"
        with suppress(OSError, ValueError):
            stdin.write(len(self._given).to_bytes(8, "little") + self._given)
            stdin.flush()
            for line in stdout:
                told = json.loads(line)
                if "ended" in told:
                    problem = told["ended"]
                elif "said" in told:
                    LOGGER.warning("%s", told["said"])
                elif not self._is_stopped:
                    self._show(told["share"])
                    report(Progress(**told))
        stdout.close()
        self._process.wait()
        with suppress(OSError):
            stdin.close()
        if not self._is_stopped:
            self._end(problem)


def serve() -> None:
    """Compile what another process asks for on the standard input, until that is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides
    if hasattr(os, "nice"):
        os.nice(LESS_URGENT)
    size = int.from_bytes(sys.stdin.buffer.read(8), "little")
    scenarios = pickle.loads(sys.stdin.buffer.read(size))
    threading.Thread(target=_end_with_parent, daemon=True).start()
    problem = None
    try:
        with watch(_tell_progress), listen(lambda sentence: _tell(said=sentence)):
            for scenario in scenarios:
                try_out(scenario)
    except Exception as error:
        words = str(error) if isinstance(error, GrouserError) else repr(error)
        problem = one_line(words, MESSAGE_LENGTH)
    _tell(ended=problem)


def _tell_progress(progress: Progress) -> None:
    _tell(**asdict(progress))


_TELLING = threading.Lock()
"""Is held while a line is written: time is told by a thread of its own."""


def _tell(**words: object) -> None:
    try:
        with _TELLING:
            sys.stdout.write(json.dumps(words) + "\n")
            sys.stdout.flush()
    except OSError:  # nobody listens any more
        os._exit(1)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    with WRITING:
        os._exit(1)
