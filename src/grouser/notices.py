"""Messages of the package about its own work, such as compiling.

Sentences go through the logger "grouser": by default to the standard error stream, as any
warning does; its handlers and its level redirect or silence them.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOGGER = logging.getLogger("grouser")
"""Logger of all messages."""


@contextmanager
def listen(show: Callable[[str], None]) -> Iterator[None]:
    """Pass every message to `show`, instead of to the standard error stream."""
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: show(record.getMessage())
    LOGGER.addHandler(handler)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
