"""Widgets, charts and the recordings panel."""

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import viser
import viser.uplot
from numpy.typing import NDArray

from grouser.errors import GrouserError
from grouser.log import Log, name_file
from grouser.report.colours import LINES, REFERENCE
from grouser.viewer.commands import PageCommands
from grouser.viewer.input import DriverLock
from grouser.viewer.loop import Loop
from grouser.viewer.session import MAX_GHOSTS
from grouser.viewer.stream import History

WATCHING = "You are watching. Press “Take control” to drive."


class Widgets:
    """Connects controls with actions of the driver; a watcher's change is undone."""

    def __init__(self, lock: DriverLock, restore: Callable[[], None]) -> None:
        self._lock, self._restore = lock, restore

    def on_click(self, button: Any, action: Callable[[Any], None]) -> None:
        """Run an action with the event when the driver presses a button."""
        button.on_click(self._for_driver(action))

    def on_change(self, control: Any, action: Callable[[Any], None]) -> None:
        """Run an action with the value that the driver sets."""
        control.on_update(self._for_driver(lambda event: action(event.target.value)))

    def _for_driver(self, action: Callable[[Any], None]) -> Callable[[Any], Any]:
        async def run(event: Any) -> None:
            # viser calls coroutines at once, while the control still has the value that was set.
            if event.client_id is None:
                return  # set by the program, not by a person
            if self._lock.acquire(event.client_id):
                action(event)
                return
            self._restore()
            if event.client is not None:
                event.client.add_notification("Watching", WATCHING, auto_close_seconds=4.0)

        return run


HEIGHT = 150
"""Height of a chart [pixels]."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: its title with unit, and its lines."""

    title: str
    lines: dict[str, str]
    """Label of each line, and name of its field in `Reading`."""
    factor: float = 1.0
    """Factor from SI to the unit of the title [1]."""
    largest: float = math.inf
    """Larger values are drawn as this one, as slip grows without limit when a belt stops [1]."""


DEGREES = math.degrees(1.0)
"""Degrees per radian [1]."""
CHARTS = (
    Chart("Speed [m/s]", {"commanded": "speed_commanded", "actual": "speed"}),
    Chart("Yaw rate [°/s]", {"commanded": "yaw_rate_commanded", "actual": "yaw_rate"}, DEGREES),
    Chart("Slip [1]", {"left": "slip_left", "right": "slip_right"}, largest=1.5),
    Chart("Attitude [°]", {"pitch": "pitch", "roll": "roll"}, DEGREES),
    Chart("Real-time factor [1]", {"factor": "real_time_factor"}),
)
"""All charts, from top to bottom."""


class Charts:
    """The tab with the charts."""

    def __init__(self, gui: viser.GuiApi) -> None:
        empty = np.zeros(1)
        self._plots = [
            gui.add_uplot(
                data=(empty, *(empty for _ in chart.lines)),
                series=(
                    viser.uplot.Series(label="t [s]"),
                    *(
                        viser.uplot.Series(
                            label=label, stroke=_colour(tuple(chart.lines), n), width=1.5
                        )
                        for n, label in enumerate(chart.lines)
                    ),
                ),
                title=chart.title,
                # Otherwise uPlot reads x as seconds since 1970.
                scales={"x": viser.uplot.Scale(time=False, auto=True)},
                height=HEIGHT,
            )
            for chart in CHARTS
        ]
        self._gaps, self._ghosts = self._add_gaps(gui), tuple[str, ...]()

    def show(self, history: History) -> None:
        """Draw the history."""
        if not len(history):
            return
        time = history.column("time")
        for chart, plot in zip(CHARTS, self._plots, strict=True):
            columns = (chart.factor * history.column(name) for name in chart.lines.values())
            plot.data = (time, *(column.clip(-chart.largest, chart.largest) for column in columns))
        self._show_gaps(time, history)

    @staticmethod
    def _add_gaps(gui: viser.GuiApi) -> viser.GuiUplotHandle:
        return gui.add_uplot(
            data=(np.zeros(1),) * (1 + MAX_GHOSTS),
            series=_gap_series(()),
            title="Distance of ghosts [m]",
            scales={"x": viser.uplot.Scale(time=False, auto=True)},
            height=HEIGHT,
            visible=False,
        )

    def _show_gaps(self, time: NDArray[np.float64], history: History) -> None:
        if history.ghosts != self._ghosts:
            self._ghosts = history.ghosts
            self._gaps.series = _gap_series(self._ghosts)
            self._gaps.visible = bool(self._ghosts)
        if self._ghosts:
            lines = [history.gap(name) for name in self._ghosts[:MAX_GHOSTS]]
            missing = [np.full(len(time), np.nan)] * (MAX_GHOSTS - len(lines))
            self._gaps.data = (time, *lines, *missing)


def _gap_series(ghosts: tuple[str, ...]) -> tuple[viser.uplot.Series, ...]:
    """Return a line for each possible ghost, always the same number of them."""
    lines = (
        viser.uplot.Series(
            label=ghosts[n] if n < len(ghosts) else "",
            stroke=LINES[(n + 1) % len(LINES)],
            show=n < len(ghosts),
            width=1.5,
        )
        for n in range(MAX_GHOSTS)
    )
    return viser.uplot.Series(label="t [s]"), *lines


def _colour(labels: tuple[str, ...], number: int) -> str:
    if labels[number] == "commanded":
        return REFERENCE
    return LINES[number - (labels[0] == "commanded")]


NOTHING: str = "(none yet)"
"""Entry of the list when there are no recordings."""
BUSY = "Another HTML file is being written: try again when it is finished."


class RecordPanel:
    """Controls to save, list and replay recordings."""

    def __init__(self, gui: viser.GuiApi, commands: PageCommands, widgets: Widgets) -> None:
        self._commands, self._shown = commands, 0.0
        with gui.add_folder("Recordings"):
            self._save = gui.add_button("Save recording", hint="The run so far, as a log file")
            self._list = gui.add_dropdown("Recording", (NOTHING,))
            self._replay = gui.add_button("Replay")
            self._scrubber = gui.add_slider(
                "Time [s]", min=0.0, max=1.0, step=0.01, initial_value=0.0, visible=False
            )
            self._back = gui.add_button("Back to driving", visible=False)
            self._take = gui.add_button(
                "Download as HTML",
                hint="One file with 3D replay and charts, to open without a network",
            )
            self._scenario = gui.add_button(
                "Save as scenario",
                hint="A scenario file that repeats this run with `grouser run`; also downloaded",
            )
        widgets.on_click(self._save, lambda _: commands.save())
        widgets.on_click(self._scenario, lambda event: self._save_scenario(event.client))
        widgets.on_click(self._replay, lambda _: self._open())
        widgets.on_click(self._back, lambda _: commands.close_recording())
        widgets.on_change(self._scrubber, commands.seek)
        self._take.on_click(lambda event: self._download(event.client))
        self._writing = threading.Lock()
        self.list()

    def list(self) -> None:
        """Update the list of recordings, newest first."""
        names = self._commands.recordings.names() or (NOTHING,)
        if tuple(self._list.options) != names:
            chosen = self._list.value
            self._list.options = names
            self._list.value = chosen if chosen in names else names[0]

    def show(self, loop: Loop) -> None:
        """Update the controls of the replay."""
        player = loop.player
        self._scrubber.visible = self._back.visible = player is not None
        self._save.disabled = player is not None
        if player is None:
            return
        duration = max(round(player.playback.duration, 2), 0.01)
        if self._scrubber.max != duration:
            self._scrubber.max = duration
        self._scrubber.value = min(round(player.elapsed, 2), duration)

    def _save_scenario(self, client: viser.ClientHandle | None) -> None:
        def send(files: Sequence[Path]) -> None:
            if client is not None:
                for file in files:
                    client.send_file_download(file.name, file.read_bytes())

        self._commands.save_scenario(send)

    def _open(self) -> None:
        if self._list.value != NOTHING:
            self._commands.open_recording(self._list.value)

    def _download(self, client: viser.ClientHandle | None) -> None:
        if client is None:
            return
        if not self._writing.acquire(blocking=False):
            client.add_notification("HTML file", BUSY, auto_close_seconds=4.0)
            return
        note = client.add_notification("HTML file", "Being written …", loading=True)

        def done() -> None:
            self._writing.release()
            note.remove()

        def start(loop: Loop) -> None:
            player = loop.player
            try:
                read = (lambda: (player.playback.log,)) if player else loop.session.logs_later()
            except (GrouserError, OSError):
                done()
                raise
            threading.Thread(target=_send_page, args=(read, client, done), name="page").start()

        if not self._commands.loop.request(start):
            done()


def _send_page(
    read: Callable[[], tuple[Log, ...]], client: viser.ClientHandle, done: Callable[[], None]
) -> None:
    # Imported only here, because plotly is slow to import.
    from grouser.viewer.replay_page import write_replay

    try:
        with TemporaryDirectory() as folder:
            logs = read()
            origin = logs[0].provenance
            # Names in a foreign log may contain any characters.
            name = name_file(f"{origin.robot}-{origin.course}-{origin.model}", ".html")
            file = Path(folder) / name
            write_replay(logs[0], file, others=logs[1:])
            client.send_file_download(file.name, file.read_bytes())
    except GrouserError as error:
        client.add_notification("HTML file not written", str(error), color="red")
    finally:
        done()
