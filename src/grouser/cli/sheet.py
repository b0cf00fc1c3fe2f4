"""Everything about a robot or a course, for a person or a machine."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from grouser.cli.terminal import Terminal
from grouser.description.schema import MARKS, find_source
from grouser.units import format_number

SKIPPED = frozenset({"name", "title", "description", "sources"})
"""Keys of a file that are told elsewhere on the sheet."""
UNITS: dict[str, str] = {
    "_kg_m2": "kg m^2",
    "_N_m_V": "N m/V",
    "_N_m_s": "N m s",
    "_N_m": "N m",
    "_m_s2": "m/s^2",
    "_m_s": "m/s",
    "_deg_s": "deg/s",
    "_per_deg": "1/deg",
    "_deg": "deg",
    "_kg": "kg",
    "_hz": "Hz",
    "_V": "V",
    "_m": "m",
}
"""The unit that the end of a key spells, longer ends first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value of a file, or one that follows from them."""

    name: str
    """Its key in the file, or what it is."""
    value: Any
    """What it is."""
    unit: str = ""
    """Its unit; "1" for a ratio or a count, empty for a word."""
    source: str = ""
    """Where it comes from."""

    @property
    def text(self) -> str:
        """The value in few digits."""
        many = isinstance(self.value, list | tuple)
        return ", ".join(format_number(v) for v in (self.value if many else [self.value]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A robot or a course in words and numbers."""

    kind: str
    """`robot` or `course`."""
    name: str
    """What it is called."""
    title: str
    """What it is, in one line."""
    description: str
    """What else a reader should know."""
    values: Sequence[Value]
    """What its file says."""
    derived: Sequence[Value]
    """What follows from that."""

    def to_dict(self) -> dict[str, Any]:
        """Return the sheet as JSON knows it."""
        return asdict(self)

    def print(self, terminal: Terminal) -> None:
        """Write the sheet for a person."""
        terminal.heading(f"{self.name}: {self.title}")
        terminal.line(" ".join(self.description.split()))
        terminal.line()
        terminal.heading("As given")
        numbers = {
            source: number
            for number, source in enumerate(
                dict.fromkeys(v.source for v in self.values if v.source), start=1
            )
        }
        given = [(v.name, v.text, v.unit, _cite(v.source, numbers)) for v in self.values]
        terminal.table(("key", "value", "unit", "source"), given)
        terminal.heading("Sources")
        for source, number in numbers.items():
            terminal.line(f"{number:>3}  {source}")
        terminal.line()
        for mark, meaning in MARKS.items():
            terminal.line(f"[{mark}]  {meaning}")
        terminal.line()
        terminal.heading("What follows")
        follows = [(v.name, v.text, v.unit, v.source) for v in self.derived]
        terminal.table(("quantity", "value", "unit", "from"), follows)


def _cite(source: str, numbers: Mapping[str, int]) -> str:
    """Return the marks of a source and its number in the list of sources."""
    marks = "".join(re.findall(r"\[[A-Z]\]", source))
    return f"{marks} {numbers[source]}".strip() if source else ""


def given_values(content: Mapping[str, Any], sources: Mapping[str, str]) -> list[Value]:
    """Return all values of a parsed file, each with the unit of its key and its source."""
    rows: list[Value] = []
    for key, value in _walk("", {k: v for k, v in content.items() if k not in SKIPPED}):
        is_word = isinstance(value, str | bool)
        unit = "" if is_word else _unit(key)
        rows.append(Value(name=key, value=value, unit=unit, source=_source(sources, key, value)))
    return rows


def _walk(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every word, number and list of numbers by its key, such as `tracks[0].width_m`."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _walk(f"{place}.{key}" if place else key, inner)
    elif isinstance(value, list) and any(isinstance(v, Mapping | list) for v in value):
        for index, inner in enumerate(value):
            yield from _walk(f"{place}[{index}]", inner)
    else:
        yield place, value


def _source(sources: Mapping[str, str], key: str, value: Any) -> str:
    if isinstance(value, str | bool):
        return ""
    return find_source(sources, key) or find_source(sources, f"{key}[0]") or ""


def _unit(key: str) -> str:
    name = key.removesuffix(".default").removesuffix(".minimum").removesuffix(".maximum")
    name = name.split("[")[0] if name.endswith("]") else name
    return next((unit for end, unit in UNITS.items() if name.endswith(end)), "1")
