"""Access to the page: token and origin.

viser serves its page and its socket itself. The door stands before it on the same port: it
refuses strangers, hands out the page with the keys' script in it, and opens a second socket for
the keys, because viser knows no key that is let go. What comes over viser's socket passes a gate.
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

import viser
import websockets.asyncio.server as sockets
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from grouser.limits import PAGE_MESSAGE_BYTES, PAGE_OPENING
from grouser.viewer.gate import Crowd, Gate, Guarded

KEYS = "/keys"
"""Path of the socket that tells what is held."""
PAGES = ("/", "/index.html")
"""Paths of the page, and of viser's socket."""
PROTOCOL = f"viser-v{viser.__version__}"
"""What viser's page says when it opens its socket."""
COOKIE = "grouser_token"
"""How the name begins of the cookie that remembers the token; the port follows, as browsers give
cookies of one port to all others of the same host."""
REFUSAL = "This page needs the token that `grouser drive` printed: open the address as printed.\n"
STRANGER = "This page answers only to itself, not to other sites or names.\n"
FULL = "As many pages are open as there may be: close one.\n"
NONSENSE = "This is not a request of this page.\n"
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(:[0-9]{1,5})?")
_ONCE = ("Host", "Origin", "Cookie", "Upgrade", "Sec-WebSocket-Protocol", "Accept-Encoding")
_WORDS = 20  # of the query of an address

Handler = Callable[[ServerConnection], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Lets in whoever may come."""

    page: bytes
    """The page."""
    keys: Callable[[Guarded], Awaitable[None]]
    """Answers the socket of the keys."""
    token: str | None = field(default=None, repr=False)
    """What a request must carry; None on a machine's own loopback."""
    gate: Gate = field(default_factory=Gate)
    """Checks what comes over viser's socket."""
    crowd: Crowd = field(default_factory=Crowd)
    """Everybody who is connected."""

    def check(self, request: Request) -> Response | None:
        """Return the answer to a stranger; None lets the request in."""
        if not _is_readable(request):
            return _answer(HTTPStatus.BAD_REQUEST, NONSENSE.encode(), "text/plain")
        if not self._is_at_home(request):
            return _answer(HTTPStatus.FORBIDDEN, STRANGER.encode(), "text/plain")
        if self.token is not None and not _carries(request, self.token):
            return _answer(HTTPStatus.FORBIDDEN, REFUSAL.encode(), "text/plain")
        if _is_socket(request) and not _is_our_socket(request):
            return _answer(HTTPStatus.BAD_REQUEST, NONSENSE.encode(), "text/plain")
        if _is_socket(request) and self.crowd.is_full:
            return _answer(HTTPStatus.SERVICE_UNAVAILABLE, FULL.encode(), "text/plain")
        return None

    def answer(self, request: Request) -> Response | None:
        """Return the page if it is asked for; None leaves the request to viser."""
        if _is_socket(request) or _path(request) not in PAGES:
            return None
        response = _answer(HTTPStatus.OK, self.page, "text/html")
        if self.token is not None:
            cookie = f"{_cookie(request)}={self.token}; HttpOnly; SameSite=Strict; Path=/"
            response.headers["Set-Cookie"] = cookie
        return response

    def _is_at_home(self, request: Request) -> bool:
        """Whether the request comes from this page and not from another site in the browser."""
        host = request.headers.get("Host", "")
        origin = request.headers.get("Origin")
        if origin is not None and origin.partition("://")[2] != host:
            return False
        # Without a token a name is not enough: a foreign name may point to this machine.
        named = _HOST.fullmatch(host)
        return named is not None and (self.token is not None or is_loopback(named[1].strip("[]")))


def is_loopback(host: str) -> bool:
    """Return whether a name or address is this machine's own."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def standing(door: Door) -> Iterator[None]:
    """Put the door before every server that is opened meanwhile.

    viser offers no place for it, so the function that opens its port is replaced while it does.
    """
    opened = sockets.serve

    def serve(handler: Handler, *places: Any, process_request: Any, **options: Any) -> Any:
        def admit(connection: ServerConnection, request: Request) -> Response | None:
            refused = door.check(request) or door.answer(request)
            return refused or process_request(connection, request)

        async def route(connection: Guarded) -> None:
            request = connection.request
            if request is not None and _path(request) == KEYS:
                await door.keys(connection)
            else:
                connection.screen = door.gate.screen()
                await handler(connection)

        limits: dict[str, Any] = {
            "create_connection": functools.partial(Guarded, door.crowd),
            "max_size": PAGE_MESSAGE_BYTES,
            "open_timeout": PAGE_OPENING,
            "logger": _logger(),
        }
        return opened(route, *places, process_request=admit, **(options | limits))  # pyright: ignore[reportArgumentType]

    sockets.serve = serve  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        sockets.serve = opened


@contextmanager
def closed() -> Iterator[None]:
    """Let nobody in to any server that is opened meanwhile: viser makes scenes only for one."""

    async def answer_nothing(_: ServerConnection) -> None:
        pass

    with standing(Door(page=b"", keys=answer_nothing, token=secrets.token_urlsafe(16))):
        yield


def _logger() -> logging.Logger:
    """Return a logger without what strangers cause: half requests, and requests that are none."""
    logger = logging.getLogger("grouser.viewer.access")
    logger.addFilter(_is_ours)
    return logger


def _is_ours(record: logging.LogRecord) -> bool:
    return record.getMessage() != "opening handshake failed"


def _is_readable(request: Request) -> bool:
    """Whether a request is one that a browser can make."""
    if any(len(request.headers.get_all(name)) > 1 for name in _ONCE):
        return False
    try:
        _words(request)
    except ValueError:
        return False
    return True


def _is_our_socket(request: Request) -> bool:
    """Whether a socket is one that the scripts of our page open."""
    if _path(request) == KEYS:
        return True
    offered = request.headers.get("Sec-WebSocket-Protocol", "").split(",")
    return _path(request) in PAGES and [word.strip() for word in offered] == [PROTOCOL]


def _path(request: Request) -> str:
    return request.path.partition("?")[0]


def _words(request: Request) -> dict[str, list[str]]:
    return parse_qs(request.path.partition("?")[2], max_num_fields=_WORDS)


def _is_socket(request: Request) -> bool:
    return request.headers.get("Upgrade", "").lower() == "websocket"


def _cookie(request: Request) -> str:
    named = _HOST.fullmatch(request.headers.get("Host", ""))
    return f"{COOKIE}_{(named[2] if named else None) or ':80'}".replace(":", "")


def _carries(request: Request, token: str) -> bool:
    crumbs = (crumb.strip().split("=", 1) for crumb in request.headers.get("Cookie", "").split(";"))
    kept = [value for name, *values in crumbs if name == _cookie(request) for value in values]
    shown = [*_words(request).get("token", []), *kept]
    # Heads are bytes of any kind, which surrogates stand for where they are no text.
    words = (word.encode(errors="surrogateescape") for word in shown)
    return any(hmac.compare_digest(word, token.encode()) for word in words)


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
