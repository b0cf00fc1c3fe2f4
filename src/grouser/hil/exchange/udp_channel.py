"""Lines as datagrams: one line each, to a port of the other side."""

import socket
import time
from collections.abc import Callable
from typing import TypeAlias

from grouser.errors import InvalidValue
from grouser.hil.exchange.parse_numbers import parse_numbers

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
