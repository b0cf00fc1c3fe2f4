"""Changes to a robot file that keep its comments."""

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any, TypeAlias

from grouser.description.load import parse_robot
from grouser.errors import InvalidDescription
from grouser.extras import require_extra

Entry: TypeAlias = float | Sequence[float]
"""New value of a key."""


def edit_robot(
    text: str, changes: Mapping[str, Entry], source: str, origin: str = "robot file"
) -> str:
    """Return the text of a robot's file with some numbers changed; comments and order stay.

    Raises:
        MissingExtra: tomlkit is not installed.
        InvalidDescription: The file does not have the table, or the numbers do not fit.
    """
    require_extra("changing a robot's file", "hil", "tomlkit")
    import tomlkit

    document = tomlkit.parse(text)
    made: list[Any] = []
    for key, value in changes.items():
        *places, name = key.split(".")
        table: Any = document
        for place in places:
            if place not in table:
                table[place] = tomlkit.table()
                made.append(table[place])
            table = table[place]
            if not isinstance(table, MutableMapping):
                raise InvalidDescription(origin, [f"{place} must be a table to hold {name}"])
        table[name] = list(value) if isinstance(value, Sequence) else float(value)
        if "sources" not in document:
            document["sources"] = tomlkit.table()
        document["sources"][key] = source  # type: ignore[index]
    for table in made:
        table.add(tomlkit.nl())  # an empty line before the next table
    edited = tomlkit.dumps(document)
    parse_robot(edited, origin)
    return edited
