"""Offset and rate of the board's clock, from the pings with the shortest round trips."""

from collections import deque
from dataclasses import dataclass

import numpy as np

LONGEST_RTT = 0.010
"""Round trip above which a sample is not used [s]."""
WINDOW = 8
"""Samples that are kept: a change of rate is followed within ten seconds [1]."""
QUICK = 0.0005
"""Samples with at most this much more than the shortest round trip are used [s]."""


@dataclass(frozen=True, slots=True)
class ClockSample:
    """One ping and its PONG."""

    host: float
    """Host's clock, midway between sending and receiving [s]."""
    offset: float
    """Board's clock minus the host's [s]."""
    rtt: float
    """Round trip, without the time on the board [s]."""


class ClockSync:
    """A straight line through the offsets of the samples with the shortest round trips."""

    def __init__(self) -> None:
        self._samples: deque[ClockSample] = deque(maxlen=WINDOW)
        self.rtts: list[float] = []
        """Round trips of all samples, unused ones included [s]."""
        self.unused = 0
        """Samples whose round trip was too long."""

    def add(self, sent: float, received: float, board_rx: float, board_tx: float) -> bool:
        """Add the host's and the board's clocks of a ping [s]; return whether it is used."""
        rtt = (received - sent) - (board_tx - board_rx)
        self.rtts.append(rtt)
        if not 0.0 <= rtt <= LONGEST_RTT:
            self.unused += 1
            return False
        middle = 0.5 * (sent + received)
        offset = 0.5 * (board_rx + board_tx) - middle
        self._samples.append(ClockSample(middle, offset, rtt))
        return True

    def offset(self, host: float) -> float:
        """Return the board's clock minus the host's, at a time of the host [s].

        Raises `LookupError` while there is no sample.
        """
        if not self._samples:
            raise LookupError("no ping was answered in time")
        quickest = min(sample.rtt for sample in self._samples)
        good = [sample for sample in self._samples if sample.rtt <= quickest + QUICK]
        if len(good) < 2:
            good = sorted(self._samples, key=lambda sample: sample.rtt)[:2]
        if len(good) < 2:
            return good[0].offset
        times = np.array([sample.host for sample in good])
        offsets = np.array([sample.offset for sample in good])
        middle = float(times.mean())
        spread = times - middle
        rate = float(spread @ offsets / (spread @ spread)) if np.any(spread) else 0.0
        return float(offsets.mean()) + rate * (host - middle)

    def to_host(self, board: float) -> float:
        """Return the host's clock at a time of the board's clock [s]."""
        host = self._samples[-1].host if self._samples else 0.0
        for _ in range(3):  # the rates are nearly equal, so this converges at once
            host = board - self.offset(host)
        return host
