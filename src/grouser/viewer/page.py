"""The page: viser's, with our script for keys, pad and gamepad, and our words."""

import re
from importlib.resources import files

from grouser.viewer.figures.light_scene import SKY_STYLE

TITLE = "grouser"


def make_page() -> bytes:
    """Return the page as one document."""
    document = (files("viser") / "client" / "build" / "index.html").read_text("utf-8")
    assets = files("grouser") / "viewer" / "assets"
    style = (assets / "page.css").read_text("utf-8")
    script = (assets / "page.js").read_text("utf-8")
    document = re.sub(r"<title>.*?</title>", f"<title>{TITLE}</title>", document, count=1)
    # Before viser's own script, which must find its keys already taken.
    head = f"<style>{SKY_STYLE}\n{style}</style><script>{script}</script>"
    place = document.index("<head>") + len("<head>")
    return (document[:place] + head + document[place:]).encode()
