"""The door of the page: who is let in, and where each request goes.

viser serves its page and its socket itself. The door stands before it on the same port: it
refuses strangers, hands out the page with the keys' script in it, and opens a second socket for
the keys, because viser knows no key that is let go.
"""

import hmac
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.cookies import SimpleCookie
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qs, urlsplit

import websockets.asyncio.server as sockets
from websockets.asyncio.server import ServerConnection
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

KEYS = "/keys"
"""Path of the socket that tells what is held."""
COOKIE = "grouser_token"
"""Name of the cookie that remembers the token."""
REFUSAL = "This page needs the token that `grouser drive` printed: open the address as printed.\n"
STRANGER = "This page answers only to itself, not to other sites or names.\n"

Handler = Callable[[ServerConnection], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """Lets in whoever may come."""

    page: bytes
    """The page."""
    keys: Handler
    """Answers the socket of the keys."""
    token: str | None = field(default=None, repr=False)
    """What a request must carry; None on a machine's own loopback."""

    def check(self, request: Request) -> Response | None:
        """Return the answer to a stranger; None lets the request in."""
        if not self._is_at_home(request):
            return _answer(HTTPStatus.FORBIDDEN, STRANGER.encode(), "text/plain")
        if self.token is not None and not _carries(request, self.token):
            return _answer(HTTPStatus.FORBIDDEN, REFUSAL.encode(), "text/plain")
        return None

    def answer(self, request: Request) -> Response | None:
        """Return the page if it is asked for; None leaves the request to viser."""
        if _is_socket(request) or urlsplit(request.path).path not in ("/", "/index.html"):
            return None
        response = _answer(HTTPStatus.OK, self.page, "text/html")
        if self.token is not None:
            cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
            response.headers["Set-Cookie"] = cookie
        return response

    def _is_at_home(self, request: Request) -> bool:
        """Whether the request comes from this page and not from another site in the browser."""
        host = request.headers.get("Host", "")
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return False
        # Without a token a name is not enough: a foreign name may point to this machine.
        return self.token is not None or is_loopback(urlsplit(f"//{host}").hostname or "")


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

        async def route(connection: ServerConnection) -> None:
            request = connection.request
            is_keys = request is not None and urlsplit(request.path).path == KEYS
            await (door.keys if is_keys else handler)(connection)

        return opened(route, *places, process_request=admit, **options)

    sockets.serve = serve  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        sockets.serve = opened


def _is_socket(request: Request) -> bool:
    return request.headers.get("Upgrade", "").lower() == "websocket"


def _carries(request: Request, token: str) -> bool:
    cookie = SimpleCookie(request.headers.get("Cookie", "")).get(COOKIE)
    words = parse_qs(urlsplit(request.path).query).get("token", [])
    shown = [*words, *([cookie.value] if cookie else [])]
    return any(hmac.compare_digest(word.encode(), token.encode()) for word in shown)


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
