"""Names of files from names of things."""

import re

MOST_BYTES = 200
"""Longest file name, in UTF-8; file systems allow 255, and a temporary name needs room."""
NAMELESS = "unnamed"
"""What is called so whose name has no letter and no digit."""

_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\.|$)", re.I)


def name_file(words: str, suffix: str) -> str:
    """Return a file name that says `words`, with a hyphen for what file systems dislike.

    It is one component of a path, whatever the words are: neither empty nor `..`, no separators
    or control characters, at most `MOST_BYTES` long, and no name that Windows keeps for devices.

    Args:
        words: What the file is about; may come from a file of somebody else.
        suffix: How the name ends; comes from the program.
    """
    stem = re.sub(r"\.{2,}", ".", re.sub(r"[^\w.=-]+", "-", words)).strip("-.")
    room = MOST_BYTES - len(suffix.encode())
    stem = stem.encode()[:room].decode(errors="ignore").strip("-.")
    if not any(letter.isalnum() for letter in stem):
        stem = NAMELESS
    if _RESERVED.match(stem):
        stem = f"_{stem}"
    return stem + suffix
