"""Numbers of a file that are computed from its parameters: `"= 2 * $width_m + 0.1"`.

Only numbers, parameters, + - * / and brackets, and sin, cos, tan of degrees; nothing of it is
Python.
"""

import math
import re
from collections.abc import Callable, Mapping

MARK = "="
"""What a text begins with that is to be computed."""
LONGEST = 200
"""Characters of an expression, at most [1]."""
DIGITS = 12
"""Digits to which results are rounded, so that they are the same on every machine [1]."""

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_TOKEN = re.compile(rf"\s*({_NUMBER}|\$[A-Za-z_]\w*|sin|cos|tan|[-+*/()])")
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan,
}  # fmt: skip


def compute(text: str, values: Mapping[str, float | str]) -> float | None:
    """Return what an expression amounts to, given parameters; None if it is none.

    It is none if it cannot be read, names a parameter that is unknown or a word, or has no finite
    result.
    """
    if not text.startswith(MARK) or len(text) > LONGEST:
        return None
    try:
        result = _Reader(text[len(MARK) :], values).read()
    except (ValueError, ArithmeticError):
        return None
    return float(f"{result:.{DIGITS}g}") if math.isfinite(result) else None


class _Reader:
    """Reads an expression from left to right; `ValueError` where it cannot be read."""

    def __init__(self, text: str, values: Mapping[str, float | str]) -> None:
        self._values = values
        self._words = [found[1] for found in _TOKEN.finditer(text)]
        if "".join(self._words) != re.sub(r"\s", "", text):
            raise ValueError(text)
        self._words.append("")

    def read(self) -> float:
        """Return the result of the whole text."""
        result = self._sum()
        if self._words != [""]:
            raise ValueError(self._words[0])
        return result

    def _sum(self) -> float:
        result = self._product()
        while self._words[0] in ("+", "-"):
            sign = 1.0 if self._words.pop(0) == "+" else -1.0
            result += sign * self._product()
        return result

    def _product(self) -> float:
        result = self._factor()
        while self._words[0] in ("*", "/"):
            times = self._words.pop(0) == "*"
            factor = self._factor()
            result = result * factor if times else result / factor
        return result

    def _factor(self) -> float:
        word = self._words.pop(0)
        if word == "-":
            return -self._factor()
        if word in _FUNCTIONS:
            return _FUNCTIONS[word](math.radians(self._in_brackets()))
        if word == "(":
            self._words.insert(0, word)
            return self._in_brackets()
        if word.startswith("$"):
            value = self._values.get(word[1:])
            if not isinstance(value, float | int):
                raise ValueError(word)
            return float(value)
        return float(word)

    def _in_brackets(self) -> float:
        if self._words.pop(0) != "(":
            raise ValueError("no bracket")
        result = self._sum()
        if self._words.pop(0) != ")":
            raise ValueError("no bracket")
        return result
