"""A terminal without viser's banner."""

from collections.abc import Iterator
from contextlib import contextmanager

import rich


@contextmanager
def silence_viser() -> Iterator[None]:
    """Keep viser's banner off the terminal: commands say what there is to say."""
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
