"""Names of files from names of things."""

import re

LONGEST = 200
"""Bytes of the name of a file; most file systems take 255."""


def name_file(words: str, suffix: str) -> str:
    """Return a file name that says `words`, with a hyphen for what file systems dislike.

    Whatever the words are, the name has no separator, does not start with a dot, is not empty
    and not too long.
    """
    stem = re.sub(r"[^\w.=-]+", "-", words).strip("-.")
    room = LONGEST - len(suffix.encode())
    stem = stem.encode(errors="ignore")[:room].decode(errors="ignore").strip("-.")
    return (stem or "unnamed") + suffix
