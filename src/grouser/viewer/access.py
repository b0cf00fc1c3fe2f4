"""Access to the page: token, origin and routing of requests.

viser serves its page and its web socket itself. `AccessGate` handles every request on the same
port first: it rejects requests without permission, serves viser's page with our script in it, and
routes `/keys` to a second web socket, because viser does not report key releases. Messages on
viser's own socket pass a `MessageFilter`.
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
from urllib.parse import parse_qs

import rich
import viser
import websockets.asyncio.server as sockets
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from grouser.limits import PAGE_MESSAGE_BYTES, PAGE_OPENING
from grouser.viewer.messages import Connections, FilteredConnection, MessageFilter

BUILD = "/build"
"""Path of the web socket for keys of the editor and for files that are dropped."""
KEYS = "/keys"
"""Path of the web socket for keys, pad and gamepad."""
PAGES = ("/", "/index.html")
"""Paths of the page and of viser's web socket."""
PROTOCOL = f"viser-v{viser.__version__}"
"""Subprotocol with which viser's page opens its web socket."""
COOKIE = "grouser_token"
"""Prefix of the name of the cookie that holds the token. The port follows, because browsers send
cookies to all ports of a host."""
NO_TOKEN = "This page needs the token that `grouser drive` printed: open the address as printed.\n"
WRONG_ORIGIN = "Requests from other sites or host names are rejected.\n"
FULL = "The largest number of open pages is reached: close one.\n"
MALFORMED = "This page does not send such requests.\n"
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(:[0-9]{1,5})?")
_ONCE = ("Host", "Origin", "Cookie", "Upgrade", "Sec-WebSocket-Protocol", "Accept-Encoding")
_QUERY_FIELDS = 20  # at most, in the query of an address

Handler = Callable[[ServerConnection], Awaitable[None]]
LOGGER = logging.getLogger("grouser.viewer.access")
"""Drops messages about incomplete and malformed requests."""
LOGGER.addFilter(lambda record: record.getMessage() != "opening handshake failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessGate:
    """Decides which requests are served, and serves the page."""

    page: bytes
    """The page's HTML document."""
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
        if not _is_readable(request):
            return _reject(HTTPStatus.BAD_REQUEST, MALFORMED)
        if not self._is_same_origin(request):
            return _reject(HTTPStatus.FORBIDDEN, WRONG_ORIGIN)
        if self.token is not None and not _has_token(request, self.token):
            return _reject(HTTPStatus.FORBIDDEN, NO_TOKEN)
        if _is_socket(request) and not _is_our_socket(request):
            return _reject(HTTPStatus.BAD_REQUEST, MALFORMED)
        if _is_socket(request) and self.connections.is_full:
            return _reject(HTTPStatus.SERVICE_UNAVAILABLE, FULL)
        return None

    def answer(self, request: Request) -> Response | None:
        """Return the page if the request is for it; None if viser serves the request."""
        if _is_socket(request) or _path(request) not in PAGES:
            return None
        response = _answer(HTTPStatus.OK, self.page, "text/html")
        if self.token is not None:
            cookie = f"{_cookie(request)}={self.token}; HttpOnly; SameSite=Strict; Path=/"
            response.headers["Set-Cookie"] = cookie
        return response

    def _is_same_origin(self, request: Request) -> bool:
        """Whether the request comes from this page and not from another site in the browser."""
        host = request.headers.get("Host", "")
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != host:
            return False
        # Without a token only loopback names are allowed: DNS rebinding can point any name here.
        named = _HOST.fullmatch(host)
        return named is not None and (self.token is not None or is_loopback(named[1].strip("[]")))


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

    def serve(handler: Handler, *places: Any, process_request: Any, **options: Any) -> Any:
        def admit(connection: ServerConnection, request: Request) -> Response | None:
            response = gate.check(request) or gate.answer(request)
            return response or process_request(connection, request)

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
            "max_size": PAGE_MESSAGE_BYTES,
            "open_timeout": PAGE_OPENING,
            "logger": LOGGER,
        }
        return original(route, *places, process_request=admit, **(options | limits))  # pyright: ignore[reportArgumentType]

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

    with installed_gate(AccessGate(page=b"", keys=answer_nothing, token=secrets.token_urlsafe(16))):
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
    return _path(request) in PAGES and [word.strip() for word in offered] == [PROTOCOL]


def _path(request: Request) -> str:
    return request.path.partition("?")[0]


def _query(request: Request) -> dict[str, list[str]]:
    return parse_qs(request.path.partition("?")[2], max_num_fields=_QUERY_FIELDS)


def _is_socket(request: Request) -> bool:
    return request.headers.get("Upgrade", "").lower() == "websocket"


def _cookie(request: Request) -> str:
    named = _HOST.fullmatch(request.headers.get("Host", ""))
    return f"{COOKIE}_{(named[2] if named else None) or ':80'}".replace(":", "")


def _has_token(request: Request, token: str) -> bool:
    crumbs = (crumb.strip().split("=", 1) for crumb in request.headers.get("Cookie", "").split(";"))
    kept = [value for name, *values in crumbs if name == _cookie(request) for value in values]
    shown = [*_query(request).get("token", []), *kept]
    # Headers may hold any bytes; those that are not UTF-8 are decoded as surrogates.
    words = (word.encode(errors="surrogateescape") for word in shown)
    return any(hmac.compare_digest(word, token.encode()) for word in words)


def _reject(status: HTTPStatus, reason: str) -> Response:
    return _answer(status, reason.encode(), "text/plain")


def _answer(status: HTTPStatus, body: bytes, kind: str) -> Response:
    headers = Headers(
        {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Frame-Options": "DENY",
        }
    )
    return Response(status.value, status.phrase, headers, body)
