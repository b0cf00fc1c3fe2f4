"""What each page has chosen to be sent: signals of charts, and pictures of cameras."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from grouser.viewer.pictures import Pictures
from grouser.viewer.signals import Recorder

PERIOD = 0.5
"""Least wall time after which a page is sent all rows once more [s]."""
Message = dict[str, Any]
"""What a page is sent, as plain JSON values."""


@dataclass(slots=True)
class _Choice:
    signals: tuple[str, ...] | None = None
    """Names of the signals; None while the page shows no charts."""
    sent: int = 0
    """Number of rows that the page has."""
    epoch: int | None = None
    """The epoch that they belong to; None if the page is to forget what it has."""
    began: float = -math.inf
    """Wall time at which all rows were last sent [s]."""
    version: int = -1
    """Version of the list of signals that the page has."""
    cameras: tuple[str, ...] = ()
    """Names of the cameras whose pictures it shows."""
    pictures: dict[str, float] = field(default_factory=dict)
    """Time of the picture that the page has, by camera [s]."""


class Subscriptions:
    """The choices of all pages, and the messages that follow from them.

    One thread uses it; pages may be forgotten by others.
    """

    def __init__(
        self, recorder: Recorder, pictures: Pictures, now: Callable[[], float] = monotonic
    ) -> None:
        self._recorder, self._pictures, self._now = recorder, pictures, now
        self._choices: dict[int, _Choice] = {}

    def choose_signals(self, client: int, signals: tuple[str, ...] | None) -> None:
        """Send a page these signals from now on, first those of the last seconds; None stops it."""
        choice = self._choice(client)
        choice.signals = None if signals is None else tuple(dict.fromkeys(signals))
        choice.sent, choice.epoch = 0, None

    def choose_cameras(self, client: int, cameras: tuple[str, ...]) -> None:
        """Send a page the pictures of these cameras."""
        choice = self._choice(client)
        choice.cameras, choice.pictures = cameras, {}
        self._update_wanted()

    def forget(self, client: int) -> None:
        """Remove a page that was closed."""
        self._choices.pop(client, None)
        self._update_wanted()

    def charts(self, client: int) -> Message | None:
        """Return the new rows of a page's signals; None if there are none."""
        choice = self._choices.get(client)
        if choice is None or choice.signals is None:
            return None
        count, epoch, rows = self._recorder.rows(choice.signals, choice.sent)
        if epoch != choice.epoch and self._now() < choice.began + PERIOD:
            return None  # all rows are many: whoever chooses quickly waits
        message: Message = {"kind": "charts", "rows": rows}
        if choice.version != self._recorder.version:
            choice.version = self._recorder.version
            message["signals"] = [signal.describe() for signal in self._recorder.signals]
        if epoch != choice.epoch:
            # Rows of an earlier epoch are not kept, so that all of these are of this one.
            message["rows"] = self._recorder.rows(choice.signals)[2]
            message |= {"names": choice.signals, "epoch": epoch}
            choice.began = self._now()
        choice.sent, choice.epoch = count, epoch
        return message if message["rows"] or len(message) > 2 else None

    def pictures(self, client: int) -> Message | None:
        """Return the newest pictures that a page does not have yet; None if there are none."""
        choice = self._choices.get(client)
        if choice is None or not choice.cameras:
            return None
        found = self._pictures.newest(choice.cameras)
        new = {name: one for name, one in found.items() if one.time != choice.pictures.get(name)}
        if not new:
            return None
        choice.pictures |= {name: one.time for name, one in new.items()}
        return {"kind": "pictures", "pictures": [one.message for one in new.values()]}

    def _choice(self, client: int) -> _Choice:
        return self._choices.setdefault(client, _Choice())

    def _update_wanted(self) -> None:
        choices = tuple(self._choices.values())  # pages leave in other threads
        self._pictures.wanted = {name for one in choices for name in one.cameras}
