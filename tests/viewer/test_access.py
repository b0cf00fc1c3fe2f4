"""Who is let in, and what every response carries."""

import re
from collections.abc import Iterator
from http.client import HTTPResponse
from importlib.resources import files

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from grouser.scenario import Scenario
from grouser.viewer.access import PROTOCOL, QUERY_KEYS, AccessGate, is_loopback
from grouser.viewer.app import DriveApp
from grouser.viewer.page import Page, make_page
from tests.viewer.hostile.attacks import raw_socket, upgrade
from tests.viewer.hostile.attacks import request as head

NAVIGATION = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
HOSTILE = (
    "websocket=ws://127.0.0.1:9971", "websocket", "playbackPath=http://evil.example/x.viser",
    "%77ebsocket=ws://evil.example", "robot=absolem&websocket=ws://evil.example",
    "websocket=ws://evil.example;robot=absolem", "Websocket=x", "websocket%00=x", "=x",
    "darkMode", "showStats", "logCamera", "hideViserLogo", "forceOrbitOriginTool=1",
    "dummyWindowDimensions=fill", "dummyWindowTitle=x", "initialCameraPosition=1,2,3",
    "robot=absolem%26websocket=ws://evil.example", "robot=a%23b", "robot=a&robot=b",
)  # fmt: skip
"""Queries on which viser's client acts, or that it could read otherwise than we do."""


async def no_keys(connection: object) -> None:
    """Answer nothing."""


def gate(token: str | None = None) -> AccessGate:
    return AccessGate(page=Page(b"the page"), keys=no_keys, token=token)


def request(path: str = "/", **headers: str) -> Request:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(path, Headers({"Host": "127.0.0.1:8080"} | named))


def status(guarded: AccessGate, asked: Request) -> int:
    """Return the status of what is answered, 101 for a web socket."""
    answer = guarded.check(asked) or guarded.answer(asked)
    return 101 if answer is None else answer.status_code


def test_the_page_is_at_one_path_and_nothing_is_at_others():
    answer = gate().answer(request())
    assert answer is not None
    assert (answer.status_code, answer.body) == (200, b"the page")
    for path in ("/index.html", "//", "/./", "/%2e/", "/favicon.ico", "/index.html/", "/keys"):
        assert status(gate(), request(path)) == 404


@pytest.mark.parametrize("path", ["/", "/?token=wrong", "/keys", "/keys?token="])
def test_without_the_right_token_nothing_opens(path):
    refused = gate("secret").check(request(path))
    assert refused is not None
    assert refused.status_code == 403
    assert b"secret" not in refused.body


def test_the_token_opens_by_the_address_only_and_leaves_no_cookie():
    guarded = gate("secret")
    answer = guarded.answer(request("/?token=secret"))
    assert status(guarded, request("/?token=secret")) == 200
    assert answer is not None
    assert "Set-Cookie" not in answer.headers
    assert status(guarded, request("/", Cookie="token=secret; grouser_token_8080=secret")) == 403


@pytest.mark.parametrize("query", HOSTILE)
@pytest.mark.parametrize("token", [None, "secret"])
def test_a_query_that_visers_client_would_act_on_is_refused_in_a_sentence(query, token):
    known = f"token={token}&" if token else ""
    answer = gate(token).check(request(f"/?{known}{query}"))
    assert answer is not None
    assert answer.status_code == 400
    assert answer.body.startswith(b"The address must ")
    assert answer.body.count(b"\n") == 1
    assert status(gate(token), request(f"/keys?{known}{query}", Upgrade="websocket")) == 400


def test_the_refusal_names_the_key_and_what_would_work():
    answer = gate().check(request("/?%77ebsocket=ws://evil.example"))
    assert answer is not None
    assert b"must not have the key 'websocket': remove it; its keys may be token, " in answer.body


def test_every_key_that_the_page_reads_or_writes_is_served():
    scripts = files("grouser") / "viewer" / "assets"
    text = "".join(
        (scripts / f"{name}.js").read_text() for name in ("door", "page", "address", "look")
    )
    used = set(re.findall(r'(?:given|query|search\))\.(?:get|has|set)\("(\w+)"', text))
    used |= set(re.findall(r'\bset\("(\w+)"', text)) | {"robot", "course", "soil", "model"}
    assert used == set(QUERY_KEYS)
    query = "&".join(f"{key}=x" for key in QUERY_KEYS if key != "token")
    assert status(gate(), request(f"/?{query}")) == 200


@pytest.mark.parametrize("token", [None, "secret"])
def test_another_site_in_the_same_browser_is_a_stranger(token):
    socket = {"Origin": "http://evil.example", "Upgrade": "websocket"}
    assert status(gate(token), request("/keys?token=secret", **socket)) == 403
    socket["Origin"] = "http://127.0.0.1:8080"
    assert status(gate(token), request("/keys?token=secret", **socket)) == 101


@pytest.mark.parametrize("site", ["cross-site", "same-site"])  # another port is the same site
def test_a_link_of_another_site_opens_a_page_only_if_it_knows_the_token_and_never_a_frame(site):
    led = {"Sec-Fetch-Site": site} | NAVIGATION
    assert status(gate(), request(**led)) == 403
    assert status(gate("secret"), request(**led)) == 403
    assert status(gate("secret"), request("/?token=secret", **led)) == 200
    for dest, mode in (("iframe", "navigate"), ("empty", "no-cors"), ("document", "cors")):
        framed = led | {"Sec-Fetch-Dest": dest, "Sec-Fetch-Mode": mode}
        assert status(gate("secret"), request("/?token=secret", **framed)) == 403
    for own in ("none", "same-origin"):
        assert status(gate(), request(**(led | {"Sec-Fetch-Site": own}))) == 200


def test_a_foreign_name_that_points_to_this_machine_is_a_stranger():
    assert gate().check(request(Host="evil.example:8080")) is not None
    assert gate().check(request(Host="localhost:8080")) is None
    assert gate().check(request(Host="[::1]:8080")) is None


def test_loopback_is_told_from_other_addresses():
    assert all(is_loopback(host) for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "192.0.2.1", "robot", ""))


@pytest.fixture(scope="module", params=["", "right"], ids=["no token", "token"])
def page(request, tmp_path_factory) -> Iterator[DriveApp]:
    scenario = Scenario(robot="tp100", course="flat", model="ideal")
    folder = tmp_path_factory.mktemp("drives")
    with DriveApp(scenario, port=0, folder=folder, token=request.param) as opened:
        yield opened


def answer_to(page: DriveApp, asked: bytes) -> HTTPResponse:
    """Return status and headers of what the server answers."""
    with raw_socket(page) as raw:
        raw.sendall(asked)
        answer = HTTPResponse(raw)
        answer.begin()
        return answer


def test_every_response_has_every_header(page):
    query = f"?{page.address.partition('?')[2]}"
    socket = {"Sec-WebSocket-Protocol": PROTOCOL}
    asked = {
        head(page, f"/{query}"): 200,
        head(page, f"/{query}&websocket=ws://evil.example"): 400,
        head(page, "/?token=wrong"): 403 if page.needs_token else 200,
        head(page, f"/{query}", Host="evil.example"): 200 if page.needs_token else 403,
        head(page, f"/{query}", Origin="http://evil.example"): 403,
        head(page, f"/{query}", Host='"; script-src *'): 403,
        head(page, f"/{query}").replace(b"\r\n\r\n", b"\r\nHost: 127.0.0.1\r\n\r\n"): 400,
        head(page, f"/{query}", Upgrade="websocket"): 400,
        upgrade(page, f"/{query}", **socket, **{"Sec-WebSocket-Version": "7"}): 400,
        upgrade(page, f"/{query}", Upgrade="WebSocket", **socket): 101,
        upgrade(page, f"/elsewhere{query}", **socket): 400,
        upgrade(page, f"/keys{query}"): 101,
        upgrade(page, f"/build{query}"): 101,
    }
    for path in ("index.html", "assets/x.js", "favicon.ico", "..%2f", "/", "./", "keys", "build"):
        asked[head(page, f"/{path}{query}", **{"Accept-Encoding": "gzip"})] = 404
    for question, expected in asked.items():
        answer = answer_to(page, question)
        assert answer.status == expected, question
        hosts = re.findall(r"Host: (\S+)", question.decode())
        for name, value in make_page().headers(hosts[0] if len(hosts) == 1 else "").items():
            assert answer.headers.get_all(name) == [value], (question, name)
        assert answer.headers["Set-Cookie"] is answer.headers["Server"] is None
