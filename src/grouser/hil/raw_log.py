"""Raw logs: every byte between host and board, and a link that replays them.

A text file. The first line is `# ` and a JSON object, the header: what was run. Each further line
is one read or write of the link: time [s], `<` for received or `>` for sent, the bytes in hex. A
line `# stop` marks where the run was stopped from outside, `# {...}` adds to the header.
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
"""Value of `format` in the header."""
WRITE_EVERY = 0.5
"""Time between two writes to the disk [s]."""
LATEST = 1e12
"""Upper limit of the times of a file [s]."""
_LINE = re.compile(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?) ([<>]) ((?:[0-9a-f]{2})*)")


class RawLog:
    """A raw log that is written during the run, so that a crash loses half a second at most.

    The file is created when the board has answered (`begin`); a board that never does leaves no
    file. A thread writes twice a second: a disk can block its caller for a tenth of a second, the
    command timeout of the board.
    """

    def __init__(
        self, path: str | Path, header: Mapping[str, Any], *, overwrite: bool = False
    ) -> None:
        """Prepare a file; missing folders are created."""
        self.path, self._overwrite = Path(path), overwrite
        with self._writable():
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self.failure = ""
        """Why the file is not complete; empty if it is."""
        self._file: IO[str] | None = None
        self._lines: deque[str] = deque()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._write, name="raw log", daemon=True)
        self.add_to_header({"format": FORMAT, **header})

    def begin(self) -> None:
        """Create the file, and start to write."""
        with self._writable():
            if self._overwrite:
                self.path.unlink(missing_ok=True)
            self._file = self.path.open("x", encoding="ascii")
        self._thread.start()

    def add_to_header(self, content: Mapping[str, Any]) -> None:
        """Write entries of the header that become known later."""
        self._lines.append(f"# {json.dumps(dict(content))}\n")

    def stop(self) -> None:
        """Mark that the run was stopped from outside."""
        self._lines.append("# stop\n")

    def sent(self, data: bytes, now: float) -> None:
        """Write bytes that were sent."""
        self._lines.append(f"{now!r} > {data.hex()}\n")

    def received(self, data: bytes, now: float) -> None:
        """Write bytes that were received; none is an entry, too."""
        self._lines.append(f"{now!r} < {data.hex()}\n")

    def close(self) -> None:
        """Write the rest and close the file. A second call does nothing."""
        if self._file is None:
            return
        self._ended.set()
        self._thread.join()
        with self._recording_failure():
            self._file.close()

    @contextmanager
    def _writable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            required = f"be writable ({error.strerror})"
            raise InvalidValue("raw log", str(self.path), required) from error

    @contextmanager
    def _recording_failure(self) -> Iterator[None]:
        """Let a full disk end the file, not the run."""
        try:
            yield
        except OSError as error:
            self.failure = f"the raw log {self.path} is not complete ({error.strerror})"

    def _write(self) -> None:
        # The loop may wait for the GIL, so its holder must not be preempted.
        raise_priority(Priority.PAGES)
        is_last = False
        while not is_last:
            is_last = self._ended.wait(WRITE_EVERY)
            lines = [self._lines.popleft() for _ in range(len(self._lines))]
            assert self._file is not None  # opened before the thread was started
            if not self.failure:
                with self._recording_failure():
                    self._file.write("".join(lines))
                    self._file.flush()


@dataclass(frozen=True, slots=True)
class RawEntry:
    """One line of a raw log."""

    time: float
    """The host's clock [s]."""
    kind: str
    """`<` received, `>` sent, `stop` stopped from outside."""
    data: bytes


def read_raw_log(path: str | Path) -> tuple[dict[str, Any], list[RawEntry]]:
    """Return header and entries; an incomplete last line, as of a power failure, is ignored."""
    try:
        text = read_file(path, RAW_LOG_BYTES).decode("ascii")
    except UnicodeDecodeError as error:
        raise InvalidLog(path, f"cannot be read as a raw log ({error})") from error
    except Unreadable as error:
        raise InvalidLog(path, error.problem) from error
    header: dict[str, Any] = {}
    entries: list[RawEntry] = []
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            entry = _parse(line, header, entries[-1].time if entries else 0.0)
        except (ValueError, RecursionError) as error:
            problem = f"line {number} is damaged: {line[:40]!r} ({str(error)[:80]})"
            raise InvalidLog(path, problem) from error
        if header.get("format") != FORMAT:
            raise InvalidLog(path, "is no raw log; `grouser hil` writes them as *.raw")
        if entry is not None:
            entries.append(entry)
    if not header:
        raise InvalidLog(path, "is empty")
    return header, entries


def _parse(line: str, header: dict[str, Any], before: float) -> RawEntry | None:
    if line == "# stop":
        return RawEntry(before, "stop", b"")
    if line.startswith("# "):
        content = json.loads(line[2:])
        if not isinstance(content, dict):
            raise ValueError("an object or the word stop must follow #")
        header.update(content)
        return None
    parts = _LINE.fullmatch(line)
    if parts is None:
        raise ValueError("must be a time, < or >, and bytes in hex")
    time = float(parts[1])
    if not before <= time < LATEST:
        raise ValueError(f"time must be at least {before!r}, that of the line before")
    return RawEntry(time, parts[2], bytes.fromhex(parts[3]))


class ReplayLink:
    """Returns the received bytes of a raw log at their times, and compares the sent ones."""

    name = "raw log"

    def __init__(self, entries: Iterable[RawEntry], *, boot_wait: float = 0.0) -> None:
        """Prepare a replay; `boot_wait` is that of the link that was recorded [s]."""
        self.boot_wait = boot_wait
        entries = list(entries)
        self._received = deque(entry for entry in entries if entry.kind != ">")
        self._sent = b"".join(entry.data for entry in entries if entry.kind == ">")
        self._position, self._now = 0, entries[0].time if entries else 0.0
        self.differs = False
        """Whether the host has sent other bytes than in the raw log."""

    @property
    def is_stopped(self) -> bool:
        """Whether the run was stopped from outside here, or the raw log ends."""
        return not self._received or self._received[0].kind == "stop"

    def now(self) -> float:
        """Return the host's clock of the recorded run [s]."""
        return self._now

    def send(self, data: bytes) -> None:
        """Compare bytes with the recorded ones."""
        recorded = self._sent[self._position : self._position + len(data)]
        self._position += len(data)
        # The raw log may end before the last bytes of the run.
        self.differs = self.differs or not data.startswith(recorded)

    def receive(self, timeout: float) -> bytes:
        """Return the next received bytes; raises `LinkBroken` at the end of the raw log."""
        while self._received:
            entry = self._received.popleft()
            if entry.kind != "stop":
                self._now = entry.time
                return entry.data
        raise LinkBroken(self.name, "ends here")

    def fault(self, words: str) -> None:
        """Raise `LinkBroken`: faults cannot be injected into a replay."""
        raise LinkBroken(self.name, f"a replay takes no faults: {words!r}")

    def close(self) -> None:
        """Do nothing: no file is open."""
