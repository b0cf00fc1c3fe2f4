"""The board's clock as seen from the host: offset and rate from the quickest answers."""

from collections import deque
from dataclasses import dataclass

import numpy as np

LONGEST_RTT = 0.010
"""Round trip above which an answer says nothing about the clock [s]."""
WINDOW = 8
"""Answers that are kept: a clock that changes is followed within ten seconds [1]."""
QUICK = 0.0005
"""Answers this much slower than the quickest of the window still count [s]."""


@dataclass(frozen=True, slots=True)
class ClockSample:
    """One ping and its answer."""

    host: float
    """Host's clock, midway between sending and hearing [s]."""
    offset: float
    """Board's clock less the host's [s]."""
    rtt: float
    """Round trip, without the time that the board took [s]."""


class ClockSync:
    """Follows a clock that is off and drifts: a line through the quickest answers."""

    def __init__(self) -> None:
        self._samples: deque[ClockSample] = deque(maxlen=WINDOW)
        self.rtts: list[float] = []
        """Round trips of all answers, refused ones too [s]."""
        self.refused = 0
        """Answers that took too long."""

    def add(self, sent: float, received: float, board_rx: float, board_tx: float) -> bool:
        """Take an answer; return whether it counts.

        Args:
            sent: Host's clock when the ping left [s].
            received: Host's clock when the answer came [s].
            board_rx: Board's clock when the ping came [s].
            board_tx: Board's clock when the answer left [s].
        """
        rtt = (received - sent) - (board_tx - board_rx)
        self.rtts.append(rtt)
        if not 0.0 <= rtt <= LONGEST_RTT:
            self.refused += 1
            return False
        middle = 0.5 * (sent + received)
        offset = 0.5 * (board_rx + board_tx) - middle
        self._samples.append(ClockSample(middle, offset, rtt))
        return True

    @property
    def is_known(self) -> bool:
        """Whether any answer counted."""
        return bool(self._samples)

    def offset(self, host: float) -> float:
        """Return the board's clock less the host's, at a time of the host [s].

        Raises:
            LookupError: No answer has counted so far.
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
        """Return the host's time of a moment on the board's clock [s]."""
        host = self._samples[-1].host if self._samples else 0.0
        for _ in range(3):  # the clocks run nearly alike, so this converges at once
            host = board - self.offset(host)
        return host
