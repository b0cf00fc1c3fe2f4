"""Tables of files: typed numbers with units, their sources, mistakes in words.

A key in a file spells its unit (`mass_kg`, `limit_deg`); the attribute does not (`mass`,
`limit`) and is in SI with radians. Each field names its key with `Field(alias=...)`. The unit
that a key spells also sets the range of its numbers: `limits.RANGES`.

The table `[sources]` maps a key, or the beginning of keys, to a text that ends in a mark. An
index may be left out: `tracks.width_m` is the source of every track, `tracks[1]` of one.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeAlias, TypeVar, get_args

import numpy as np
from annotated_types import Ge, Gt, Le
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Strict,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_core import ErrorDetails

from grouser import limits
from grouser.description.known_keys import suggest_key
from grouser.errors import InvalidDescription, show_value
from grouser.units import describe_range, split_unit


class Table(BaseModel):
    """A table of a description file: frozen, no unknown keys, numbers within their ranges."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        populate_by_name=True,
        strict=False,
    )

    @field_validator("*", mode="before")
    @classmethod
    def _is_within_range(cls, value: Any, info: ValidationInfo) -> Any:
        sentences = list(_out_of_range("", value, _shape_of(cls, str(info.field_name))))
        if sentences:
            raise Mistakes(sentences)
        return value

    def mirrored(self) -> Self:
        """Return the table with left and right exchanged, also in the tables that it holds."""
        found = {name: getattr(self, swap_sides(name)) for name in type(self).model_fields}
        inner = {k: v.mirrored() if isinstance(v, Table) else v for k, v in found.items()}
        return self.model_copy(update={k: v for k, v in inner.items() if v != getattr(self, k)})


def swap_sides(words: str) -> str:
    """Return words in which left and right are exchanged."""
    return re.sub("left|right", lambda found: "right" if found[0] == "left" else "left", words)


def _check_name(name: str) -> str:
    allowed = all(c in _NAME_MARKS or unicodedata.category(c)[0] in "LMN" for c in name)
    if not allowed or name[:1] in (" ", ".") or name[-1:] == " " or not name.strip(_NAME_MARKS):
        raise ValueError(
            f"must be a name of letters, digits, spaces and {' '.join(_NAME_MARKS.strip())}, with "
            f"a letter or digit, and with no dot or space before it, not {show_value(name)}"
        )
    return name


def _check_part_name(name: str) -> str:
    if not re.fullmatch(r"\w(?:[\w .-]*\w)?", name):
        raise ValueError(
            "must be a name of letters, digits, spaces and _ . - that begins and ends with a "
            f"letter or digit, not {show_value(name)}"
        )
    return name


def _check_prose(text: str) -> str:
    strange = [c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\r\t"]
    if strange:
        raise ValueError(f"must be a text without control characters, and has {strange[0]!r}")
    return text


_NAME_MARKS = " ._-()=+,"

Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.NAME_LENGTH),
    AfterValidator(_check_name),
]
"""A name, which becomes part of names of files and columns."""
PartName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.NAME_LENGTH // 2),
    AfterValidator(_check_part_name),
]
"""What a part of a robot is called: it becomes part of names of columns, as `slip.left`."""
Prose = Annotated[str, AfterValidator(_check_prose)]
"""Words for a reader, in one line or several."""
Number = Annotated[float, Strict()]
"""A number; not a word or a truth value, which pydantic would convert."""
Positive = Annotated[Number, Gt(0.0)]
"""A number above zero."""
NotNegative = Annotated[Number, Ge(0.0)]
"""A number that is zero or above."""
Friction = Annotated[NotNegative, Le(limits.FRICTION)]
"""A coefficient of friction."""
Factor = Annotated[Number, Ge(1.0 / limits.FACTOR), Le(limits.FACTOR)]
"""A factor on another number."""
Count = Annotated[int, Strict(), Ge(1), Le(limits.COUNT)]
"""A whole number above zero."""
Degrees = Annotated[Number, AfterValidator(math.radians)]
"""Written in degrees, kept in radians."""
PositiveDegrees = Annotated[Positive, AfterValidator(math.radians)]
"""An angle above zero, written in degrees, kept in radians."""
NotNegativeDegrees = Annotated[NotNegative, AfterValidator(math.radians)]
"""An angle that is zero or above, written in degrees, kept in radians."""
PerDegree = Annotated[Number, AfterValidator(math.degrees)]
"""Written per degree, kept per radian."""
Vector = tuple[Number, Number, Number]
"""Three numbers along x, y, z."""
Side: TypeAlias = Literal["left", "right"]
"""A side of the robot; left is where y is positive."""


class Mistakes(ValueError):
    """Several mistakes that one validator found at once, each a sentence that starts with a key."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self.sentences = tuple(sentences)
        super().__init__("; ".join(self.sentences))


TableT = TypeVar("TableT", bound=Table)


def parse_table(kind: type[TableT], content: Mapping[str, Any], origin: str) -> TableT:
    """Return the `kind` that `content` describes; InvalidDescription lists every mistake."""
    try:
        # Keys of a file spell units; attribute names, which do not, are no keys.
        return kind.model_validate(content, by_alias=True, by_name=False)
    except ValidationError as error:
        details = error.errors()
    unknown = [detail for detail in details if detail["type"] == "extra_forbidden"]
    if unknown:  # the rest is checked without them: a table with one is checked no further
        try:
            kind.model_validate(_without(content, unknown), by_alias=True, by_name=False)
        except ValidationError as error:
            known = {(detail["loc"], detail["type"]) for detail in details}
            later = error.errors()
            details += [one for one in later if (one["loc"], one["type"]) not in known]
    mistakes = [sentence for detail in details for sentence in _describe(detail, kind)]
    # How parts fit together is checked when each of them is right.
    may_be_more = bool(kind.__pydantic_decorators__.model_validators) and any(
        detail["loc"] for detail in details if detail not in unknown
    )
    raise InvalidDescription(origin, mistakes, may_be_more=may_be_more)


def _without(content: Mapping[str, Any], unknown: list[ErrorDetails]) -> dict[str, Any]:
    """Return the content without unknown keys."""
    rest = deepcopy(dict(content))
    for detail in unknown:
        table: Any = rest
        *path, key = detail["loc"]
        for part in path:
            try:
                table = table[part]
            except (KeyError, TypeError):  # the kind of a piece stands in the path, not in the file
                continue
        if isinstance(table, dict):
            table.pop(key, None)
    return rest


def _describe(detail: ErrorDetails, kind: type[Table]) -> list[str]:
    key = _key(detail["loc"])
    match detail["type"]:
        case "missing":
            return [f"{key} is missing"]
        case "extra_forbidden":
            return [f"{key} is not a known key{suggest_key(str(detail['loc'][-1]), kind)}"]
        case "default_factory_not_called":
            return []  # follows from another mistake of the same table
        case "value_error":
            error = detail.get("ctx", {}).get("error")
            if isinstance(error, Mistakes):
                return [_place(key if detail["loc"] else "", s) for s in error.sentences]
            return [f"{key}: {detail['msg'].removeprefix('Value error, ')}"]
        case _:
            message = detail["msg"][0].lower() + detail["msg"][1:]
            return [f"{key}: {message}, given {show_value(detail['input'])}"]


def _place(key: str, sentence: str) -> str:
    """Return a sentence that starts with a key, behind the key of its table."""
    return f"{key}{'' if sentence[0] in '[ ' or not key else '.'}{sentence}"


def _key(location: tuple[int | str, ...]) -> str:
    """Return the place in the file, such as `tracks[1].width_m`."""
    key = ""
    for part in location:
        if isinstance(part, int):
            key += f"[{part}]"
        elif part != "[key]":  # what pydantic adds where the key itself is wrong
            word = (
                part if part.isprintable() and len(part) <= limits.NAME_LENGTH else show_value(part)
            )
            key += f".{word}" if key else word
    return key or "file"


LONG = 64
"""Length of a list from which on its numbers are looked at as one array."""


class _Shape(NamedTuple):
    """What the numbers of a field are."""

    unit: str
    is_size: bool
    """Whether they are not negative."""
    may_be_zero: bool


def _out_of_range(place: str, value: Any, shape: _Shape) -> Iterator[str]:
    """Yield a sentence for each number that no robot and no course can have."""
    if isinstance(value, list | tuple):
        if _is_long_and_within(value, shape):
            return
        for index, inner in enumerate(value):
            yield from _out_of_range(f"{place}[{index}]", inner, shape)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        least, most = limits.RANGES[shape.unit]
        if abs(value) > most or (shape.is_size and 0.0 < value < least):
            zero = "0 or " if shape.is_size and shape.may_be_zero else ""
            allowed = f"{zero}{describe_range(shape.unit, is_size=shape.is_size)}"
            yield f"{place} must be {allowed}, not {show_value(value)}"


def _is_long_and_within(value: list[Any] | tuple[Any, ...], shape: _Shape) -> bool:
    """Return whether many numbers are all in range, looked at as one array; False if not known."""
    if len(value) < LONG or not isinstance(value[0], list | tuple | float):
        return False
    try:
        numbers = np.array(value)
    except (ValueError, OverflowError):
        return False
    if numbers.dtype.kind not in "if":
        return False
    least, most = limits.RANGES[shape.unit]
    size = np.abs(numbers)
    within = size <= most
    if shape.is_size:
        within &= (numbers <= 0.0) | (size >= least)
    return bool(within.all())


@cache
def _shape_of(kind: type[Table], name: str) -> _Shape:
    field = kind.model_fields[name]
    marks = (*field.metadata, *_marks(field.annotation))
    above = [bound for mark in marks if (bound := getattr(mark, "gt", None)) is not None]
    least = [bound for mark in marks if (bound := getattr(mark, "ge", None)) is not None]
    return _Shape(
        unit=split_unit(field.alias or name)[1],
        is_size=any(bound >= 0.0 for bound in (*above, *least)),
        may_be_zero=not any(bound >= 0.0 for bound in above),
    )


def _marks(annotation: Any) -> Iterator[Any]:
    yield from getattr(annotation, "__metadata__", ())
    for part in get_args(annotation):
        yield from _marks(part)


MARKS: dict[str, str] = {
    "T": "stated in the paper",
    "R": "reconstructed from what the paper states",
    "A": "assumed here, until a measured value exists",
    "E": "taken from other public material",
    "M": "measured on the robot itself",
}
"""Meaning of the letter in brackets at the end of a source."""

Parts: TypeAlias = tuple[str | int, ...]
"""A key in parts: `tracks[1].width_m` is ("tracks", 1, "width_m")."""


def numeric_leaves(content: Mapping[str, Any]) -> dict[str, float]:
    """Return every number of a parsed file by its key, such as `body.size_m[0]`."""
    return dict(_walk("", content))


def find_source(sources: Mapping[str, str], key: str) -> str | None:
    """Return the source of a key: the most specific one that covers it."""
    speaking = [source for source in sources if _speaks_for(_parts(source), _parts(key))]
    return sources[max(speaking, key=lambda source: len(_parts(source)))] if speaking else None


def mistaken_sources(sources: Iterable[str], content: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each source that covers no number, which is likely misspelt."""
    keys = [_parts(key) for key in numeric_leaves(content)]
    named = [(source, _parts(source)) for source in sources]
    idle = [source for source, parts in named if not any(_speaks_for(parts, key) for key in keys)]
    return [f'sources."{key}" covers no number of this file' for key in idle]


def _walk(place: str, value: Any) -> Iterable[tuple[str, float]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _walk(f"{place}.{key}" if place else key, inner)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _walk(f"{place}[{index}]", inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield place, value


def _parts(key: str) -> Parts:
    found = re.findall(r"\[(\d+)\]|([^.\[\]]+)", key)
    return tuple(int(index) if index else name for index, name in found)


def _speaks_for(source: Parts, key: Parts) -> bool:
    """Return whether `source` is the beginning of `key`, indices of the key left out or equal."""
    rest = list(key)
    for part in source:
        while rest and isinstance(rest[0], int) and not isinstance(part, int):
            rest.pop(0)
        if not rest or rest.pop(0) != part:
            return False
    return True
