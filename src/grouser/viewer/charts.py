"""Widgets, charts and the recordings panel."""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import viser
import viser.uplot

from grouser.errors import GrouserError
from grouser.log import Log, name_file
from grouser.report.colours import LINES, REFERENCE
from grouser.viewer.commands import Desk
from grouser.viewer.input import Seat
from grouser.viewer.loop import Loop
from grouser.viewer.stream import History

WATCHING = "You are watching: press “Take the wheel” to drive."


class Widgets:
    """Attaches wishes to controls: what a watcher touches goes back to what it was."""

    def __init__(self, seat: Seat, restore: Callable[[], None]) -> None:
        self._seat, self._restore = seat, restore

    def on_click(self, button: viser.GuiButtonHandle, wish: Callable[[], None]) -> None:
        """Do something when the driver presses a button."""
        self.on_press(button, lambda _: wish())

    def on_press(self, buttons: Any, wish: Callable[[Any], None]) -> None:
        """Do something when the driver presses one of a group of buttons."""
        buttons.on_click(self._granting(wish))

    def on_change(self, control: Any, wish: Callable[[Any], None]) -> None:
        """Do something with the value that the driver sets."""
        control.on_update(self._granting(wish))

    def _granting(self, wish: Callable[[Any], None]) -> Callable[[Any], Any]:
        async def grant(event: Any) -> None:
            # A coroutine is called at once, while the control still has the value that was set.
            self._grant(event, wish)

        return grant

    def _grant(self, event: Any, wish: Callable[[Any], None]) -> None:
        if event.client_id is None:
            return  # set by the program itself
        if event.client_id == self._seat.driver:
            wish(event.target.value)
            return
        self._restore()
        if event.client is not None:
            event.client.add_notification("Watching", WATCHING, auto_close_seconds=4.0)


HEIGHT = 150
"""Height of a chart [pixels]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One chart: its title, and the quantities in it."""

    title: str
    """Title, with the unit."""
    lines: tuple[tuple[str, str], ...]
    """Each line's label and its name in `Reading`."""
    factor: float = 1.0
    """From SI to the unit of the title [1]."""
    largest: float = math.inf
    """What is larger is drawn as large as this: slip means nothing as a belt stops [1]."""


CHARTS = (
    Chart(title="Speed [m/s]", lines=(("asked", "speed_commanded"), ("reached", "speed"))),
    Chart(
        title="Yaw rate [°/s]",
        lines=(("asked", "yaw_rate_commanded"), ("reached", "yaw_rate")),
        factor=math.degrees(1.0),
    ),
    Chart(title="Slip [1]", lines=(("left", "slip_left"), ("right", "slip_right")), largest=1.5),
    Chart(
        title="Attitude [°]",
        lines=(("pitch", "pitch"), ("roll", "roll")),
        factor=math.degrees(1.0),
    ),
    Chart(title="Real-time factor [1]", lines=(("factor", "real_time_factor"),)),
)
"""What is drawn."""


class Charts:
    """The charts in their own panel."""

    def __init__(self, gui: viser.GuiApi) -> None:
        empty = np.zeros(1)
        self._plots = [
            gui.add_uplot(
                data=(empty, *(empty for _ in chart.lines)),
                series=(
                    viser.uplot.Series(label="t [s]"),
                    *(
                        viser.uplot.Series(label=label, stroke=_colour(chart, n), width=1.5)
                        for n, (label, _) in enumerate(chart.lines)
                    ),
                ),
                title=chart.title,
                # The first scale would be read as seconds since 1970.
                scales={"x": viser.uplot.Scale(time=False, auto=True)},
                height=HEIGHT,
            )
            for chart in CHARTS
        ]

    def show(self, history: History) -> None:
        """Draw what the history holds."""
        if not len(history):
            return
        time = history.column("time")
        for chart, plot in zip(CHARTS, self._plots, strict=True):
            columns = (chart.factor * history.column(name) for _, name in chart.lines)
            plot.data = (time, *(column.clip(-chart.largest, chart.largest) for column in columns))


def _colour(chart: Chart, number: int) -> str:
    if chart.lines[number][0] == "asked":
        return REFERENCE
    return LINES[number - (chart.lines[0][0] == "asked")]


NOTHING: str = "(none yet)"
"""What the list says when there is nothing to replay."""


BUSY = "Another page is being written: try again when it is done."


class RecordPanel:
    """Buttons around the folder of recordings, and the scrubber."""

    def __init__(self, gui: viser.GuiApi, desk: Desk, widgets: Widgets) -> None:
        self._desk, self._shown = desk, 0.0
        with gui.add_folder("Recordings"):
            self._save = gui.add_button("Save this drive")
            self._list = gui.add_dropdown("Saved", (NOTHING,))
            self._replay = gui.add_button("Replay")
            self._scrubber = gui.add_slider(
                "At [s]", min=0.0, max=1.0, step=0.01, initial_value=0.0, visible=False
            )
            self._back = gui.add_button("Back to driving", visible=False)
            self._take = gui.add_button(
                "Download as one page", hint="3D replay and charts, offline"
            )
        widgets.on_click(self._save, desk.save)
        widgets.on_click(self._replay, self._open)
        widgets.on_click(self._back, desk.close_recording)
        widgets.on_change(self._scrubber, desk.seek)
        self._take.on_click(lambda event: self._download(event.client))
        self._writing = threading.Lock()
        self.list()

    def list(self) -> None:
        """Show what the folder holds now, newest first."""
        names = self._desk.recordings.names() or (NOTHING,)
        if tuple(self._list.options) != names:
            chosen = self._list.value
            self._list.options = names
            self._list.value = chosen if chosen in names else names[0]

    def show(self, loop: Loop) -> None:
        """Show whether a log is replayed, and where it is."""
        player = loop.player
        self._scrubber.visible = self._back.visible = player is not None
        self._save.disabled = player is not None
        if player is None:
            return
        duration = max(round(player.playback.duration, 2), 0.01)
        if self._scrubber.max != duration:
            self._scrubber.max = duration
        self._scrubber.value = min(round(player.elapsed, 2), duration)

    def _open(self) -> None:
        if self._list.value != NOTHING:
            self._desk.open_recording(self._list.value)

    def _download(self, client: viser.ClientHandle | None) -> None:
        if client is None:
            return
        if not self._writing.acquire(blocking=False):
            client.add_notification("One page", BUSY, auto_close_seconds=4.0)
            return
        note = client.add_notification("One page", "Being written …", loading=True)

        def done() -> None:
            self._writing.release()
            note.remove()

        def start(loop: Loop) -> None:
            try:
                read = _logs_later(loop)
            except (GrouserError, OSError):
                done()
                raise
            threading.Thread(target=_send_page, args=(read, client, done), name="page").start()

        if not self._desk.loop.ask(start):
            done()


def _logs_later(loop: Loop) -> Callable[[], tuple[Log, ...]]:
    if (player := loop.player) is None:
        return loop.session.logs_later()
    return lambda: (player.playback.log,)


def _send_page(
    read: Callable[[], tuple[Log, ...]], client: viser.ClientHandle, done: Callable[[], None]
) -> None:
    # Imported when it is asked for: the charts' package takes long to load.
    from grouser.viewer.replay_page import write_replay

    try:
        with TemporaryDirectory() as folder:
            logs = read()
            origin = logs[0].provenance
            # Names in a log of somebody else may be anything.
            name = name_file(f"{origin.robot}-{origin.course}-{origin.model}", ".html")
            file = Path(folder) / name
            write_replay(logs[0], file, others=logs[1:])
            client.send_file_download(file.name, file.read_bytes())
    except GrouserError as error:
        client.add_notification("Not written", str(error), color="red")
    finally:
        done()
