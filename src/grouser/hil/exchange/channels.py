"""Channels of the exchange: files, UDP datagrams, and either of them in a thread."""

import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from grouser.errors import GrouserError, InvalidValue, Unreadable
from grouser.hil.exchange.lines import parse_numbers
from grouser.limits import EXCHANGE_BYTES
from grouser.storage import read_file, write_atomically


class Channel(Protocol):
    """Sends and receives lines without blocking. Only the newest line counts; none is resent."""

    @property
    def rejected(self) -> int:
        """Received lines that were ignored: from another sender, or too long."""
        ...

    def send(self, line: str) -> None:
        """Send `line`, which replaces the one before."""

    def receive(self) -> str | None:
        """Return the newest line of the other side; None if there is none since the last call."""
        ...

    def close(self) -> None:
        """Release files, ports and threads."""


SYSTEM = os.name
"""Name of the operating system; `nt` is Windows."""
SETTLING = 0.001
"""Time after which a line without newline is read again [s]."""
Mark: TypeAlias = tuple[int, int, int]
"""Identifies a version of a file: time of change [ns], inode, size."""


class FileChannel:
    """Writes one file and reads another, which the other side replaces or overwrites.

    Our file is replaced atomically. The other file may be read while it is written: a line without
    newline is used only if a second read returns the same. A file that exists at the beginning is
    from an earlier run and ignored.
    """

    def __init__(
        self, writes: Path, reads: Path, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        """Write one file and read the other; missing folders are created."""
        self._writes, self._reads, self._sleep = writes, reads, sleep
        for folder in {writes.parent, reads.parent}:
            _create(folder)
        self._seen = _mark(reads)
        self.rejected = 0
        """Always 0: every writer of the file is the other side."""

    def send(self, line: str) -> None:
        """Replace our file by `line`."""
        try:
            write_atomically(self._writes, line, durable=False)
        except InvalidValue as error:
            # Windows does not replace a file while it is read; skip this line.
            if SYSTEM != "nt" or not isinstance(error.__cause__, PermissionError):
                raise

    def receive(self) -> str | None:
        """Return the other side's line if its file has changed since the last call."""
        mark = _mark(self._reads)
        if mark is None or mark == self._seen:
            return None
        text = self._read()
        if not text.endswith("\n"):
            self._sleep(SETTLING)
            if not text or self._read() != text:
                return None  # being written: read it at the next call
        self._seen = mark
        return text

    def close(self) -> None:
        """Keep both files."""

    def _read(self) -> str:
        try:
            return read_file(self._reads, EXCHANGE_BYTES).decode("ascii", errors="replace")
        except Unreadable:
            return ""  # missing, locked, or too long


def _mark(path: Path) -> Mark | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_ino, stat.st_size


def _create(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        required = f"be a folder, or a path where one can be created ({error.strerror})"
        raise InvalidValue("exchange", str(folder), required) from error


LONGEST = 512
"""Longest datagram that is read; lines are much shorter [bytes]."""
MOST_AT_ONCE = 1000
"""Most datagrams per call of `receive`, so that a flood cannot block the loop [1]."""
PEER_TIMEOUT = 1.0
"""Silence of the peer after which another port of its address may replace it [s]."""
Address: TypeAlias = tuple[str, int]
"""Numeric address and port."""


class UdpChannel:
    """Sends to one address, and receives on a port from that address only.

    It is bound to the interface of the route to that address: loopback for a peer on this machine.
    The first port there that sends a line of numbers is the peer; datagrams of other ports are
    ignored until the peer has been silent for a second.
    """

    def __init__(self, peer: Address, port: int, now: Callable[[], float] = time.monotonic) -> None:
        """Send to `peer`, and receive on `port` of this machine; 0 takes any free one."""
        self._now = now
        self._peer_port_address: Address | None = None
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
        """Ignored datagrams of other senders."""
        self.oversized = 0
        """Ignored datagrams of the peer that were too long."""

    @property
    def port(self) -> int:
        """The port on which it receives."""
        return self._socket.getsockname()[1]

    @property
    def rejected(self) -> int:
        """Received lines that were ignored: from another sender, or too long."""
        return self.strangers + self.oversized

    def send(self, line: str) -> None:
        """Send `line`; a peer that does not receive yet is no error."""
        try:
            self._socket.sendto(line.encode("ascii"), self._peer)
        except (BlockingIOError, ConnectionRefusedError):
            return
        except OSError as error:
            raise InvalidValue(
                "exchange", f"{self._peer[0]}:{self._peer[1]}", f"be reachable ({error.strerror})"
            ) from error

    def receive(self) -> str | None:
        """Return the newest datagram of the peer; older queued ones are dropped."""
        newest = None
        for _ in range(MOST_AT_ONCE):
            try:
                data, source = self._socket.recvfrom(LONGEST + 1)
            except BlockingIOError:
                break
            except ConnectionError:
                continue  # some systems report here that an earlier line met a closed port
            text = data.decode("ascii", errors="replace")
            if not self._is_peer(source, text):
                self.strangers += 1
            elif len(data) > LONGEST:
                self.oversized += 1
            else:
                newest = text
        return newest

    def _is_peer(self, source: Address, text: str) -> bool:
        if source[0] != self._peer[0]:
            return False
        now = self._now()
        is_free = self._peer_port_address is None or now - self._heard_at > PEER_TIMEOUT
        if source != self._peer_port_address and not (is_free and parse_numbers(text) is not None):
            return False
        self._peer_port_address, self._heard_at = source, now
        return True

    def close(self) -> None:
        """Close the port."""
        self._socket.close()


def _own_address(peer: Address) -> str:
    """Return this machine's address on the route to `peer`."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(peer)  # sends nothing on a datagram socket
        return probe.getsockname()[0]


POLL_EVERY = 0.002
"""Period at which the thread polls its channel [s]."""


class BackgroundChannel:
    """A channel in a thread of its own, so that a slow disk does not block the caller."""

    def __init__(self, channel: Channel) -> None:
        """Start the thread of `channel`, which runs until `close`."""
        self._channel = channel
        # Appending and popping are atomic, and each deque has one reader.
        self._outgoing: deque[str] = deque(maxlen=1)
        self._incoming: deque[str] = deque(maxlen=1)
        self._failure: GrouserError | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="exchange", daemon=True)
        self._thread.start()

    @property
    def rejected(self) -> int:
        """Received lines that were ignored."""
        return self._channel.rejected

    def send(self, line: str) -> None:
        """Let the thread send `line`; raises the error of an earlier line."""
        self._outgoing.append(line)
        if self._failure is not None:
            raise self._failure

    def receive(self) -> str | None:
        """Return the newest line that the thread received; None if none since the last call."""
        return self._incoming.pop() if self._incoming else None

    def close(self) -> None:
        """Send the last line, and end the thread."""
        self._over.set()
        self._thread.join()
        self._channel.close()

    def _work(self) -> None:
        try:
            while not self._over.wait(POLL_EVERY):
                self._exchange()
            self._exchange()
        except GrouserError as error:
            self._failure = error

    def _exchange(self) -> None:
        if self._outgoing:
            self._channel.send(self._outgoing.pop())
        received = self._channel.receive()
        if received is not None:
            self._incoming.append(received)


Side: TypeAlias = Literal["controller", "simulation"]
"""Our side: the controller writes `Encoder.txt`, the simulation `Orientation.txt`."""
ENCODER_FILE, ORIENTATION_FILE = "Encoder.txt", "Orientation.txt"
DEFAULT_PORT = 9870
"""Port on which the simulation receives; the controller receives on the next one."""


def open_channel(where: str, side: Side) -> Channel:
    """Return the channel of `where`: a folder, `udp`, `udp:PORT` or `udp:HOST:PORT`.

    A folder holds both files. By UDP, the simulation receives on PORT and the controller on PORT +
    1; HOST is the other side's address, this machine if not given.
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
