"""Every byte of a run with the time it passed: enough to run it again.

A text file. The first line is `# ` and a JSON object that says what was run; then comes a line for
each look at the wire: time [s], `<` for what came or `>` for what was sent, the bytes in hex.
A line `# stop` marks where the run was told to stop, `# {...}` what became known later.
"""

import json
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grouser.errors import InvalidLog, InvalidValue
from grouser.simulation.urgency import SERVING, hurry

FORMAT = "grouser raw log 1"
"""First entry of the head, by which a file is known."""
WRITE_EVERY = 0.5
"""Time between two writes to the disk [s]."""


class RawLog:
    """Written as the run goes: what was written stays, whatever happens.

    A thread of its own writes, twice a second: a disk may make others wait for a tenth of a
    second, which is as long as a board drives on without a command.
    """

    def __init__(self, path: str | Path, head: Mapping[str, Any]) -> None:
        """Begin a file.

        Args:
            path: Where; missing folders are made.
            head: What is run.

        Raises:
            InvalidValue: The place cannot be written.
        """
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("w", encoding="ascii")
        except OSError as error:
            raise InvalidValue("raw log", str(path), f"be writable ({error.strerror})") from error
        self._lines: deque[str] = deque()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._write, name="raw log", daemon=True)
        self.note({"format": FORMAT, **head})
        self._thread.start()

    def note(self, content: Mapping[str, Any]) -> None:
        """Write what became known."""
        self._lines.append(f"# {json.dumps(dict(content))}\n")

    def stop(self) -> None:
        """Mark that the run was told to stop."""
        self._lines.append("# stop\n")

    def sent(self, data: bytes, now: float) -> None:
        """Write bytes that were sent."""
        self._lines.append(f"{now!r} > {data.hex()}\n")

    def received(self, data: bytes, now: float) -> None:
        """Write bytes that came, or that none came."""
        self._lines.append(f"{now!r} < {data.hex()}\n")

    def close(self) -> None:
        """Write the rest and end the file. A second time does nothing."""
        self._ended.set()
        self._thread.join()
        self._file.close()

    def _write(self) -> None:
        # Whoever has the interpreter must not be kept from going on: the loop waits for it.
        hurry(SERVING)
        is_last = False
        while not is_last:
            is_last = self._ended.wait(WRITE_EVERY)
            lines = [self._lines.popleft() for _ in range(len(self._lines))]
            self._file.write("".join(lines))
            self._file.flush()


@dataclass(frozen=True, slots=True)
class RawEntry:
    """One look at the line."""

    time: float
    """The host's clock [s]."""
    kind: str
    """`<` for what came, `>` for what was sent, `stop` for the mark."""
    data: bytes
    """The bytes."""


def read_raw_log(path: str | Path) -> tuple[dict[str, Any], list[RawEntry]]:
    """Return what a file says of its run, and its entries.

    A last line that was cut off, as by a power failure, is left out.

    Raises:
        InvalidLog: It cannot be read, or is something else.
    """
    try:
        lines = Path(path).read_text("ascii").split("\n")[:-1]
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidLog(path, f"cannot be read as a raw log ({error})") from error
    head: dict[str, Any] = {}
    entries: list[RawEntry] = []
    for number, line in enumerate(lines, start=1):
        try:
            entry = _parse(line, head)
        except (ValueError, IndexError) as error:
            raise InvalidLog(path, f"line {number} is damaged: {line[:40]!r}") from error
        if head.get("format") != FORMAT:
            raise InvalidLog(path, "is no raw log; `grouser hil` writes them as *.raw")
        if entry is not None:
            time = entry.time if entry.kind != "stop" else (entries[-1].time if entries else 0.0)
            entries.append(RawEntry(time, entry.kind, entry.data))
    if not head:
        raise InvalidLog(path, "is empty")
    return head, entries


def _parse(line: str, head: dict[str, Any]) -> RawEntry | None:
    if line == "# stop":
        return RawEntry(0.0, "stop", b"")
    if line.startswith("# "):
        head.update(json.loads(line[2:]))
        return None
    time, kind, *data = line.split(" ")
    if kind not in "<>":
        raise ValueError(kind)
    return RawEntry(float(time), kind, bytes.fromhex(data[0]))
