"""The real firmware on a simulated chip (simavr), in a process of its own."""

import contextlib
import math
import subprocess
from pathlib import Path

from grouser.errors import InvalidValue, LinkBroken
from grouser.hil.board import BoardStep
from grouser.simulation.pace import Priority, raise_priority

BUILD = Path(__file__).parents[3] / "firmware" / "build"
"""Where `make firmware` writes its results."""


def find_runner(elf: Path | None = None) -> tuple[Path, Path]:
    """Return the program of the simulated board and its firmware, `elf` or the one built here."""
    runner, image = BUILD / "grouser-board", elf or BUILD / "grouser.elf"
    for file in (runner, image):
        if not file.is_file():
            raise LinkBroken(
                "simulated board",
                f"{file.name} is not built; run `make firmware` in a checkout of grouser and use "
                "grouser from its .venv, or take --board python, which needs no tools",
            )
    return runner, image


class RunnerProcess:
    """The process of the simulated board: one line of text in, one line out."""

    def __init__(self, *words: str, line: int | None = None) -> None:
        """Start the program with these words; `line` is the file of its serial line, if open."""
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=1,
                # Ctrl-C must only reach the host, which then stops the motors.
                start_new_session=True,
                pass_fds=() if line is None else (line,),
            )
        except OSError as error:
            raise LinkBroken("simulated board", f"does not start ({error.strerror})") from error
        self.greeting = self._line()

    def ask(self, question: str) -> str:
        """Return the answer to a line, without its `ok`; an answer that is an error raises."""
        assert self._process.stdin is not None  # a pipe
        try:
            self._process.stdin.write(question + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise LinkBroken("simulated board", "its process has ended") from error
        word, _, rest = self._line().partition(" ")
        if word != "ok":
            fault = question.removeprefix("fault ")
            raise InvalidValue("fault", fault, f"be one that the board has: {rest}")
        return rest

    def raise_priority(self) -> None:
        """Raise its priority: a real board does not wait for other programs."""
        raise_priority(Priority.BOARD, self._process.pid)

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            with contextlib.suppress(OSError):  # it may have ended already
                self._process.stdin.close()
        try:
            self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _line(self) -> str:
        assert self._process.stdout is not None  # a pipe
        line = self._process.stdout.readline()
        if not line:
            raise LinkBroken("simulated board", "its process has ended")
        return line.rstrip("\n")


class SimulatedBoard:
    """The real firmware in lockstep with the host."""

    def __init__(self, elf: Path | None = None, *, seed: int = 0, mirror: bool = False) -> None:
        """Start the board; with `mirror`, the motors drive the tracks of the other sides."""
        runner, image = find_runner(elf)
        words = [str(runner), "--lockstep", "--seed", str(seed)]
        words += ["--mirror"] if mirror else []
        self.name = f"simulated board with {image.name}"
        self._process = RunnerProcess(*words, str(image))

    def step(self, duration_us: int, received: bytes = b"") -> BoardStep:
        """Advance the board while it receives these bytes at the baud rate."""
        answer = self._process.ask(f"step {duration_us} {received.hex() or '-'}").split()
        time_us, sent, left_on, right_on, left, right, resets = answer
        return BoardStep(
            time_us=int(time_us),
            sent=b"" if sent == "-" else bytes.fromhex(sent),
            enabled=(left_on == "1", right_on == "1"),
            belt_speeds=(float(left), float(right)),
            resets=int(resets),
        )

    def fault(self, words: str) -> None:
        """Inject or clear a fault."""
        self._process.ask(f"fault {words}")

    def turn(self, yaw_rate: float | None) -> None:
        """Let the gyroscope show this yaw rate [rad/s]; None for that of belts without slip."""
        self._process.ask("turn -" if yaw_rate is None else f"turn {math.degrees(yaw_rate):.9g}")

    def pins(self) -> tuple[int, int]:
        """Return when the driver of each motor was last switched on or off [us]."""
        left, right = self._process.ask("pins").split()
        return int(left), int(right)

    def close(self) -> None:
        """End the process."""
        self._process.close()
