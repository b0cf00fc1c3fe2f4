"""Lines as datagrams: one line each, to a port of the other side."""

import socket
from typing import TypeAlias

from grouser.errors import InvalidValue

LONGEST = 512
"""Longest datagram that is looked at; no line is nearly as long [bytes]."""
Address: TypeAlias = tuple[str, int]
"""Numeric address and port."""


class UdpChannel:
    """Sends to one address and listens on a port, for that address only.

    It listens on the interface that leads there: with a peer on this machine, on loopback.
    """

    def __init__(self, peer: Address, port: int) -> None:
        """Talk to `peer`, and listen on `port` of this machine; 0 takes any that is free."""
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

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._socket.getsockname()[1]

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
        while True:
            try:
                data, (host, _) = self._socket.recvfrom(LONGEST)
            except BlockingIOError:
                return newest
            except ConnectionError:
                continue  # an earlier line met a closed port; some systems report that here
            if host == self._peer[0]:
                newest = data.decode("ascii", errors="replace")
            else:
                self.strangers += 1

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()


def _own_address(peer: Address) -> str:
    """Return the address of this machine from which packets to `peer` leave."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(peer)  # a datagram socket sends nothing for this
        return probe.getsockname()[0]
