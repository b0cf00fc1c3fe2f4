"""References `name:key=value`, and the parameters that a file declares."""

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, PlainValidator, model_validator

from grouser import limits
from grouser.description.expression import MARK, compute
from grouser.description.schema import Number, Prose, Table
from grouser.errors import InvalidValue, UnknownName, show_value
from grouser.units import parse_number


def parse_reference(text: str) -> tuple[str, dict[str, float | str]]:
    r"""Return name and parameters, numbers or words, of `name` or `name:key=value,key=value`.

    Only a colon that is followed by `key=value` ends the name, so that `C:\course.toml` is a
    name and `C:\course.toml:height_m=0.2` a name with a parameter.

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


def _number_or_name(value: Any) -> float | str:
    if isinstance(value, str) and 0 < len(value) <= limits.WORD_LENGTH:
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise ValueError(f"must be a finite number or a word, not {show_value(value)}")


class Parameter(Table):
    """A number or a word that a course leaves open, as a table `[parameters.NAME]`.

    Anywhere else in the file, the word "$NAME" is replaced by it, "-$NAME" by the negative of a
    number, and "= 2 * $NAME" by what it amounts to; see `expression`.
    """

    value: Annotated[float | str, PlainValidator(_number_or_name)] = Field(alias="default")
    """Value; in a file, the default [unit as its name spells]."""
    minimum: Number | None = None
    """Minimum [unit as its name spells]."""
    maximum: Number | None = None
    """Maximum [unit as its name spells]."""
    help: Prose = ""
    """Description of its effect."""

    @property
    def range(self) -> tuple[float, float]:
        """Minimum and maximum [unit as its name spells]."""
        low = -math.inf if self.minimum is None else self.minimum
        return low, math.inf if self.maximum is None else self.maximum

    @model_validator(mode="after")
    def _check(self) -> "Parameter":
        low, high = self.range
        if isinstance(self.value, str):
            if (low, high) != (-math.inf, math.inf):
                raise ValueError(f"minimum and maximum are for numbers, not for {self.value!r}")
        elif not low <= self.value <= high:
            raise ValueError(f"default must be from {low:g} to {high:g}, not {self.value:g}")
        return self


def choose_parameters(
    declared: Mapping[str, Parameter], given: Mapping[str, float | str]
) -> dict[str, float | str]:
    """Return the value of each declared parameter, as given or by default.

    Raises:
        UnknownName: A parameter is not declared.
        InvalidValue: A value is out of its range, or a word in place of a number.
    """
    chosen = {name: parameter.value for name, parameter in declared.items()}
    for name, value in given.items():
        if name not in declared:
            raise UnknownName("parameter", name, declared)
        chosen[name] = _choose(name, declared[name], value)
    return chosen


def _choose(name: str, parameter: Parameter, value: float | str) -> float | str:
    if isinstance(parameter.value, str):
        if not isinstance(value, str):
            raise InvalidValue(name, value, f"be a word, such as {parameter.value}")
        return value
    if not isinstance(value, float | int) or isinstance(value, bool):
        raise InvalidValue(name, value, "be a number")
    low, high = parameter.range
    if not low <= value <= high:
        raise InvalidValue(name, value, f"be from {low:g} to {high:g}")
    return float(value)


def insert_parameters(content: Any, values: Mapping[str, float | str]) -> Any:
    """Return content of a file in which "$NAME", "-$NAME" and "= …" became what they stand for.

    Unknown names stay as they are, for the table that finds a word in place of a number.
    """
    if not values or isinstance(content, float):  # most of what a file can hold are numbers
        return content
    match content:
        case Mapping():
            return {key: insert_parameters(value, values) for key, value in content.items()}
        case list():
            return [insert_parameters(value, values) for value in content]
        case str():
            return _stand_in(content, values)
        case _:
            return content


def _stand_in(word: str, values: Mapping[str, float | str]) -> float | str:
    """Return what a word of a file stands for, or the word."""
    if word.startswith("$") and word[1:] in values:
        return values[word[1:]]
    if word.startswith(MARK):
        computed = compute(word, values)
        return word if computed is None else computed
    number = values.get(word[2:]) if word.startswith("-$") else None
    return -number if isinstance(number, float) else word
