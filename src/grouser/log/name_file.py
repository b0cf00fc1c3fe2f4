"""Names of files from names of things."""

import re


def name_file(words: str, suffix: str) -> str:
    """Return a file name that says `words`, with a hyphen for what file systems dislike."""
    return re.sub(r"[^\w.=-]+", "-", words).strip("-.") + suffix
