"""Numbers of a line, however another program separates them."""

import math
import re

LARGEST_COUNT = 2**53
"""Largest number of a line, and time [ms]: whole numbers are exact up to here."""
MOST_NUMBERS = 8
"""Numbers of the longest line."""
_NUMBER = re.compile(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([eE][+-]?\d{1,4})?")
_GAP = re.compile(r"[\s,;]+")


def parse_numbers(line: str) -> list[float] | None:
    """Return the numbers of one line; None if it is not a line of finite numbers.

    Commas, semicolons, blanks and tabs separate; those at the ends do not count.
    """
    text = line.strip(" \t\r\n,;\ufeff\x00")
    if not text or "\n" in text or not text.isascii():
        return None
    words = _GAP.split(text)
    if len(words) > MOST_NUMBERS or not all(map(_NUMBER.fullmatch, words)):
        return None
    numbers = [float(word) for word in words]
    return numbers if all(map(math.isfinite, numbers)) else None


def parse_count(number: float) -> int | None:
    """Return a whole number from 0, also if it was written as 12.0; None for any other."""
    return int(number) if 0.0 <= number <= LARGEST_COUNT and number.is_integer() else None


def parse_time(milliseconds: float) -> float | None:
    """Return a writer's time [s]; None for one that no clock shows."""
    return 1e-3 * milliseconds if abs(milliseconds) <= LARGEST_COUNT else None
