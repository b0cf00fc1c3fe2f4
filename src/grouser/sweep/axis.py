"""One parameter that a sweep varies, and its values."""

import math
from dataclasses import dataclass

from grouser import limits
from grouser.errors import InvalidValue, UnknownName
from grouser.units import check_range, parse_number, split_unit

SUBJECTS = ("course", "drive", "flippers", "model", "robot")
"""Whose parameters can be varied."""
_FORM = "be written as KEY=FROM:TO:STEP or KEY=VALUE,VALUE, as in course.height_m=0.05:0.3:0.05"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A parameter by its dotted name, and the values that it takes."""

    key: str
    """Whose parameter, and which: course.height_m."""
    values: tuple[float, ...]
    """What it is set to [unit as its name spells]."""
    label: str = ""
    """What stands at the axis of a map; the key with its unit if empty."""
    shown: tuple[float, ...] = ()
    """What stands for each value on the map; the values if empty [unit of the label]."""

    @property
    def title(self) -> str:
        """What stands at the axis of a map."""
        return self.label or _title(self.key)

    @property
    def places(self) -> tuple[float, ...]:
        """Where each value is on the map [unit of the label]."""
        return self.shown or self.values

    @property
    def subject(self) -> str:
        """Whose parameter it is."""
        return self.key.partition(".")[0]

    @property
    def parameter(self) -> str:
        """Which parameter of the subject it is."""
        return self.key.partition(".")[2]

    @classmethod
    def parse(cls, option: str, text: str) -> "Axis":
        """Return the axis that a word such as `course.height_m=0.05:0.3:0.05` describes.

        Args:
            option: The option that the word was given with, for messages.
            text: The word.

        Raises:
            InvalidValue: It is not written like that, or has fewer than two values.
            UnknownName: Its subject is none that can be varied.
        """
        if len(text) > limits.WORD_LENGTH:
            required = f"have at most {limits.WORD_LENGTH:,} characters"
            raise InvalidValue(option, f"{len(text):,}", required)
        key, equals, rest = (word.strip() for word in text.partition("="))
        subject, dot, parameter = key.partition(".")
        if not (subject and dot and parameter and equals):
            raise InvalidValue(option, text, _FORM)
        if subject not in SUBJECTS:
            raise UnknownName("subject of a sweep", subject, SUBJECTS)
        values = (
            _parse_range(option, text, rest) if ":" in rest else _parse_list(option, text, rest)
        )
        most = limits.AXIS_VALUES
        if not 2 <= len(values) <= most:
            count = f"{len(values)}" if len(values) <= most else "more"
            raise InvalidValue(option, text, f"have from 2 to {most} values, and has {count}")
        if sorted(set(values)) not in (list(values), list(reversed(values))):
            raise InvalidValue(option, text, "have values that rise, or fall")
        return cls(key=key, values=tuple(sorted(values)))


def _parse_range(option: str, text: str, words: str) -> list[float]:
    try:
        start, end, step = _parse_list(option, text, words.replace(":", ","))
    except ValueError:
        raise InvalidValue(option, text, _FORM) from None
    # Divided by a step that is too small, the numbers may overflow; then there are too many.
    steps = (end - start) / step if step else -1.0
    if steps < 0.0:
        raise InvalidValue(option, text, "have a step that leads from the first to the last value")
    count = math.floor(min(steps, limits.AXIS_VALUES) + 1e-9) + 1
    # Rounded, so that 0.05 + 2 * 0.05 is 0.15 in files and labels.
    return [round(start + number * step, 9) for number in range(count)]


def _parse_list(option: str, text: str, words: str) -> list[float]:
    values = [parse_number(word) for word in words.split(",")[: limits.AXIS_VALUES + 1]]
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        raise InvalidValue(option, text, _FORM)
    for number in numbers:
        check_range(f"{option} {text[:60]}: value", number, "1")
    return numbers


def _title(key: str) -> str:
    """Return a key with the unit that it spells set apart: `course.height [m]`."""
    name, unit = split_unit(key)
    return key if name == key else f"{name} [{unit}]"
