"""How a thing is asked for by name, with parameters: `step:height_m=0.2,depth_m=1`."""

import math

from grouser import limits
from grouser.errors import InvalidValue
from grouser.units import parse_number


def parse_reference(text: str) -> tuple[str, dict[str, float | str]]:
    r"""Return the name and the parameters of a reference.

    Only a colon that is followed by `key=value` ends the name, so that `C:\course.toml` is a
    name and `C:\course.toml:height_m=0.2` a name with a parameter.

    Args:
        text: `name`, or `name:key=value,key=value`.

    Returns:
        The name, and each value as a number where it is one, else as it was written.

    Raises:
        InvalidValue: A part is not of the form `key=value`, a key comes twice, a number is not
            finite, or the whole is too long.
    """
    if len(text) > limits.WORD_LENGTH:
        given, required = f"{len(text):,}", f"have at most {limits.WORD_LENGTH:,} characters"
        raise InvalidValue(f"{text[:20]}…", given, required)
    name, colon, rest = text.partition(":")
    while colon and "=" not in rest.partition(":")[0] and "=" in rest:
        more, colon, rest = rest.partition(":")
        name = f"{name}:{more}"
    if "=" not in rest:
        return text, {}
    parameters: dict[str, float | str] = {}
    for part in rest.split(","):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not (key and equals and value):
            raise InvalidValue("parameters", rest, "be written as key=value,key=value")
        if key in parameters:
            raise InvalidValue("parameters", rest, f"give {key} once")
        parameters[key] = _number_or_word(f"{name}:{key}", value)
    return name, parameters


def _number_or_word(name: str, value: str) -> float | str:
    number = parse_number(value)
    if number is not None:
        return number
    try:
        not_finite = float(value)
    except ValueError:
        return value
    if math.isfinite(not_finite):
        return value  # 1_0 is a number to Python only
    raise InvalidValue(name, not_finite, "be a finite number")
