"""What a page has besides numbers and figures."""

from dataclasses import dataclass

STRICT = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)
"""What a page may do: run what is in it, and fetch nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageExtras:
    """More of a page, as HTML, CSS and JavaScript."""

    stage: str = ""
    """HTML below the title."""
    style: str = ""
    """CSS after that of every page."""
    script: str = ""
    """JavaScript that runs when all figures are there."""
    policy: str = STRICT
    """What the page may do, as a Content-Security-Policy."""
