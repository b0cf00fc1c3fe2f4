"""Who is let in."""

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from grouser.viewer.access import COOKIE, AccessGate, is_loopback
from grouser.viewer.app import make_page


async def no_keys(connection: object) -> None:
    """Answer nothing."""


def gate(token: str | None = None) -> AccessGate:
    return AccessGate(page=b"the page", keys=no_keys, token=token)


def request(path: str = "/", **headers: str) -> Request:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(path, Headers({"Host": "127.0.0.1:8080"} | named))


def test_on_loopback_the_page_opens_without_a_token():
    assert gate().check(request()) is None
    answer = gate().answer(request())
    assert answer is not None
    assert (answer.status_code, answer.body) == (200, b"the page")


@pytest.mark.parametrize("path", ["/", "/?token=wrong", "/keys", "/keys?token="])
def test_without_the_right_token_nothing_opens(path):
    refused = gate("secret").check(request(path))
    assert refused is not None
    assert refused.status_code == 403
    assert b"secret" not in refused.body


def test_the_token_opens_and_is_remembered_in_a_cookie():
    guarded = gate("secret")
    assert guarded.check(request("/?token=secret")) is None
    answer = guarded.answer(request("/?token=secret"))
    assert answer is not None
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert guarded.check(request("/keys", Cookie=f"{COOKIE}_8080=secret")) is None
    assert guarded.check(request("/keys", Cookie=f"{COOKIE}_8080=guessed")) is not None
    assert guarded.check(request("/keys", Cookie=f"{COOKIE}_8081=secret")) is not None


@pytest.mark.parametrize("token", [None, "secret"])
def test_another_site_in_the_same_browser_is_a_stranger(token):
    headers = {"Origin": "http://evil.example", "Cookie": f"{COOKIE}_8080=secret"}
    assert gate(token).check(request("/keys", **headers)) is not None
    headers["Origin"] = "http://127.0.0.1:8080"
    assert gate(token).check(request("/keys", **headers)) is None


def test_a_foreign_name_that_points_to_this_machine_is_a_stranger():
    assert gate().check(request(Host="evil.example:8080")) is not None
    assert gate().check(request(Host="localhost:8080")) is None
    assert gate().check(request(Host="[::1]:8080")) is None


def test_a_socket_is_left_to_viser():
    assert gate().answer(request("/", Upgrade="websocket")) is None
    assert gate().answer(request("/somewhere")) is None


def test_the_page_must_not_be_framed_nor_tell_its_token():
    answer = gate("secret").answer(request("/?token=secret"))
    assert answer is not None
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_loopback_is_told_from_other_addresses():
    assert all(is_loopback(host) for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "192.0.2.1", "robot", ""))


def test_the_page_is_visers_with_our_script_before_its_own():
    page = make_page().decode()
    assert page.count("<title>") == 1
    assert "<title>grouser</title>" in page
    assert page.index("window.grouser") < page.index("data-p=")
