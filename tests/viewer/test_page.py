"""The page's document and its policy."""

import base64
import hashlib
import re
from importlib.resources import files

import pytest

from grouser.errors import GrouserError
from grouser.viewer.page import Page, make_page, unpack_script


def test_the_page_is_visers_with_our_script_before_its_own():
    page = make_page().document.decode()
    assert page.count("<title>") == 1
    assert "<title>grouser</title>" in page
    assert page.index("window.grouser") < page.index("data-p=")


def test_the_policy_permits_each_script_of_the_page_by_its_hash_and_no_other():
    page = make_page()
    viser = (files("viser") / "client" / "build" / "index.html").read_text("utf-8")
    inline = re.findall(r"<script[^>]*>(.*?)</script>", page.document.decode(), re.DOTALL)
    late = unpack_script(viser)
    assert len(inline) == 2
    assert b"RunJavascriptMessage" in late
    texts = [*(text.encode() for text in inline), late]
    hashes = [base64.b64encode(hashlib.sha256(text).digest()).decode() for text in texts]
    policy = page.headers("127.0.0.1:8080")["Content-Security-Policy"]
    (scripts,) = re.findall(r"script-src ([^;]*);", policy)
    assert scripts.split() == ["'wasm-unsafe-eval'", *(f"'sha256-{one}'" for one in hashes)]
    assert "'unsafe-eval'" not in policy


@pytest.mark.parametrize(
    ("host", "sockets"),
    [
        ("127.0.0.1:8080", "'self' ws://127.0.0.1:8080 wss://127.0.0.1:8080 blob: data:"),
        ("robot.local", "'self' ws://robot.local wss://robot.local blob: data:"),
        ("[::1]:8080", "'self' blob: data:"),
        ("a; script-src *", "'self' blob: data:"),
        ("", "'self' blob: data:"),
    ],
)
def test_the_policy_permits_connections_to_where_the_page_came_from(host, sockets):
    policy = Page(b"").headers(host)["Content-Security-Policy"]
    assert f"; connect-src {sockets};" in policy
    assert policy.count("script-src") == 1
    assert "*" not in policy


def test_a_client_that_is_packed_in_another_way_is_refused_in_a_sentence():
    with pytest.raises(GrouserError, match=r"not packed as expected: install viser 1\.1"):
        unpack_script("<html><script src=viser.js></script></html>")
