"""The driving page: its server, panels and threads."""

import secrets
import socket
import warnings
from pathlib import Path
from threading import Lock
from typing import Any

from grouser.extras import require_extra

require_extra("a page in the browser", "viewer", "viser", "websockets")

import viser
from numpy.typing import ArrayLike

from grouser.description.terrain import Terrain
from grouser.drawing.playback import Playback
from grouser.errors import GrouserError, InvalidValue
from grouser.notices import listen
from grouser.scenario import Scenario
from grouser.simulation.pace import Priority, raise_priority
from grouser.viewer.access import AccessGate, installed_gate, is_loopback, silence_viser
from grouser.viewer.address import SceneWish, check_scene
from grouser.viewer.build_scene import BuildScene
from grouser.viewer.build_socket import Act, BuildSocket
from grouser.viewer.builder import Builder
from grouser.viewer.cameras import ROOT, Cameras
from grouser.viewer.commands import PageCommands
from grouser.viewer.course_files import CourseFiles
from grouser.viewer.dropped import DroppedFiles
from grouser.viewer.input import DriverLock, InputSocket, Reads
from grouser.viewer.look import LookChoice, Wish, check_wish
from grouser.viewer.loop import Loop
from grouser.viewer.measured_session import MeasuredSession
from grouser.viewer.messages import protect_events, stop_sharing
from grouser.viewer.modes import Modes
from grouser.viewer.page import TITLE, make_page
from grouser.viewer.page_looks import PageLooks
from grouser.viewer.panels import OwnPanel, Panel
from grouser.viewer.pointer import Point, Pointer
from grouser.viewer.read_only import MeasuredCommands, ReadOnlyCommands
from grouser.viewer.recordings import Player, Recordings
from grouser.viewer.scene.overlays import LinesNode
from grouser.viewer.stand_in import Workshop
from grouser.viewer.stream import Stream
from grouser.viewer.touch import Touch
from grouser.viewer.touch_scene import TouchScene
from grouser.viewer.watched_session import ExternalRobot, WatchedSession

BRAND = (216, 121, 16)
"""Colour of the page's controls."""
DEFAULT_SCENARIO = Scenario(robot="absolem", course="playground", model="csm", driver="person")
"""What the page shows if nothing is chosen."""
MESSAGE_SECONDS = 6.0
"""Time for which a message is shown on the page [s]."""
FAREWELL = 0.3
"""Time that pages get to close their sockets when the server stops [s]."""


class DriveApp:
    """The driving page and everything behind it; a context manager that closes it."""

    def __init__(
        self,
        scenario: Scenario | None = None,
        *,
        ghosts: tuple[str, ...] = (),
        host: str = "127.0.0.1",
        port: int = 8080,
        folder: str | Path = "out/drives",
        token: str | None = None,
        external: ExternalRobot | None = None,
        measured: MeasuredSession | None = None,
        look: Wish = "automatic",
    ) -> None:
        """Open the page of `scenario`, or of a robot that is driven elsewhere: `external`.

        A page of a robot that is only measured, `measured`, shows its ghosts from the start on.
        The page needs a token, a random one if it is not given; an empty one is none, which only a
        loopback address permits. A port that is taken is replaced by the next free one, 0 by any.
        `look` is that of the scene: full, painted, lean, or automatic, by the driver's graphics
        card and frame rate.
        """
        check_address(host, port)
        self._token, self._host = choose_token(host, token), host
        # A page may be closed while a message is being sent to it.
        warnings.filterwarnings("ignore", message="Queued a .* on a closed connection")
        self.lock = DriverLock()
        shown = scenario or DEFAULT_SCENARIO
        workshop = Workshop(self.notify)
        session = measured or (None if external is None else WatchedSession(shown, external))
        self.loop = Loop(session or workshop.open(shown, ghosts), self.lock, self.notify)
        self.commands = self._make_commands(Recordings(folder), workshop, external)
        self.look = LookChoice(check_wish(look), lambda: self.panel.restore())
        self._looks = PageLooks(self.look, self.lock)
        self.input = InputSocket(self.lock, self._act, self._looks.meet)
        self.input.looked = self._looks.hear
        self.cameras = Cameras()
        self._own: dict[int, OwnPanel] = {}
        self._coming = Lock()
        self._lines: dict[str, LinesNode] = {}
        self.builder = Builder(self.commands, CourseFiles(folder), self.notify)
        """The editor of the course."""
        self._build = BuildSocket(self.lock, self.input.client_of, self.builder.files)
        can_build = not self.commands.is_read_only and not self.commands.has_twins
        self._serve(host, port, can_build=can_build)
        self._add_controls(can_build=can_build)
        self.stream.start()
        self.loop.start()
        self._listening = listen(self._show_message)  # such as: a model is being compiled
        self._listening.__enter__()
        workshop.is_open.set()
        if measured is not None:
            self.commands.set_ghosts(ghosts)
            self._update_watched()

    def _serve(self, host: str, port: int, *, can_build: bool) -> None:
        """Open the server, behind its gate."""
        self._access = AccessGate(
            page=make_page(),
            keys=self.input.serve,
            build=self._build.serve if can_build else None,
            token=self._token,
        )
        with installed_gate(self._access), silence_viser():
            self.server = viser.ViserServer(host=host, port=port, label=TITLE, verbose=False)
        stop_sharing(self.server)
        protect_events(self.server)
        self._access.messages.server = self.server
        self.server.get_event_loop().call_soon_threadsafe(raise_priority, Priority.PAGES)
        self.server.gui.configure_theme(
            show_logo=False, show_share_button=False, control_width="medium", brand_color=BRAND
        )

    def _add_controls(self, *, can_build: bool) -> None:
        """Add panels and tools, and connect them."""
        self.pointer = Pointer(self.server.scene, self.cameras, self.lock, self._terrain)
        """Clicks and drags of the driver in the scene."""
        self.touch = Touch(self.commands, self.pointer, self.notify) if can_build else None
        """What a person does to the robot; None on pages of robots outside."""
        builder = self.builder if can_build else None
        self.panel = Panel(self.server.gui, self.commands, self.look, builder, self.touch)
        self.input.locked = lambda: self.panel.widgets.uuids
        self.modes = Modes(self.builder, self.touch, self.commands, self.lock)
        """What clicks in the scene do."""
        self.input.moved = self._start_driving
        self._editing = BuildScene(self.server, self.builder, self.pointer, self.lock)
        self.builder.changed = self._editing.show
        self._build.act, self._build.find = self._edit, self._find
        self._build.dropped = DroppedFiles(self.commands, self.builder)
        apply_view, refresh = self.panel.view.apply, self._update_panels
        parts = self.server, self.loop, self.input, self.cameras, apply_view, refresh
        self.stream = Stream(*parts, look=self.look)
        if self.touch is not None:
            touched = TouchScene(self.server, self.loop, self.touch, self.pointer, self.look)
            self.stream.after_drawing = touched.show
        self.stream.shown_switches = lambda: self.panel.view.shown
        self.stream.read_mode = lambda: self.modes.status
        self.input.on_reads, self.input.on_scene = self._read, self._open_scene
        self.input.own_status = self.cameras.describe
        self.server.on_client_connect(self._connect)
        self.server.on_client_disconnect(self._disconnect)

    @property
    def address(self) -> str:
        """Address to open in a browser."""
        host = "localhost" if self._host in ("0.0.0.0", "::") else self._host
        word = f"?token={self._token}" if self._token else ""
        return f"http://{host}:{self.server.get_port()}/{word}"

    @property
    def needs_token(self) -> bool:
        """Whether a token is needed to open the page."""
        return self._token is not None

    @property
    def dropped(self) -> int:
        """Number of invalid messages that were dropped."""
        return self._access.connections.dropped

    def replay(self, playback: Playback, title: str) -> None:
        """Replay a log, until the driver ends the replay."""
        player = Player(playback, title)
        self.loop.request(lambda loop: setattr(loop, "player", player))

    def show_lines(
        self,
        name: str,
        points: ArrayLike,
        *,
        colours: ArrayLike = BRAND,
        thickness: float = 0.006,
    ) -> None:
        """Show lines on all pages, instead of those of the same name; from any one thread.

        Args:
            name: Name of the lines, a word.
            points: Vertices of each line in the world frame (lines, vertices, 3) [m]; an array
                (0, 0, 3) removes the lines.
            colours: Red, green and blue from 0 to 255, of all lines or of each (lines, 3) [1].
            thickness: Width of the lines [m].

        Raises:
            InvalidValue: The name is no word, or points or colours do not fit.
        """
        if not name.isidentifier():
            raise InvalidValue("name", name, "be a word of letters and digits")
        with self.server.atomic():
            if name not in self._lines:
                self._lines[name] = LinesNode(self.server.scene, f"{ROOT}/lines/{name}")
            self._lines[name].show(points, colours, thickness)

    def stop(self) -> None:
        """Close the page; the run so far is saved automatically."""
        self._listening.__exit__(None, None, None)
        self.stream.stop()
        self.loop.stop()
        self.commands.keep()
        self._build.close()
        self.builder.keep()
        loop, abort = self.server.get_event_loop(), self._access.connections.abort
        # A browser that is busy, or hidden, may take seconds to answer.
        loop.call_soon_threadsafe(loop.call_later, FAREWELL, abort)
        with silence_viser():
            self.server.stop()

    def notify(self, sentence: str) -> None:
        """Show one sentence on every page, and set all controls to the current state."""
        self._show_message(sentence)
        self.panel.restore()
        self.panel.list_recordings()

    def __enter__(self) -> "DriveApp":
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def _terrain(self) -> Terrain:
        player = self.loop.player
        return (self.loop.session if player is None else player).course.terrain

    def _find(self, client_id: int, at: tuple[float, float]) -> Point | None:
        """Return the ground below a pixel of a page; None if there is none."""
        client = self.server.get_clients().get(client_id)
        return None if client is None else self.pointer.look_at(client, at)

    def _make_commands(
        self, recordings: Recordings, workshop: Workshop, external: ExternalRobot | None
    ) -> PageCommands:
        if external is not None:
            return ReadOnlyCommands(self.loop, recordings, self.notify, external)
        is_measured = isinstance(self.loop.session, MeasuredSession)
        kind = MeasuredCommands if is_measured else PageCommands
        return kind(self.loop, recordings, self.notify, workshop)

    def _show_message(self, sentence: str) -> None:
        for client in self.server.get_clients().values():
            client.add_notification("grouser", sentence, auto_close_seconds=MESSAGE_SECONDS)

    def _update_panels(self) -> None:
        self.panel.show(self.loop)
        self.builder.keep(left=True)
        self._editing.show(self.builder.state)
        for own in tuple(self._own.values()):
            own.show()
        self._looks.reflect(self.server, self.loop)

    def _connect(self, client: viser.ClientHandle) -> None:
        # Both are called in threads of viser's, in any order: a page may leave before it has come.
        with self._coming:
            if client.client_id not in self.server.get_clients():
                return
            self.cameras.add(client)
            self._own[client.client_id] = OwnPanel(client, self.cameras, self.lock)
            # The page's script sends this secret with its keys, to prove its client id.
            secret = self.input.new_secret(client.client_id)
            client.local_storage.set_item("grouser-secret", secret)
            self._update_watched()
        self.panel.list_recordings()

    def _disconnect(self, client: viser.ClientHandle) -> None:
        with self._coming:
            self.input.disconnect(client.client_id)
            self.stream.subscriptions.forget(client.client_id)
            self.cameras.remove(client)
            self._own.pop(client.client_id, None)
            self._looks.forget(client.client_id)
            self._update_watched()

    def _update_watched(self) -> None:
        is_watched = bool(self.server.get_clients())
        # A robot goes on, and its ghosts with it, while nobody looks.
        self.loop.set_watched(is_watched or self.commands.has_twins)
        self.stream.set_watched(is_watched)

    def _read(self, client_id: int, reads: Reads) -> None:
        """Send a page what it has chosen to read, and set its own camera."""
        chosen = self.stream.subscriptions
        if reads.closed or reads.signals is not None:
            chosen.choose_signals(client_id, None if reads.closed else tuple(reads.signals or ()))
        if reads.cameras is not None:
            chosen.choose_cameras(client_id, tuple(reads.cameras))
        if reads.camera is not None and (own := self._own.get(client_id)):
            own.set_camera(reads.camera)
        if reads.eye is not None:
            self.cameras.set_eye(client_id, reads.eye)

    def _open_scene(self, client_id: int, wish: SceneWish) -> None:
        """Show the scene of an address, if its page drives."""
        if client_id != self.lock.driver:
            return
        try:
            check_scene(wish)
        except GrouserError as error:
            self.notify(str(error))
            return
        if wish.choices:
            self.commands.choose(**wish.choices)
        if wish.ghosts is not None:
            self.commands.set_ghosts(tuple(dict.fromkeys(wish.ghosts)))
        if wish.show is not None:
            self.panel.view.choose(wish.show)

    def _edit(self, word: Act) -> None:
        """Run the action of a key of the editor."""
        self.builder.act(word)
        if word == "deselect":
            self.modes.end_clicks()

    def _start_driving(self) -> None:
        """Return from a mode, a replay or the past to driving, by any stick or driving key."""
        self.modes.end_clicks()
        if self.loop.player is not None:
            self.commands.close_recording()
        elif self.loop.past.shown is not None:
            self.commands.pause(False)

    def _act(self, client_id: int, word: str) -> None:
        if word == "camera" and (own := self._own.get(client_id)):
            own.next_camera()
        elif word == "take":
            self.lock.give_to(client_id)
        elif word == "end":
            if client_id == self.lock.driver:
                self.modes.end()
        elif client_id == self.lock.driver or (self.commands.is_read_only and word == "pause"):
            self.commands.act(word)  # every page may stop the motors of a board


def choose_token(host: str, token: str | None) -> str | None:
    """Return the token of a page: the given one, or a random one; None if it is to have none."""
    if token is None:
        return secrets.token_urlsafe(16)
    if not token and not is_loopback(host):
        raise InvalidValue("host of a page without a token", host, "be a loopback one: 127.0.0.1")
    return token or None


def check_address(host: str, port: int) -> None:
    """Raise an error if the address cannot be listened on."""
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
