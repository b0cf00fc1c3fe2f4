"""A line to the simulated chip in real time: a pseudo-terminal, opened like any serial port."""

from pathlib import Path

from grouser.errors import LinkBroken
from grouser.hil.serial_port import SerialPort
from grouser.hil.simulated_board import RunnerProcess, find_runner


class PtyLink:
    """The real firmware on a simulated chip that keeps step with the wall clock."""

    boot_wait = 0.0

    def __init__(self, elf: Path | None = None, *, seed: int = 0) -> None:
        """Start the board and open its terminal.

        Args:
            elf: Another firmware than the one that was built here.
            seed: Seed of the noise of sensors and link.
        """
        runner, image = find_runner(elf)
        self._process = RunnerProcess(str(runner), "--pty", "--seed", str(seed), str(image))
        self._process.raise_priority()
        words = self._process.greeting.split()
        if words[:2] != ["ready", "pty"] or len(words) != 3:
            self._process.close()
            raise LinkBroken("simulated board", f"said {self._process.greeting!r} at its start")
        self.name = f"simulated board with {image.name} at {words[2]}"
        try:
            self._port = SerialPort(words[2], boot_wait=0.0)
        except LinkBroken:
            self._process.close()
            raise

    @property
    def path(self) -> str:
        """Name of the terminal."""
        return self._port.name

    def now(self) -> float:
        """Return the monotonic clock [s]."""
        return self._port.now()

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self._port.send(data)

    def receive(self, patience: float) -> bytes:
        """Return all bytes that have come, waiting for some at most `patience` seconds."""
        return self._port.receive(patience)

    def fault(self, words: str) -> None:
        """Let something go wrong, or right again."""
        self._process.ask(f"fault {words}")

    def close(self) -> None:
        """Close the terminal and end the board."""
        self._port.close()
        self._process.close()
