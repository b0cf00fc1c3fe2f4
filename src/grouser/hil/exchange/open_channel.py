"""From a word on a command line to a channel."""

from pathlib import Path
from typing import Literal, TypeAlias

from grouser.errors import InvalidValue
from grouser.hil.exchange.channel import Channel
from grouser.hil.exchange.file_channel import FileChannel
from grouser.hil.exchange.udp_channel import UdpChannel

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
