"""How description files become frozen values: the shape of a table, and its mistakes in words.

A key in a file spells its unit (`mass_kg`, `limit_deg`); the attribute does not (`mass`,
`limit`) and is in SI with radians. Each field names its key with `Field(alias=...)`.
"""

import math
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from annotated_types import Ge, Gt
from pydantic import AfterValidator, BaseModel, ConfigDict, Strict, ValidationError
from pydantic_core import ErrorDetails

from grouser.errors import InvalidDescription


class Table(BaseModel):
    """A table of a description file: frozen, no unknown keys, no infinities."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        populate_by_name=True,
        strict=False,
    )


Number = Annotated[float, Strict()]
"""A number; words and truth values are refused, which pydantic would otherwise convert."""
Positive = Annotated[Number, Gt(0.0)]
"""A number above zero."""
NotNegative = Annotated[Number, Ge(0.0)]
"""A number that is zero or above."""
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
    """Return the `kind` that `content` describes.

    Raises:
        InvalidDescription: With every mistake of the file, each by its key.
    """
    try:
        # A file must spell units: attribute names, which do not, are refused as keys.
        return kind.model_validate(content, by_alias=True, by_name=False)
    except ValidationError as error:
        details = error.errors()
        mistakes = [sentence for detail in details for sentence in _describe(detail, kind)]
        raise InvalidDescription(origin, mistakes) from None


def _describe(detail: ErrorDetails, kind: type[Table]) -> list[str]:
    key = _key(detail["loc"])
    match detail["type"]:
        case "missing":
            return [f"{key} is missing"]
        case "extra_forbidden":
            return [f"{key} is not a known key{_suggestion(detail['loc'], kind)}"]
        case "default_factory_not_called":
            return []  # follows from another mistake of the same table
        case "value_error":
            error = detail.get("ctx", {}).get("error")
            if isinstance(error, Mistakes):
                place = f"{key}." if detail["loc"] else ""
                return [f"{place}{sentence}" for sentence in error.sentences]
            return [f"{key}: {detail['msg'].removeprefix('Value error, ')}"]
        case _:
            message = detail["msg"][0].lower() + detail["msg"][1:]
            return [f"{key}: {message}, given {detail['input']!r}"]


def _key(location: tuple[int | str, ...]) -> str:
    """Return the place in the file, such as `tracks[1].width_m`."""
    key = ""
    for part in location:
        key += f"[{part}]" if isinstance(part, int) else f".{part}" if key else part
    return key or "file"


def _suggestion(location: tuple[int | str, ...], kind: type[Table]) -> str:
    """Return what may have been meant, by the keys that any table of the file knows."""
    word = str(location[-1])
    known = sorted(_known_keys(kind))
    stem = word.rsplit("_", 1)[0]
    same_quantity = [key for key in known if key.rsplit("_", 1)[0] == stem and key != word]
    close = same_quantity or get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _known_keys(kind: type[BaseModel], seen: frozenset[type] = frozenset()) -> set[str]:
    keys: set[str] = set()
    for name, field in kind.model_fields.items():
        keys.add(field.alias or name)
        for inner in _tables_in(field.annotation):
            if inner not in seen:
                keys |= _known_keys(inner, seen | {kind})
    return keys


def _tables_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [t for part in getattr(annotation, "__args__", ()) for t in _tables_in(part)]
