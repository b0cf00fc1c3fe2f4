"""Raw logs: every byte of a run, and a link that replays them.

A text file. The first line is `# ` and a JSON object that says what was run; then comes a line for
each look at the wire: time [s], `<` for what came or `>` for what was sent, the bytes in hex.
A line `# stop` marks where the run was told to stop, `# {...}` what became known later.
"""

import json
import re
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from grouser.errors import InvalidLog, InvalidValue, LinkBroken, Unreadable
from grouser.limits import RAW_LOG_BYTES
from grouser.simulation.pace import Priority, raise_priority
from grouser.storage import read_file

FORMAT = "grouser raw log 1"
"""First entry of the head, by which a file is known."""
WRITE_EVERY = 0.5
"""Time between two writes to the disk [s]."""
LATEST = 1e12
"""Time that no clock of a host shows [s]."""
_LINE = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?) ([<>]) ((?:[0-9a-f]{2})*)")


class RawLog:
    """Written as the run goes: what was written stays, whatever happens.

    The file is made when the board has answered (`begin`); a board that never does leaves no
    file, and none that was there is touched. A thread of its own writes, twice a second: a disk
    may make others wait for a tenth of a second, as long as a board drives on without a command.
    """

    def __init__(
        self, path: str | Path, head: Mapping[str, Any], *, overwrite: bool = False
    ) -> None:
        """Prepare a file.

        Args:
            path: Where; missing folders are made.
            head: What is run.
            overwrite: Whether a file that is there may be replaced.

        Raises:
            InvalidValue: The place cannot be written.
        """
        self.path, self._overwrite = Path(path), overwrite
        with self._writable():
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self.failure = ""
        """Why not everything could be written; empty if it could."""
        self._file: IO[str] | None = None
        self._lines: deque[str] = deque()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._write, name="raw log", daemon=True)
        self.note({"format": FORMAT, **head})

    def begin(self) -> None:
        """Make the file, and write what was noted so far.

        Raises:
            InvalidValue: It cannot be written, is a link, or is there and may not be replaced.
        """
        with self._writable():
            if self._overwrite:
                self.path.unlink(missing_ok=True)
            self._file = self.path.open("x", encoding="ascii")
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
        if self._file is None:
            return
        self._ended.set()
        self._thread.join()
        with self._noted():
            self._file.close()

    @contextmanager
    def _writable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            required = f"be writable ({error.strerror})"
            raise InvalidValue("raw log", str(self.path), required) from error

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Let a full disk end the record, not the run."""
        try:
            yield
        except OSError as error:
            self.failure = f"the raw log {self.path} is not complete ({error.strerror})"

    def _write(self) -> None:
        # Whoever has the interpreter must not be kept from going on: the loop waits for it.
        raise_priority(Priority.PAGES)
        is_last = False
        while not is_last:
            is_last = self._ended.wait(WRITE_EVERY)
            lines = [self._lines.popleft() for _ in range(len(self._lines))]
            assert self._file is not None  # made before the thread was started
            if not self.failure:
                with self._noted():
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
        text = read_file(path, RAW_LOG_BYTES).decode("ascii")
    except UnicodeDecodeError as error:
        raise InvalidLog(path, f"cannot be read as a raw log ({error})") from error
    except Unreadable as error:
        raise InvalidLog(path, error.problem) from error
    head: dict[str, Any] = {}
    entries: list[RawEntry] = []
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            entry = _parse(line, head, entries[-1].time if entries else 0.0)
        except (ValueError, RecursionError) as error:
            problem = f"line {number} is damaged: {line[:40]!r} ({str(error)[:80]})"
            raise InvalidLog(path, problem) from error
        if head.get("format") != FORMAT:
            raise InvalidLog(path, "is no raw log; `grouser hil` writes them as *.raw")
        if entry is not None:
            entries.append(entry)
    if not head:
        raise InvalidLog(path, "is empty")
    return head, entries


def _parse(line: str, head: dict[str, Any], before: float) -> RawEntry | None:
    if line == "# stop":
        return RawEntry(before, "stop", b"")
    if line.startswith("# "):
        said = json.loads(line[2:])
        if not isinstance(said, dict):
            raise ValueError("what follows # must be an object or the word stop")
        head.update(said)
        return None
    parts = _LINE.fullmatch(line)
    if parts is None:
        raise ValueError("must be a time, < or >, and bytes in hex")
    time = float(parts[1])
    if not before <= time < LATEST:
        raise ValueError(f"time must go on from {before!r}")
    return RawEntry(time, parts[2], bytes.fromhex(parts[3]))


class ReplayLink:
    """Gives the host what it heard then, at the times it heard it; compares what it says now."""

    name = "raw log"

    def __init__(self, entries: Iterable[RawEntry], *, boot_wait: float = 0.0) -> None:
        """Prepare a replay.

        Args:
            entries: What happened.
            boot_wait: What the link of the run waited for its board [s].
        """
        self.boot_wait = boot_wait
        entries = list(entries)
        self._heard = [entry for entry in entries if entry.kind != ">"]
        self._said = b"".join(entry.data for entry in entries if entry.kind == ">")
        self._place = self._position = 0
        self._now = entries[0].time if entries else 0.0
        self.differs = False
        """Whether the host has said something else than then."""

    @property
    def is_stopped(self) -> bool:
        """Whether the run was told to stop here, or nothing more was heard."""
        return self._place >= len(self._heard) or self._heard[self._place].kind == "stop"

    def now(self) -> float:
        """Return the host's clock of then [s]."""
        return self._now

    def send(self, data: bytes) -> None:
        """Compare bytes with those of then."""
        then = self._said[self._position : self._position + len(data)]
        self._position += len(data)
        # The record may end before its last words were sent.
        self.differs = self.differs or not data.startswith(then)

    def receive(self, patience: float) -> bytes:
        """Return what came next.

        Raises:
            LinkBroken: Nothing more did.
        """
        while self._place < len(self._heard) and self._heard[self._place].kind == "stop":
            self._place += 1
        if self._place >= len(self._heard):
            raise LinkBroken(self.name, "ends here")
        entry = self._heard[self._place]
        self._place += 1
        self._now = entry.time
        return entry.data

    def fault(self, words: str) -> None:
        """Refuse: what went wrong, went wrong then."""
        raise LinkBroken(self.name, f"a fault cannot be added to the past: {words!r}")

    def close(self) -> None:
        """Nothing is open."""
