"""What the package says of itself while it works, for whoever wants to hear it.

Sentences go through the logger "grouser": by default to the standard error stream, as any
warning does; its handlers and its level redirect or silence them.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOGGER = logging.getLogger("grouser")
"""Through which everything is said."""


@contextmanager
def listen(tell: Callable[[str], None]) -> Iterator[None]:
    """Hand every sentence to `tell`, instead of to the standard error stream."""
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: tell(record.getMessage())
    LOGGER.addHandler(handler)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
