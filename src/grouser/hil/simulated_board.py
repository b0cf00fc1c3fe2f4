"""The real firmware on a simulated chip: a program of its own, spoken to in lines of text."""

import contextlib
import subprocess
from pathlib import Path

from grouser.errors import InvalidValue, LinkBroken
from grouser.hil.board import BoardStep
from grouser.simulation.pace import Priority, raise_priority

BUILD = Path(__file__).parents[3] / "firmware" / "build"
"""Where `make firmware` leaves what it built."""


def find_runner(elf: Path | None = None) -> tuple[Path, Path]:
    """Return the program of the simulated board and the firmware that it runs.

    Args:
        elf: Another firmware than the one that was built here.

    Raises:
        LinkBroken: They were not built.
    """
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
    """The running program: one line in, one line out."""

    def __init__(self, *words: str) -> None:
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=1,
                # Ctrl-C is for the host, which then stops the motors over the line.
                start_new_session=True,
            )
        except OSError as error:
            raise LinkBroken("simulated board", f"does not start ({error.strerror})") from error
        self.greeting = self._line()

    def ask(self, question: str) -> str:
        """Return the answer to a line, without its `ok`.

        Raises:
            InvalidValue: The board refused it.
            LinkBroken: The program has ended.
        """
        assert self._process.stdin is not None  # asked for above
        try:
            self._process.stdin.write(question + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise LinkBroken("simulated board", "its program has ended") from error
        word, _, rest = self._line().partition(" ")
        if word == "ok":
            return rest
        raise InvalidValue("fault", question.removeprefix("fault "), f"be obeyed: {rest}")

    def raise_priority(self) -> None:
        """Let it come before others, as a board of its own would."""
        raise_priority(Priority.BOARD, self._process.pid)

    def close(self) -> None:
        """End the program."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            with contextlib.suppress(OSError):  # it may have ended by itself
                self._process.stdin.close()
        try:
            self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _line(self) -> str:
        assert self._process.stdout is not None  # asked for above
        line = self._process.stdout.readline()
        if not line:
            raise LinkBroken("simulated board", "its program has ended")
        return line.rstrip("\n")


class SimulatedBoard:
    """The real firmware in lockstep."""

    def __init__(self, elf: Path | None = None, *, seed: int = 0, mirror: bool = False) -> None:
        """Start the board.

        Args:
            elf: Another firmware than the one that was built here.
            seed: Seed of the noise of sensors and link.
            mirror: Whether left and right are exchanged in what the motors move.
        """
        runner, image = find_runner(elf)
        words = [str(runner), "--lockstep", "--seed", str(seed)]
        words += ["--mirror"] if mirror else []
        self.name = f"simulated board with {image.name}"
        self._process = RunnerProcess(*words, str(image))

    def step(self, duration_us: int, received: bytes = b"") -> BoardStep:
        """Let time pass while these bytes come in at the speed of the line."""
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
        """Let something go wrong, or right again."""
        self._process.ask(f"fault {words}")

    def pins(self) -> tuple[int, int]:
        """Return when the driver of each motor was last switched [us]."""
        left, right = self._process.ask("pins").split()
        return int(left), int(right)

    def close(self) -> None:
        """End the program."""
        self._process.close()
