"""The page: server, panels and threads."""

import re
import secrets
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import rich
import viser

from grouser.drawing.playback import Playback
from grouser.errors import GrouserError, InvalidValue
from grouser.notices import listen
from grouser.simulation.pace import Priority, raise_priority
from grouser.viewer.access import AccessGate, installed_gate, is_loopback
from grouser.viewer.cameras import Cameras
from grouser.viewer.commands import PageCommands, ReadOnlyCommands
from grouser.viewer.input import DriverLock, InputSocket
from grouser.viewer.loop import Loop
from grouser.viewer.messages import stop_sharing
from grouser.viewer.panels import OwnPanel, Panel
from grouser.viewer.recordings import Player, Recordings
from grouser.viewer.scene.stage import SKY_STYLE
from grouser.viewer.session import Choice, ExternalRobot, Session, WatchedSession
from grouser.viewer.stream import History, Stream


@contextmanager
def silence_viser() -> Iterator[None]:
    """Keep viser's banner off the terminal: commands say what there is to say."""
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


TITLE = "grouser"


def make_page() -> bytes:
    """Return the page as one document."""
    document = (files("viser") / "client" / "build" / "index.html").read_text("utf-8")
    assets = files("grouser") / "viewer" / "assets"
    style = (assets / "page.css").read_text("utf-8")
    script = (assets / "page.js").read_text("utf-8")
    document = re.sub(r"<title>.*?</title>", f"<title>{TITLE}</title>", document, count=1)
    # Before viser's own script, which must find its keys already taken.
    head = f"<style>{SKY_STYLE}\n{style}</style><script>{script}</script>"
    place = document.index("<head>") + len("<head>")
    return (document[:place] + head + document[place:]).encode()


SOFTWARE = ("swiftshader", "llvmpipe", "softpipe", "software", "basic render", "none")
"""Words in the name of a renderer that has no graphics card behind it."""
REFLECTIONS = 0.2
"""How strongly surroundings are mirrored where a graphics card draws [1]."""
MESSAGE_SECONDS = 6.0
"""How long a sentence stays on the page [s]."""


class DriveApp:
    """Everything behind one address. Use it as a context: it stops when it is left."""

    def __init__(
        self,
        choice: Choice | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 8080,
        folder: str | Path = "out/drives",
        token: str | None = None,
        external: ExternalRobot | None = None,
    ) -> None:
        """Open the page.

        Args:
            choice: What is on it at first.
            host: Address to listen on; other than a loopback address, a token is needed.
            port: Port; the next that is free if it is taken, any if 0.
            folder: Where recordings are kept.
            token: What the address must carry; made up where one is needed and none is given.
            external: Who moves the robot, if the page is only to show it.

        Raises:
            GrouserError: The choice cannot be driven, or the address cannot be listened on.
        """
        check_address(host, port)
        # A page may go while it is being written to, which is nobody's mistake.
        warnings.filterwarnings("ignore", message="Queued a .* on a closed connection")
        self.lock = DriverLock()
        shown = choice or Choice()
        session = Session(shown) if external is None else WatchedSession(shown, external)
        self.loop = Loop(session, self.lock, self.notify)
        recordings = Recordings(folder)
        self.commands = (
            PageCommands(self.loop, recordings, self.notify)
            if external is None
            else ReadOnlyCommands(self.loop, recordings, self.notify, external)
        )
        self.input = InputSocket(self.lock, self._act, self._identified)
        self.cameras = Cameras()
        self._own: dict[int, OwnPanel] = {}
        made_up = None if is_loopback(host) else secrets.token_urlsafe(16)
        self._token, self._host = made_up if token is None else token, host
        self._access = AccessGate(page=make_page(), keys=self.input.serve, token=self._token)
        with installed_gate(self._access), silence_viser():
            self.server = viser.ViserServer(host=host, port=port, label="grouser", verbose=False)
        stop_sharing(self.server)
        self._access.messages.server = self.server
        self.server.get_event_loop().call_soon_threadsafe(raise_priority, Priority.PAGES)
        self._decorate()
        self.panel = Panel(self.server.gui, self.commands)
        self.stream = Stream(
            self.server,
            self.loop,
            self.input,
            self.cameras,
            self.panel.view.apply,
            self._bring_up_to_date,
        )
        self.server.on_client_connect(self._greet)
        self.server.on_client_disconnect(self._part)
        self._begin()

    @property
    def address(self) -> str:
        """What to open in a browser."""
        host = "localhost" if self._host in ("0.0.0.0", "::") else self._host
        word = f"?token={self._token}" if self._token else ""
        return f"http://{host}:{self.server.get_port()}/{word}"

    @property
    def needs_token(self) -> bool:
        """Whether only those who have the whole address come in."""
        return self._token is not None

    @property
    def dropped(self) -> int:
        """How many messages were dropped that no page of ours sends."""
        return self._access.connections.dropped

    def replay(self, playback: Playback, title: str) -> None:
        """Show a log instead of a drive, until somebody goes back to driving."""
        player = Player(playback, title)
        self.loop.request(lambda loop: setattr(loop, "player", player))

    def stop(self) -> None:
        """Close the page; the drive so far is kept."""
        self._hearing.__exit__(None, None, None)
        self.stream.stop()
        self.loop.stop()
        self.commands.keep()
        with silence_viser():
            self.server.stop()

    def notify(self, sentence: str) -> None:
        """Show one sentence on every page; what was refused goes back to what it was."""
        self._say(sentence)
        self.panel.restore()
        self.panel.list_recordings()

    def __enter__(self) -> "DriveApp":
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def _begin(self) -> None:
        self.stream.start()
        self.loop.start()
        self._hearing = listen(self._say)  # that a model is compiled, for example
        self._hearing.__enter__()

    def _say(self, sentence: str) -> None:
        for client in self.server.get_clients().values():
            client.add_notification("grouser", sentence, auto_close_seconds=MESSAGE_SECONDS)

    def _bring_up_to_date(self, history: History) -> None:
        self.panel.show(self.loop, history)
        for own in tuple(self._own.values()):
            own.show()

    def _decorate(self) -> None:
        gui = self.server.gui
        gui.configure_theme(
            show_logo=False, show_share_button=False, control_width="medium",
            brand_color=(216, 121, 16),
        )  # fmt: skip

    def _greet(self, client: viser.ClientHandle) -> None:
        self.cameras.add(client)
        self._own[client.client_id] = OwnPanel(client, self.cameras, self.lock)
        # The page's own script waits for this secret: its keys are this client's.
        secret = self.input.new_secret(client.client_id)
        client.local_storage.set_item("grouser-secret", secret)
        self.panel.list_recordings()
        self._watch()

    def _part(self, client: viser.ClientHandle) -> None:
        self.input.disconnect(client.client_id)
        self.cameras.remove(client)
        self._own.pop(client.client_id, None)
        self._watch()

    def _watch(self) -> None:
        is_watched = bool(self.server.get_clients())
        self.loop.set_watched(is_watched)
        self.stream.set_watched(is_watched)

    def _identified(self, who: int, renderer: str) -> None:
        """Give a page with a graphics card reflections; others keep the lean light."""
        client = self.server.get_clients().get(who)
        if client is None or is_lean(renderer):
            return
        client.scene.configure_environment_map("park", environment_intensity=REFLECTIONS)

    def _act(self, who: int, word: str) -> None:
        if word == "camera" and who in self._own:
            self._own[who].next_camera()
        elif who == self.lock.driver or (self.commands.is_watching and word == "pause"):
            self.commands.act(word)  # motors are stopped by everybody, whoever has the wheel


def is_lean(renderer: str) -> bool:
    """Return whether a renderer draws without a graphics card, by its name."""
    return any(word in renderer.lower() for word in SOFTWARE)


def check_address(host: str, port: int) -> None:
    """Refuse an address that cannot be listened on.

    Raises:
        InvalidValue: The port is out of range.
        GrouserError: The host is not an address of this machine.
    """
    if not 0 <= port <= 65535:
        raise InvalidValue("--port", port, "be from 0 to 65535")
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as trial:
            trial.bind(place)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise GrouserError(
            f"cannot listen on host {host!r} ({reason}); use 127.0.0.1, or an address of this "
            "machine such as 0.0.0.0"
        ) from None
