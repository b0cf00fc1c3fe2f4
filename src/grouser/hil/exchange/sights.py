"""What was seen of the other side, tick by tick, for the log of a run."""

import math
from array import array

import numpy as np

from grouser.hil.exchange.mailbox import Line, Sight
from grouser.log import Column


class Sights:
    """Collects one row for each look."""

    def __init__(self) -> None:
        self._rows = array("d")

    def add(self, sight: Sight[Line]) -> None:
        """Remember one look."""
        seq = math.nan if sight.line is None or sight.line.seq is None else sight.line.seq
        age = sight.age if math.isfinite(sight.age) else math.nan
        self._rows.extend((seq, age, sight.is_stale))

    @property
    def stale_ticks(self) -> int:
        """How many looks found nothing to act upon."""
        return int(sum(self._rows[2::3]))

    def columns(self) -> dict[str, Column]:
        """Return the columns: number and age of the line acted upon, and whether it was stale."""
        seqs, ages, stale = np.array(self._rows[:]).reshape(-1, 3).T
        return {
            "exchange_seq": Column(seqs, "1"),
            "exchange_age": Column(ages, "s"),
            "exchange_stale": Column(stale, "1"),
        }
