"""Controls of recordings and their replay."""

import threading
from collections.abc import Callable
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

import viser
import viser.uplot

from grouser.errors import GrouserError
from grouser.log import Log, name_file
from grouser.viewer.commands import PageCommands
from grouser.viewer.loop import Loop
from grouser.viewer.panels.numbers import sender
from grouser.viewer.panels.widgets import QUIET, Widgets

NOTHING: str = "(none yet)"
"""Entry of the list when there are no recordings."""
DOWNLOAD_RUN, DOWNLOAD_REPLAY = "Download this run as HTML", "Download replay as HTML"
FADE = 6.0
"""Time for which a message is shown [s]."""
BUSY = "Another HTML file is being written: try again when it is finished."


class RecordPanel:
    """Controls to save, list and replay recordings."""

    def __init__(self, gui: viser.GuiApi, commands: PageCommands, widgets: Widgets) -> None:
        self._commands, self._saved = commands, ""
        with gui.add_folder("Recordings"):
            self._save = gui.add_button("Save recording", hint="The run so far, as a log file")
            self._list = gui.add_dropdown("Recording", (NOTHING,))
            self._name = gui.add_html("", visible=False)
            self._replay = gui.add_button("Replay", hint="Of the chosen recording", color=QUIET)
            self._scrubber = gui.add_slider(
                "Time [s]", min=0.0, max=1.0, step=0.01, initial_value=0.0, visible=False
            )
            self._back = gui.add_button("Back to driving", visible=False, color=QUIET)
            self._take = gui.add_button(
                DOWNLOAD_RUN,
                hint="One file with 3D replay and charts, to open without a network",
                disabled=True,
                color=QUIET,
            )
            self._scenario = gui.add_button(
                "Save as scenario",
                hint="A scenario file that repeats this run with `grouser run`; also downloaded",
                color=QUIET,
            )
        widgets.on_click(self._save, lambda _: commands.save())
        widgets.on_click(self._scenario, lambda event: commands.save_scenario(sender(event.client)))
        widgets.on_click(self._replay, lambda _: self._open())
        widgets.on_click(self._back, lambda _: commands.close_recording())
        widgets.on_change(self._scrubber, commands.seek)
        self._list.on_update(lambda _: self._show_name())
        self._take.on_click(lambda event: self._download(event.client))
        self._writing = threading.Lock()
        self.list()

    def list(self) -> None:
        """Update the list of recordings, newest first; one that was just saved is chosen."""
        names = self._commands.recordings.names() or (NOTHING,)
        chosen, saved = self._list.value, self._commands.last_saved
        if saved != self._saved and saved in names:
            self._saved = chosen = saved
        if tuple(self._list.options) != names:
            self._list.options = names
        self._list.value = chosen if chosen in names else names[0]
        self._replay.disabled = self._list.value == NOTHING
        self._show_name()

    def show(self, loop: Loop) -> None:
        """Update the controls of the replay."""
        player = loop.player
        self._scrubber.visible = self._back.visible = player is not None
        self._save.disabled = player is not None
        session = loop.session
        is_empty = not (session.was_driven or session.flippers_were_moved)
        self._take.label = DOWNLOAD_RUN if player is None else DOWNLOAD_REPLAY
        self._take.disabled = player is None and is_empty and not self._commands.is_read_only
        if player is None:
            return
        duration = max(round(player.playback.duration, 2), 0.01)
        if self._scrubber.max != duration:
            self._scrubber.max = duration
        self._scrubber.value = min(round(player.elapsed, 2), duration)

    def _show_name(self) -> None:
        """Show the whole name of the chosen recording, for which the list is too narrow."""
        name = self._list.value
        self._name.visible = name != NOTHING
        self._name.content = f'<div class="grouser-name">{escape(name)}</div>'

    def _open(self) -> None:
        if self._list.value != NOTHING:
            self._commands.open_recording(self._list.value)

    def _download(self, client: viser.ClientHandle | None) -> None:
        if client is None:
            return
        if not self._writing.acquire(blocking=False):
            client.add_notification("HTML file", BUSY, auto_close_seconds=FADE)
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
            client.send_file_download(file.name, file.read_bytes(), save_immediately=True)
    except GrouserError as error:
        client.add_notification(
            "HTML file not written", str(error), color="red", auto_close_seconds=FADE
        )
    finally:
        done()
