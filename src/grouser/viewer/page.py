"""The page's document, and what a browser may do with our responses.

viser's client runs what a server sends it: markup, and scripts by `RunJavascriptMessage`. The
policy of every response permits only the scripts of this document, by their hashes, no text that
becomes a script later, and connections only to where the document came from.
"""

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
import viser
import zstandard

from grouser.description import listed_courses
from grouser.errors import GrouserError
from grouser.viewer.scene.lights import SKY_STYLE

TITLE = "grouser"
"""Title of the page."""
STYLES = (
    "page.css", "hud.css", "help.css", "build.css", "charts.css", "panel.css", "phone.css",
    "look.css",
)  # fmt: skip
SCRIPTS = (
    "door.js", "page.js", "modes.js", "panel.js", "hud.js", "help.js", "locks.js", "build.js",
    "chart.js", "chooser.js", "charts.js", "sensors.js", "address.js", "phone.js", "look.js",
)  # fmt: skip
"""Files of the page's styles and scripts, in this order."""
VIEWPORT = "width=device-width, initial-scale=1"
"""What viser's page says of its size; ours adds that it reaches below notches."""
POLICY = (
    "default-src 'none'; script-src {scripts}; connect-src {sockets}; worker-src blob:; "
    "img-src blob: data:; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content security policy. Inline styles are those of viser's controls, which it makes as it goes;
blobs and data are pictures, meshes and the worker that the scripts make themselves."""
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Further headers of every response."""
_HOST = re.compile(r"[A-Za-z0-9.-]+(:[0-9]{1,5})?")  # which a policy can name
_SCRIPT = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL)
_PACKED = re.compile(r'<script data-p="([^"]*)" data-ss="(\d+)" data-cs="(\d+)">')
_DIGITS = (
    b"!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_abcdefghijklmnopqrstuvwxyz{|}~"
)


@dataclass(frozen=True, slots=True)
class Page:
    """A document, and the hashes of the scripts that may run in it."""

    document: bytes
    scripts: tuple[str, ...] = ()

    def headers(self, host: str) -> dict[str, str]:
        """Return the headers of every response to a request with a `Host`."""
        # zstd, by which viser's messages are packed, is WebAssembly.
        scripts = " ".join(("'wasm-unsafe-eval'", *(f"'sha256-{one}'" for one in self.scripts)))
        # Older browsers do not count sockets as 'self'; a policy cannot name IPv6 addresses.
        named = f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""
        policy = POLICY.format(scripts=scripts, sockets=f"'self'{named} blob: data:")
        return {"Content-Security-Policy": policy, **HEADERS}


@cache
def make_page() -> Page:
    """Return viser's page with our style and script."""
    document = (files("viser") / "client" / "build" / "index.html").read_text("utf-8")
    late = unpack_script(document)
    assets = files("grouser") / "viewer" / "assets"
    style = "\n".join((assets / name).read_text("utf-8") for name in STYLES)
    script = "\n".join((assets / name).read_text("utf-8") for name in SCRIPTS)
    script += f"\nwindow.grouser.courses = {_courses()};"
    document = document.replace(VIEWPORT, f"{VIEWPORT}, viewport-fit=cover")
    document = re.sub(r"<title>.*?</title>", f"<title>{TITLE}</title>", document, count=1)
    # Our script runs before viser's, so that it can intercept keys.
    head = f"<style>{SKY_STYLE}\n{style}</style><script>{script}</script>"
    place = document.index("<head>") + len("<head>")
    document = document[:place] + head + document[place:]
    inline = (found.encode() for found in _SCRIPT.findall(document))
    return Page(document.encode(), tuple(_hash(text) for text in (*inline, late)))


def _courses() -> str:
    """Return group and line of each course in lists, by its name, as a script."""
    lines = {course.name: (course.group, course.title) for course in listed_courses()}
    return json.dumps(lines).replace("<", "\\u003c")  # no tag of the document


def unpack_script(document: str) -> bytes:
    """Return the script that viser's page carries packed, and starts as it was written."""
    found = _PACKED.search(document)
    if found is None:
        raise GrouserError(
            f"the page of viser {viser.__version__} is not packed as expected: install viser 1.1.1"
        )
    style, script = int(found[2]), int(found[3])
    packed = _from_digits(found[1].encode())
    content = zstandard.ZstdDecompressor().decompress(packed, max_output_size=style + script)
    return content[style:]


def _from_digits(text: bytes) -> bytes:
    """Return bytes that are written with 88 digits: five digits for each four bytes."""
    values = np.zeros(256, dtype=np.uint64)
    values[list(_DIGITS)] = np.arange(len(_DIGITS))
    digits = values[np.frombuffer(text, dtype=np.uint8)]
    powers = np.uint64(88) ** np.arange(4, -1, -1, dtype=np.uint64)
    whole = len(text) // 5 * 5
    content = (digits[:whole].reshape(-1, 5) @ powers).astype(">u4").tobytes()
    if whole == len(text):
        return content
    rest = int(digits[whole:] @ powers[whole - len(text) :])
    return content + rest.to_bytes(len(text) - whole - 1, "big")


def _hash(script: bytes) -> str:
    return base64.b64encode(hashlib.sha256(script).digest()).decode()
