"""Numbers of a line, however another program separates them."""

import math
import re

_GAP = re.compile(r"[\s,;]+")


def parse_numbers(line: str) -> list[float] | None:
    """Return the numbers of one line; None if it is not a line of finite numbers.

    Commas, semicolons, blanks and tabs separate; those at the ends do not count.
    """
    text = line.strip(" \t\r\n,;\ufeff\x00")
    if not text or "\n" in text or not text.isascii():
        return None
    try:
        numbers = [float(word) for word in _GAP.split(text)]
    except ValueError:
        return None
    return numbers if all(map(math.isfinite, numbers)) else None


def parse_count(number: float) -> int | None:
    """Return a whole number from 0, also if it was written as 12.0; None for any other."""
    return int(number) if number >= 0.0 and number == math.floor(number) else None
