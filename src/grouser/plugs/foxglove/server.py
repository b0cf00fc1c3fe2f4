"""A websocket server for Foxglove, with physics in a process of its own.

One thread serves: it receives frames, sends messages, and does what clients want between two
frames. The SDK calls the listener from threads of its own. A client that is too slow loses the
oldest messages; a server that is too slow loses frames; neither slows the physics.
"""

import contextlib
import logging
import math
import socket
import time
from collections import deque
from pathlib import Path
from typing import Any

import foxglove
from foxglove import Context, Parameter, StatusLevel
from foxglove.websocket import (
    Capability,
    ChannelView,
    Client,
    ClientChannel,
    ServerListener,
    WebSocketServer,
)

from grouser.errors import GrouserError, InvalidValue
from grouser.live import Frame, Options, PhysicsProcess
from grouser.notices import tell_terminal
from grouser.plugs.foxglove.commands import Inbox, check_topic
from grouser.plugs.foxglove.controls import Controls, Requests, make_services
from grouser.plugs.foxglove.publisher import Publisher
from grouser.plugs.foxglove.recording import Recording
from grouser.scenario import Scenario

PORT = 8765
"""Port that Foxglove connects to unless another is given."""
LOOPBACK = "127.0.0.1"
"""Address that no other machine reaches."""
WAIT = 0.02
"""Longest sleep while no frame comes [s]."""
BACKLOG = 1024
"""Messages that wait for a client unless another number is given. As many of those wait that must
not be lost, the current time among them: the SDK disconnects a client that reads none for BACKLOG x
CLOCK, some 40 s."""
SENTENCES, SAYING = 10, 0.2
"""Warnings that wait for the next time that some are shown, and the time between two [s]."""
QUIET = ("foxglove.websocket", "foxglove.log_sink_set")
"""Loggers of the SDK that would fill the terminal: a line for each client that goes away, and for
each message that a full disk cannot take. `Recording.problem` says the latter once."""
PROBLEM = "grouser-problem"
"""Name of the status that says why the physics was stopped."""
CLOCK = 0.04
"""Time between two messages of the current time [s]."""
CAPABILITIES = [
    Capability.ClientPublish, Capability.Parameters, Capability.Services, Capability.Time,
]  # fmt: skip


class FoxgloveServer:
    """A live simulation that Foxglove shows and drives; a context manager that closes it."""

    def __init__(
        self,
        scenario: Scenario,
        options: Options | None = None,
        *,
        host: str = LOOPBACK,
        port: int = PORT,
        record: str | Path | None = None,
        backlog: int = BACKLOG,
    ) -> None:
        """Start physics and server.

        Args:
            scenario: What is simulated; its driver drives until the first command comes.
            options: How it runs.
            host: Address to listen on.
            port: Port to listen on; a free one if 0.
            record: MCAP file for all messages; it is complete when the server is closed.
            backlog: Messages that wait for a client; one that is slower loses the oldest.

        Raises:
            GrouserError: The port is taken, or the scenario cannot be loaded.
        """
        check_address(host, port)
        for name in QUIET:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        options = options or Options()
        self._sentences: deque[str] = deque(maxlen=SENTENCES)
        self._requests, self._context = Requests(), Context()
        self._parts = contextlib.ExitStack()
        try:
            self.physics = self._parts.enter_context(PhysicsProcess(scenario, options))
            """The simulation."""
            self.publisher = Publisher(self.physics.started, self._context, time.time_ns())
            """All topics."""
            self.inbox = Inbox(self.physics, self.physics.started.tick, self._sentences.append)
            """Commands of clients."""
            self.controls = Controls(self.physics, options.factor, _describe(scenario, options))
            """What clients can change."""
            self._listener = _Listener(self)
            self.recording = None if record is None else Recording(record, self._context)
            """The recording, if there is one."""
            if self.recording is not None:
                self._parts.callback(self.recording.close)
            self._server = self._listen(host, port, backlog)
        except BaseException:
            self._parts.close()
            raise
        self._reported_at = self._told_at = self._said_at = -math.inf
        self._problem = ""
        self._before = time.monotonic(), self.publisher.time.now

    @property
    def port(self) -> int:
        """Port on which it listens."""
        return self._server.port

    @property
    def rejected(self) -> int:
        """Commands of clients that were not valid, up to about a second ago."""
        return self.physics.counts.rejected + self.inbox.rejected

    def serve(self, timeout: float = math.inf) -> None:
        """Serve until an interrupt, or for so long [s].

        Raises:
            GrouserError: The physics process has ended.
        """
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            self.serve_once()

    def serve_once(self) -> None:
        """Wait for a frame, send it, and do what clients want."""
        frame = self.physics.receive(WAIT)
        self._requests.serve()
        self.inbox.flush()
        now = time.monotonic()
        if frame is not None:
            self._tell(frame)
            self.controls.is_paused = frame.is_paused
            self.publisher.publish(frame, self.controls.factor)
            if now - self._told_at >= CLOCK:
                self._told_at = now
                self._server.broadcast_time(self.publisher.time.now)
        self._sentences.extend(self.physics.warnings())
        if self._sentences and now - self._said_at >= SAYING:
            self._said_at = now
            self._warn()
        if now - self._reported_at >= 1.0:
            self._reported_at = now
            self._report(now, self.publisher.time.now)

    def close(self) -> None:
        """Close connections and the recording, and end the simulation."""
        self._requests.close()
        self._parts.close()

    def __enter__(self) -> "FoxgloveServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, name: str, value: Any = None) -> None:
        """Do what a service does; any other thread than the one that serves may call."""
        self._requests.call(lambda: self._change(self.controls.do, name, value))

    def set(self, name: str, value: Any) -> None:
        """Set a parameter; any other thread than the one that serves may call."""
        self._requests.call(lambda: self._change(self.controls.set, name, value))

    def say(self, sentence: str) -> None:
        """Show a warning to clients; any thread may."""
        self._sentences.append(sentence)

    def _change(self, do: Any, name: str, value: Any) -> None:
        do(name, value)
        self._server.publish_parameter_values(self.controls.parameters())

    def _listen(self, host: str, port: int, backlog: int) -> WebSocketServer:
        try:
            server = foxglove.start_server(
                name="grouser", host=host, port=port, context=self._context,
                capabilities=CAPABILITIES, server_listener=self._listener,
                supported_encodings=["json"], services=make_services(self.call),
                message_backlog_size=backlog,
            )  # fmt: skip
        except RuntimeError as error:
            raise _taken(host, port, str(error).rpartition(": ")[2]) from None
        self._parts.callback(server.stop)
        return server

    def _warn(self) -> None:
        """Show the warnings that wait; clients keep the newest, in place of the one before."""
        sentence = ""
        while self._sentences:
            sentence = self._sentences.popleft()
            self.publisher.warn(sentence)
        self._server.publish_status(sentence, StatusLevel.Warning, "grouser")

    def _tell(self, frame: Frame) -> None:
        """Show that the physics was stopped by a problem, or goes on again."""
        if frame.problem == self._problem:
            return
        self._problem = frame.problem
        if self._problem:
            sentence = f"{self._problem}; call /reset to continue"
            tell_terminal(sentence)
            self.publisher.warn(sentence)
            self._server.publish_status(sentence, StatusLevel.Error, PROBLEM)
        else:
            self._server.remove_status([PROBLEM])

    def _report(self, now: float, simulated: int) -> None:
        counts, (then, passed) = self.physics.counts, self._before
        self._before = now, simulated
        self.publisher.diagnose({
            "ticks": counts.periods, "late_ticks": counts.missed, "lost_frames": counts.lost,
            "rejected_commands": self.rejected, "replaced_commands": self.inbox.replaced,
            "command_timeouts": counts.timeouts,
            "real_time_factor": 1e-9 * (simulated - passed) / max(now - then, 1e-9),
            "physics_cpu": counts.cpu_time, "server_cpu": time.process_time(),
            "clients": len(self._listener.clients),
        })  # fmt: skip
        if self.recording is not None and not self.recording.problem:
            self.recording.flush()
            if self.recording.problem:
                self.say(self.recording.problem)


class _Listener(ServerListener):
    """What clients do; called by threads of the SDK."""

    def __init__(self, server: FoxgloveServer) -> None:
        self._server = server
        self._topics: dict[tuple[int, int], str] = {}
        self.clients: dict[int, int] = {}

    def on_subscribe(self, client: Client, channel: ChannelView) -> None:
        self.clients[client.id] = self.clients.get(client.id, 0) + 1
        self._server.publisher.want(channel.topic)

    def on_unsubscribe(self, client: Client, channel: ChannelView) -> None:
        left = self.clients.get(client.id, 0) - 1
        if left > 0:
            self.clients[client.id] = left
        else:
            self.clients.pop(client.id, None)

    def on_client_advertise(self, client: Client, channel: ClientChannel) -> None:
        try:
            topic = check_topic(channel.topic, channel.encoding)
        except GrouserError as error:
            self._server.say(str(error))
            return
        self._topics[client.id, channel.id] = topic

    def on_client_unadvertise(self, client: Client, client_channel_id: int) -> None:
        self._topics.pop((client.id, client_channel_id), None)

    def on_message_data(self, client: Client, client_channel_id: int, data: bytes) -> None:
        topic = self._topics.get((client.id, client_channel_id))
        if topic is not None:
            self._server.inbox.put(topic, data)

    def on_get_parameters(
        self, client: Client, param_names: list[str], request_id: str | None = None
    ) -> list[Parameter]:
        every = self._server.controls.parameters()
        return [one for one in every if one.name in param_names] if param_names else every

    def on_set_parameters(
        self, client: Client, parameters: list[Parameter], request_id: str | None = None
    ) -> list[Parameter]:
        for parameter in parameters:
            try:
                self._server.set(parameter.name, parameter.get_value())
            except GrouserError as error:
                self._server.say(str(error))
        names = [parameter.name for parameter in parameters]
        return self.on_get_parameters(client, names, request_id)


def check_address(host: str, port: int) -> None:
    """Do nothing if a server can listen there; a free port is found for port 0.

    Raises:
        InvalidValue: The port is taken, or the address is not one of this machine.
    """
    if not 0 <= port <= 65_535:
        raise InvalidValue("port", port, "be from 0 to 65535")
    try:
        family, kind, number, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, number) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
            trial.listen(1)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a name of a machine"
        raise _taken(host, port, str(reason)) from None


def _taken(host: str, port: int, reason: str) -> InvalidValue:
    required = f"be an address and a port to listen on ({reason}); --port gives another port"
    return InvalidValue("server", f"{host}:{port}", required)


def _describe(scenario: Scenario, options: Options) -> dict[str, Any]:
    """Return what clients can read about a simulation."""
    parts = {kind: getattr(scenario, kind).name for kind in ("robot", "course", "model", "driver")}
    return {**parts, "command_timeout_s": options.timeout}
