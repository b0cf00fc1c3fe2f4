"""A browser window, where there is a screen to put it on."""

import os
import sys
import webbrowser


def open_address(address: str) -> bool:
    """Open an address in the person's browser; return whether one was found.

    Without a screen nothing is tried: a browser of text would take over the terminal.
    """
    has_screen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    try:
        return has_screen and webbrowser.open(address)
    except (OSError, webbrowser.Error):
        return False
