"""Recordings: save the drive, list and replay what was saved, take it away as one page."""

import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import viser

from grouser.errors import GrouserError
from grouser.log import Log, name_file
from grouser.viewer.desk import Desk
from grouser.viewer.loop import Loop
from grouser.viewer.panel.widgets import Widgets

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
                logs = _logs(loop)
            except GrouserError:
                done()
                raise
            threading.Thread(target=_send_page, args=(logs, client, done), name="page").start()

        if not self._desk.loop.ask(start):
            done()


def _logs(loop: Loop) -> tuple[Log, ...]:
    return loop.session.logs() if loop.player is None else (loop.player.playback.log,)


def _send_page(logs: tuple[Log, ...], client: viser.ClientHandle, done: Callable[[], None]) -> None:
    # Imported when it is asked for: the charts' package takes long to load.
    from grouser.viewer.write_replay import write_replay

    try:
        with TemporaryDirectory() as folder:
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
