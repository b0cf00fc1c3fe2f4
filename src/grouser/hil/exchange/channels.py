"""Channels of the exchange: files, UDP, a background thread."""

import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from grouser.errors import GrouserError, InvalidValue, Unreadable
from grouser.hil.exchange.lines import parse_numbers
from grouser.limits import EXCHANGE_BYTES
from grouser.storage import read_file, write_atomically


class Channel(Protocol):
    """One way out and one way in. Only the newest line counts; nothing waits, nothing is resent."""

    @property
    def rejected(self) -> int:
        """How much came that was not looked at: from strangers, or too long."""
        ...

    def send(self, line: str) -> None:
        """Make `line` the newest one of our side."""
        ...

    def receive(self) -> str | None:
        """Return the newest line of the other side; None if none came since the last call."""
        ...

    def close(self) -> None:
        """Give back what the channel holds."""
        ...


SYSTEM = os.name
"""What this machine runs: `nt` is Windows."""
SETTLING = 0.001
"""Time after which a line without its newline is looked at again [s]."""
Mark: TypeAlias = tuple[int, int, int]
"""What tells two versions of a file apart: time of change [ns], inode, size."""


class FileChannel:
    """A file that we replace, and a file that the other side replaces or overwrites.

    Ours is always whole. The other's may not be: a line without its newline counts only if it
    is the same a moment later. What lies there at the beginning was left by an earlier run and
    does not count.
    """

    def __init__(
        self, writes: Path, reads: Path, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Write to one file and read the other; their folders are made if missing."""
        self._writes, self._reads, self._sleep = writes, reads, sleep
        for folder in {writes.parent, reads.parent}:
            _make(folder)
        self._seen = _mark(reads)
        self.rejected = 0
        """Nothing: whoever may write to the folder is the other side."""
        self.blocked_writes = 0
        """How often the other side held our file so that it could not be replaced."""

    def send(self, line: str) -> None:
        """Replace our file by `line`."""
        try:
            write_atomically(self._writes, line, durable=False)
        except InvalidValue as error:
            # Windows forbids to replace a file while somebody reads it; the next line will do.
            if SYSTEM != "nt" or not isinstance(error.__cause__, PermissionError):
                raise
            self.blocked_writes += 1

    def receive(self) -> str | None:
        """Return what the other's file says if it changed since the last call."""
        mark = _mark(self._reads)
        if mark is None or mark == self._seen:
            return None
        text = self._read()
        if not text.endswith("\n"):
            self._sleep(SETTLING)
            if not text or self._read() != text:
                return None  # being written: the next look will tell
        self._seen = mark
        return text

    def close(self) -> None:
        """Leave both files as they are."""

    def _read(self) -> str:
        try:
            return read_file(self._reads, EXCHANGE_BYTES).decode("ascii", errors="replace")
        except Unreadable:
            return ""  # gone, held by its writer, or no file with a line


def _mark(path: Path) -> Mark | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_ino, stat.st_size


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        required = f"be a folder or a place for one ({error.strerror})"
        raise InvalidValue("exchange", str(folder), required) from error


LONGEST = 512
"""Longest datagram that is looked at; no line is nearly as long [bytes]."""
MOST_AT_ONCE = 1000
"""Datagrams that are taken in one look, so that a flood cannot hold the loop [1]."""
LET_GO_AFTER = 1.0
"""Silence of the peer after which another port of its machine may take its place [s]."""
Address: TypeAlias = tuple[str, int]
"""Numeric address and port."""


class UdpChannel:
    """Sends to one address and listens on a port, for that address only.

    It listens on the interface that leads there: with a peer on this machine, on loopback. The
    first program at that address that sends a line of numbers is the peer, by its port; others
    there are not looked at until it has been silent for a second.
    """

    def __init__(self, peer: Address, port: int, now: Callable[[], float] = time.monotonic) -> None:
        """Talk to `peer`, and listen on `port` of this machine; 0 takes any that is free."""
        self._now = now
        self._speaker: Address | None = None
        self._heard_at = float("-inf")
        try:
            self._peer = socket.gethostbyname(peer[0]), peer[1]
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        except OSError as error:
            raise InvalidValue("exchange", peer[0], f"be an address ({error})") from error
        try:
            self._socket.bind((_own_address(self._peer), port))
        except OSError as error:
            self._socket.close()
            raise InvalidValue("exchange", f"port {port}", f"be free ({error.strerror})") from error
        self._socket.setblocking(False)
        self.strangers = 0
        """How many datagrams came from elsewhere and were not looked at."""
        self.oversized = 0
        """How many datagrams of the peer were longer than any line, and dropped."""

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._socket.getsockname()[1]

    @property
    def rejected(self) -> int:
        """How much came that was not looked at: from strangers, or too long."""
        return self.strangers + self.oversized

    def send(self, line: str) -> None:
        """Send `line`; nobody listening is no mistake, they may come later."""
        try:
            self._socket.sendto(line.encode("ascii"), self._peer)
        except (BlockingIOError, ConnectionRefusedError):
            return
        except OSError as error:
            raise InvalidValue(
                "exchange", f"{self._peer[0]}:{self._peer[1]}", f"be reachable ({error.strerror})"
            ) from error

    def receive(self) -> str | None:
        """Return the newest datagram of the peer; older ones that waited are dropped."""
        newest = None
        for _ in range(MOST_AT_ONCE):
            try:
                data, source = self._socket.recvfrom(LONGEST + 1)
            except BlockingIOError:
                break
            except ConnectionError:
                continue  # an earlier line met a closed port; some systems report that here
            text = data.decode("ascii", errors="replace")
            if not self._is_peer(source, text):
                self.strangers += 1
            elif len(data) > LONGEST:
                self.oversized += 1
            else:
                newest = text
        return newest

    def _is_peer(self, source: Address, text: str) -> bool:
        """Return whether a datagram is from the program that we talk to."""
        if source[0] != self._peer[0]:
            return False
        now = self._now()
        is_free = self._speaker is None or now - self._heard_at > LET_GO_AFTER
        if source != self._speaker and not (is_free and parse_numbers(text) is not None):
            return False
        self._speaker, self._heard_at = source, now
        return True

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()


def _own_address(peer: Address) -> str:
    """Return the address of this machine from which packets to `peer` leave."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(peer)  # a datagram socket sends nothing for this
        return probe.getsockname()[0]


LOOK_EVERY = 0.002
"""Time between two looks at the other side's line [s]."""


class BackgroundChannel:
    """Hands lines to a thread and takes them from it; only the newest of each way is kept."""

    def __init__(self, channel: Channel) -> None:
        """Work `channel` in a thread of its own until `close`."""
        self._channel = channel
        self._outgoing: str | None = None
        self._incoming: str | None = None
        self._failure: GrouserError | None = None
        self._lock, self._over = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="exchange", daemon=True)
        self._thread.start()

    @property
    def rejected(self) -> int:
        """How much came that was not looked at."""
        return self._channel.rejected

    def send(self, line: str) -> None:
        """Leave `line` for the thread.

        Raises:
            GrouserError: What went wrong with an earlier line.
        """
        with self._lock:
            self._outgoing = line
            failure = self._failure
        if failure is not None:
            raise failure

    def receive(self) -> str | None:
        """Return the newest line that the thread found since the last call; None if none."""
        with self._lock:
            line, self._incoming = self._incoming, None
        return line

    def close(self) -> None:
        """Send what is left, and end the thread."""
        self._over.set()
        self._thread.join()
        self._channel.close()

    def _work(self) -> None:
        try:
            while not self._over.wait(LOOK_EVERY):
                self._exchange()
            self._exchange()
        except GrouserError as error:
            with self._lock:
                self._failure = error

    def _exchange(self) -> None:
        with self._lock:
            line, self._outgoing = self._outgoing, None
        if line is not None:
            self._channel.send(line)
        heard = self._channel.receive()
        if heard is not None:
            with self._lock:
                self._incoming = heard


Side: TypeAlias = Literal["controller", "simulation"]
"""Who we are: the one who writes `Encoder.txt`, or the one who writes `Orientation.txt`."""
ENCODER_FILE, ORIENTATION_FILE = "Encoder.txt", "Orientation.txt"
DEFAULT_PORT = 9870
"""Where the simulation listens for encoder lines; the controller listens on the next port."""


def open_channel(where: str, side: Side) -> Channel:
    """Return the channel that `where` names: a folder, `udp`, `udp:PORT` or `udp:HOST:PORT`.

    By files, both are in the folder. By datagrams, the simulation listens on PORT, the controller
    on PORT + 1, and HOST is the other side's address, this machine if not given.

    Raises:
        InvalidValue: The word means neither, or the place cannot be used.
    """
    if where == "udp" or where.startswith("udp:"):
        host, port = _parse(where)
        ports = (port, port + 1) if side == "simulation" else (port + 1, port)
        return UdpChannel((host, ports[1]), ports[0])
    files = Path(where) / ENCODER_FILE, Path(where) / ORIENTATION_FILE
    writes, reads = files if side == "controller" else files[::-1]
    return FileChannel(writes, reads)


def _parse(where: str) -> tuple[str, int]:
    words = where.split(":")[1:]
    host = words[0] if len(words) == 2 else "127.0.0.1"
    port = words[-1] if words else str(DEFAULT_PORT)
    if len(words) > 2 or not host or not (port.isascii() and port.isdigit()):
        raise InvalidValue("exchange", where, "be a folder, udp, udp:PORT or udp:HOST:PORT")
    if not 1 <= int(port) <= 65534:
        raise InvalidValue("exchange", where, "have a port from 1 to 65534")
    return host, int(port)
