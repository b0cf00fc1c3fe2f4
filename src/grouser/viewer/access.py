"""Access to the page: token, origin, query and routing of requests.

viser opens the port. `AccessGate` answers every request on it: it rejects requests without
permission, serves viser's page with our script in it and nothing else, and routes `/keys` to a
second web socket, because viser does not report key releases. Messages on viser's own socket pass
a `MessageFilter`. A token is only ever in the address: cookies would be sent along by links of
other sites, and to every other port of this machine.
"""

import functools
import hmac
import logging
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl

import rich
import viser
import websockets.asyncio.server as sockets
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from grouser.limits import NAME_LENGTH, PAGE_MESSAGE_BYTES, PAGE_OPENING
from grouser.viewer.messages import Connections, FilteredConnection, MessageFilter
from grouser.viewer.page import Page

BUILD = "/build"
"""Path of the web socket for keys of the editor and for files that are dropped."""
KEYS = "/keys"
"""Path of the web socket for keys, pad and gamepad."""
ROOT = "/"
"""Path of the page and of viser's web socket."""
QUERY_KEYS = (
    "token", "robot", "course", "soil", "model", "ghosts", "show", "camera", "eye", "charts",
    "dock", "cameras", "look", "plain", "dev", "fixedDpr",
)  # fmt: skip
"""Keys that the query of an address may have. viser's client acts on others, such as `websocket`
and `playbackPath`, by which it reads from another server; `fixedDpr`, its pixel ratio, is
harmless, and `dev` means nothing to it: with it our page shows viser's settings."""
PROTOCOL = f"viser-v{viser.__version__}"
"""Subprotocol with which viser's page opens its web socket."""
NO_TOKEN = "This page needs the token that its command printed: open the address as printed.\n"
WRONG_ORIGIN = "Requests from other sites or host names are rejected.\n"
LED_HERE = "Another site led here: open the address yourself, as it was printed.\n"
NOTHING = "There is nothing at this path: the page is at /.\n"
UNKNOWN_KEY = "The address must not have the key {key!a}: remove it; its keys may be {keys}.\n"
UNCLEAR_KEY = "The address must have the key {key} once, without & and # in its value.\n"
FULL = "The largest number of open pages is reached: close one.\n"
MALFORMED = "This page does not send such requests.\n"
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(:[0-9]{1,5})?")
_ONCE = (
    "Host", "Origin", "Upgrade", "Sec-WebSocket-Protocol",
    "Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest",
)  # fmt: skip
_QUERY_FIELDS = 20  # at most, in the query of an address

Handler = Callable[[ServerConnection], Awaitable[None]]
LOGGER = logging.getLogger("grouser.viewer.access")
"""Drops messages about incomplete and malformed requests."""
LOGGER.addFilter(lambda record: record.getMessage() != "opening handshake failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessGate:
    """Decides which requests are served, and serves the page."""

    page: Page
    """The page's document."""
    keys: Callable[[FilteredConnection], Awaitable[None]]
    """Serves the web socket for keys."""
    build: Callable[[FilteredConnection], Awaitable[None]] | None = None
    """Serves the web socket of the editor; None if there is no editor."""
    token: str | None = field(default=None, repr=False)
    """Token that a request must contain; None if none is needed."""
    messages: MessageFilter = field(default_factory=MessageFilter)
    """Checks messages on viser's web socket."""
    connections: Connections = field(default_factory=Connections)
    """All open connections."""

    def check(self, request: Request) -> Response | None:
        """Return the response that rejects a request; None if the request is allowed."""
        problem = next(self._problems(request), None)
        return None if problem is None else _reject(*problem)

    def _problems(self, request: Request) -> Iterator[tuple[HTTPStatus, str]]:
        """Yield what is wrong with a request; what follows after the first one means nothing."""
        if not _is_readable(request):
            yield HTTPStatus.BAD_REQUEST, MALFORMED
        if not self._is_same_origin(request):
            yield HTTPStatus.FORBIDDEN, WRONG_ORIGIN
        if not self._is_opened_by_person(request):
            yield HTTPStatus.FORBIDDEN, LED_HERE
        if self.token is not None and not _has_token(request, self.token):
            yield HTTPStatus.FORBIDDEN, NO_TOKEN
        if problem := _find_problem(_query(request)):
            yield HTTPStatus.BAD_REQUEST, problem
        if _is_socket(request) and not _is_our_socket(request):
            yield HTTPStatus.BAD_REQUEST, MALFORMED
        if _is_socket(request) and self.connections.is_full:
            yield HTTPStatus.SERVICE_UNAVAILABLE, FULL

    def answer(self, request: Request) -> Response | None:
        """Return the page, or that there is nothing; None if the request is for a web socket."""
        if _is_socket(request):
            return None
        if _path(request) != ROOT:
            return _reject(HTTPStatus.NOT_FOUND, NOTHING)
        return _answer(HTTPStatus.OK, self.page.document, "text/html")

    def protect(self, request: Request, response: Response) -> None:
        """Add the headers that every response has, whoever made it."""
        hosts = request.headers.get_all("Host")
        for name, value in self.page.headers(hosts[0] if len(hosts) == 1 else "").items():
            response.headers.pop(name, None)
            response.headers[name] = value

    def _is_same_origin(self, request: Request) -> bool:
        """Whether the request comes from this page and not from another site in the browser."""
        host = request.headers.get("Host", "")
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != host:
            return False
        # Without a token only loopback names are allowed: DNS rebinding can point any name here.
        named = _HOST.fullmatch(host)
        return named is not None and (self.token is not None or is_loopback(named[1].strip("[]")))

    def _is_opened_by_person(self, request: Request) -> bool:
        """Whether no other site is behind the request, unless it knows the token.

        A link with the token may be sent by mail or chat. It opens a page, and no frame.
        """
        # Browsers tell it to loopback addresses only; elsewhere there is always a token.
        if request.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin"):
            return True
        kind = tuple(request.headers.get(f"Sec-Fetch-{name}") for name in ("Mode", "Dest"))
        return self.token is not None and kind == ("navigate", "document")


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is a loopback one."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def installed_gate(gate: AccessGate) -> Iterator[None]:
    """Install a gate in front of every server that is started inside this context.

    viser has no hook for it, so the function by which viser opens its port is replaced meanwhile.
    """
    original = sockets.serve

    def serve(handler: Handler, *places: Any, **options: Any) -> Any:
        def admit(_: ServerConnection, request: Request) -> Response | None:
            return gate.check(request) or gate.answer(request)

        def protect(_: ServerConnection, request: Request, response: Response) -> None:
            gate.protect(request, response)

        async def route(connection: FilteredConnection) -> None:
            request = connection.request
            if request is not None and _path(request) == KEYS:
                await gate.keys(connection)
            elif request is not None and _path(request) == BUILD:
                if gate.build is not None:
                    await gate.build(connection)
            else:
                connection.filter = gate.messages.new_filter()
                await handler(connection)

        limits: dict[str, Any] = {
            "create_connection": functools.partial(FilteredConnection, gate.connections),
            "process_request": admit,  # instead of viser's, which serves files
            "process_response": protect,
            "server_header": None,
            "max_size": PAGE_MESSAGE_BYTES,
            "open_timeout": PAGE_OPENING,
            "logger": LOGGER,
        }
        return original(route, *places, **(options | limits))  # pyright: ignore[reportArgumentType]

    sockets.serve = serve  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        sockets.serve = original


@contextmanager
def no_access() -> Iterator[None]:
    """Reject all requests to servers that are started inside this context.

    viser builds scenes only on a server, also where nobody is to connect to it.
    """

    async def answer_nothing(_: ServerConnection) -> None:
        pass

    with installed_gate(
        AccessGate(page=Page(b""), keys=answer_nothing, token=secrets.token_urlsafe(16))
    ):
        yield


@contextmanager
def silence_viser() -> Iterator[None]:
    """Suppress viser's messages on the terminal."""
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def _is_readable(request: Request) -> bool:
    """Whether headers and query are well-formed, as browsers send them."""
    if any(len(request.headers.get_all(name)) > 1 for name in _ONCE):
        return False
    try:
        _query(request)
    except ValueError:
        return False
    return True


def _is_our_socket(request: Request) -> bool:
    """Whether the page's scripts open such a web socket."""
    if _path(request) in (KEYS, BUILD):
        return True
    offered = request.headers.get("Sec-WebSocket-Protocol", "").split(",")
    return _path(request) == ROOT and [word.strip() for word in offered] == [PROTOCOL]


def _path(request: Request) -> str:
    return request.path.partition("?")[0]


def _query(request: Request) -> list[tuple[str, str]]:
    """Return keys and values as a browser reads them, also empty ones."""
    query = request.path.partition("?")[2]
    return parse_qsl(query, keep_blank_values=True, max_num_fields=_QUERY_FIELDS)


def _find_problem(query: list[tuple[str, str]]) -> str | None:
    """Return what is wrong with a query, in a sentence; None if it may be served."""
    keys = [key for key, _ in query]
    for key, value in query:
        if key not in QUERY_KEYS:
            return UNKNOWN_KEY.format(key=key[:NAME_LENGTH], keys=", ".join(QUERY_KEYS))
        # viser writes the query anew without encoding, so that a value could become a key.
        if keys.count(key) > 1 or "&" in value or "#" in value:
            return UNCLEAR_KEY.format(key=key)
    return None


def _is_socket(request: Request) -> bool:
    return request.headers.get("Upgrade", "").lower() == "websocket"


def _has_token(request: Request, token: str) -> bool:
    # Addresses may hold any bytes; those that are not UTF-8 are decoded as surrogates.
    shown = [
        value.encode(errors="surrogateescape") for key, value in _query(request) if key == "token"
    ]
    return any(hmac.compare_digest(word, token.encode()) for word in shown)


def _reject(status: HTTPStatus, reason: str) -> Response:
    return _answer(status, reason.encode(), "text/plain")


def _answer(status: HTTPStatus, body: bytes, kind: str) -> Response:
    headers = Headers({"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body))})
    return Response(status.value, status.phrase, headers, body)
