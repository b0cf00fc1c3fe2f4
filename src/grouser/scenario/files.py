"""Scenarios as TOML: what a file may hold, all its mistakes at once, and how one is written.

The content of a file is a plain mapping. The same mapping is what `Scenario.content` returns and
what the provenance of a log holds; only the short forms of a file are not used there.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Strict, create_model

from grouser.description.schema import NotNegative, Number, Positive, Table, parse_table
from grouser.errors import GrouserError, InvalidDescription, InvalidValue, UnknownName
from grouser.scenario.events import EventTable, read_event
from grouser.scenario.parts import (
    PARTS,
    FlipperKeyframe,
    Part,
    Start,
    Stop,
    Variation,
    parse_flippers,
)
from grouser.shelf import locate
from grouser.units import check_seed

if TYPE_CHECKING:
    from grouser.scenario.scenario import Scenario

FORMAT = 1
"""Version of the format of scenario files."""
FILE_KEYS = ("log", "file", "rig")
"""Parameters of drivers and observers that name files, looked for beside the scenario's file."""
_CONTROL = {code: f"\\u{code:04x}" for code in (*range(32), 127)}


def _part(*, is_robot: bool = False) -> AfterValidator:
    def convert(given: Any) -> Part:
        try:
            return Part.of(given, is_robot=is_robot)
        except GrouserError as error:
            raise ValueError(str(error)) from None

    return AfterValidator(convert)


_Robot = Annotated[Any, _part(is_robot=True)]
_Other = Annotated[Any, _part()]


def _keys_of(kind: type[Any]) -> dict[str, Any]:
    """Return the keys of the quantities of an object, for `create_model`; angles have two."""
    keys: dict[str, Any] = {}
    for one in fields(kind):
        number = one.metadata["number"]
        for key in _spellings(one):
            has_default = one.default is not None and one.metadata["unit"] != "rad"
            keys[key] = (number, one.default) if has_default else (number | None, None)
    return keys


def _spellings(one: Field[Any]) -> list[str]:
    unit = one.metadata["unit"]
    units = ["_deg", "_rad"] if unit == "rad" else [f"_{unit}" if unit != "1" else ""]
    return [one.name + suffix for suffix in units]


def _read(kind: type[Any], table: Table, place: str = "") -> Any:
    """Return the object of a table that has the keys of `_keys_of`."""
    values: dict[str, float] = {}
    for one in fields(kind):
        given = {key: getattr(table, key) for key in _spellings(one)}
        known = [(key, value) for key, value in given.items() if value is not None]
        if len(known) > 1:
            raise InvalidValue(f"{place}{one.name}_deg", "both", f"come without {one.name}_rad")
        for key, value in known:
            values[one.name] = math.radians(value) if key.endswith("_deg") else value
    return kind(**values)


def _write(value: Any, *, always: tuple[str, ...] = ()) -> dict[str, float]:
    """Return keys and numbers of an object; defaults are left out unless `always` names them."""
    found: dict[str, float] = {}
    for one in fields(value):
        number, is_angle = getattr(value, one.name), one.metadata["unit"] == "rad"
        if number != one.default or one.name in always:
            found |= _spell(one.name, number) if is_angle else {_spellings(one)[0]: number}
    return found


_Start = create_model("_Start", __base__=Table, **_keys_of(Start))
_Variation = create_model("_Variation", __base__=Table, **_keys_of(Variation))
_Stop = create_model("_Stop", __base__=Table, **_keys_of(Stop))


class _Keyframe(Table):
    at_s: NotNegative
    angles_deg: tuple[Number, ...] = ()
    angles_rad: tuple[Number, ...] = ()
    posture: Annotated[str, Strict()] = ""


def _keyframes_of_word(given: Any) -> Any:
    """Return the tables of keyframes that a text stands for, as `auto`."""
    if not isinstance(given, str):
        return given
    try:
        return [_describe_keyframe(keyframe) for keyframe in parse_flippers(given)]
    except InvalidValue as error:
        raise ValueError(str(error)) from None


class _File(_Stop):
    grouser: Literal[1] = FORMAT
    robot: _Robot = None
    course: _Other = None
    model: _Other = None
    driver: _Other = None
    start: _Start | None = None  # pyright: ignore[reportInvalidTypeForm]
    speed_m_s: Positive | None = None
    tick_s: Positive | None = None
    seed: int = 0
    contacts: Annotated[bool, Strict()] = False
    flippers: Annotated[tuple[_Keyframe, ...], BeforeValidator(_keyframes_of_word)] = ()
    observers: tuple[_Other, ...] = ()
    variation: _Variation = _Variation()  # pyright: ignore[reportInvalidTypeForm]
    events: tuple[EventTable, ...] = ()


def parse_content(
    content: Mapping[str, Any],
    origin: str,
    find_more: Callable[[_File], Iterator[str]] | None = None,
) -> dict[str, Any]:
    """Return the fields of a scenario; InvalidDescription lists all mistakes of the content."""
    seed = content.get("seed", 0)
    # Ranges of numbers go by their units; a seed may be larger than any plain number.
    mistakes, rest = [], {key: value for key, value in content.items() if key != "seed"}
    try:
        check_seed(seed)
    except InvalidValue as error:
        mistakes.append(str(error))
    try:
        file = parse_table(_File, rest, origin)
        found = {**_fields(file), "seed": seed}
    except InvalidDescription as error:
        mistakes += error.mistakes
        file, found = _only_parts(rest), {}
    except InvalidValue as error:
        mistakes.append(str(error))
        file, found = _only_parts(rest), {}
    mistakes += list(find_more(file)) if find_more is not None else []
    if mistakes:
        raise InvalidDescription(origin, mistakes, may_be_more=not found)
    return found


def _only_parts(content: Mapping[str, Any]) -> _File:
    """Return the parts of a file that has mistakes elsewhere, those without mistakes."""
    known: dict[str, Any] = dict.fromkeys(PARTS)
    for kind in PARTS:
        with suppress(GrouserError, KeyError):
            known[kind] = Part.of(content[kind], is_robot=kind == "robot")
    return _File.model_construct(**known)


def _fields(file: _File) -> dict[str, Any]:
    """Return the fields of a scenario."""
    found: dict[str, Any] = {
        kind: getattr(file, kind) for kind in PARTS if getattr(file, kind) is not None
    }
    if file.start is not None:
        found["start_pose"] = _read(Start, file.start, "start.")
    found["stop"] = _read(Stop, file)
    found["flippers"] = tuple(
        FlipperKeyframe(
            time=row.at_s,
            angles=row.angles_rad or tuple(math.radians(angle) for angle in row.angles_deg),
            posture=row.posture,
        )
        for row in file.flippers
    )
    found["variation"] = _read(Variation, file.variation)
    found["events"] = tuple(event for row in file.events for event in read_event(row))
    return found | {
        "speed": file.speed_m_s,
        "tick": file.tick_s,
        "observers": file.observers,
        "contacts": file.contacts,
    }


def find_wrong_names(file: _File) -> Iterator[str]:
    """Yield a sentence for each name or parameter that does not exist, or has a wrong value."""
    from grouser.drivers import DRIVERS
    from grouser.models import make_model
    from grouser.scenario.observers import check_observer

    def check_driver(part: Part) -> None:
        if part.name not in DRIVERS:
            raise UnknownName("driver", part.name, DRIVERS)
        for key in part.parameters:
            if key not in DRIVERS[part.name].keys:
                raise UnknownName(f"key of driver {part.name!r}", key, DRIVERS[part.name].keys)

    checks: list[tuple[str, Part | None, Callable[[Part], object]]] = [
        ("robot", file.robot, Part.load_robot),
        ("course", file.course, Part.load_course),
        ("model", file.model, lambda part: make_model(part.name, **part.parameters)),
        ("driver", file.driver, check_driver),
        *((f"observers[{i}]", part, check_observer) for i, part in enumerate(file.observers)),
    ]
    if file.flippers:
        checks.append(("flippers", file.robot, lambda part: _check_postures(file, part)))
    for key, part, check in checks:
        try:
            if part is not None:
                check(part)
        except InvalidDescription as error:
            yield from (f"{key}: {error.origin}: {mistake}" for mistake in error.mistakes)
        except GrouserError as error:
            yield f"{key}: {error}"


def _check_postures(file: _File, part: Part) -> None:
    try:
        robot = part.load_robot()
    except GrouserError:  # of which `robot` tells
        return
    for row in file.flippers:
        if row.posture:
            FlipperKeyframe(time=row.at_s, posture=row.posture).aim_of(robot)


def place_beside(part: Part, folder: Path, kind: str) -> Part:
    """Return a part, of a key, whose files lie beside a scenario's file if paths are relative."""
    parameters = dict(part.parameters)
    for key in set(FILE_KEYS) & set(parameters):
        value = parameters[key]
        if isinstance(value, str) and (key != "rig" or Part(name=value).is_file):
            parameters[key] = str(locate(folder, value, f"{kind}.{key}"))
    is_named = part.is_file and not part.text
    name = str(locate(folder, part.name, kind)) if is_named else part.name
    return replace(part, name=name, parameters=parameters)


def describe(scenario: "Scenario", *, with_texts: bool) -> dict[str, Any]:
    """Return a scenario as the content of a file; defaults are left out."""
    found: dict[str, Any] = {"grouser": FORMAT}
    for kind in PARTS:
        found[kind] = getattr(scenario, kind).content(with_text=with_texts)
    if (start := scenario.start_pose) is not None:
        found["start"] = _write(start, always=("x", "y", "yaw"))
    numbers = {"speed_m_s": scenario.speed, "tick_s": scenario.tick}
    found |= {key: value for key, value in numbers.items() if value is not None}
    found |= _write(scenario.stop)
    found["seed"] = scenario.seed
    found |= {"contacts": True} if scenario.contacts else {}
    if changed := _write(scenario.variation):
        found["variation"] = changed
    if scenario.flippers:
        found["flippers"] = [_describe_keyframe(keyframe) for keyframe in scenario.flippers]
    if scenario.observers:
        found["observers"] = [part.table() for part in scenario.observers]
    if scenario.events:
        found["events"] = [event.content() for event in scenario.events]
    return found


def _describe_keyframe(keyframe: FlipperKeyframe) -> dict[str, Any]:
    if keyframe.posture:
        return {"at_s": keyframe.time, "posture": keyframe.posture}
    spelt = [_spell("angles", angle) for angle in keyframe.angles]
    if all("angles_deg" in angle for angle in spelt):
        return {"at_s": keyframe.time, "angles_deg": [angle["angles_deg"] for angle in spelt]}
    return {"at_s": keyframe.time, "angles_rad": list(keyframe.angles)}


def _spell(name: str, angle: float) -> dict[str, float]:
    """Return an angle [rad] in degrees, or in radians where no degrees give exactly this one."""
    near = math.degrees(angle)
    for degrees in (round(near, 9), near, math.nextafter(near, 1e9), math.nextafter(near, -1e9)):
        if math.radians(degrees) == angle:
            return {f"{name}_deg": degrees}
    return {f"{name}_rad": angle}


def write_toml(content: Mapping[str, Any]) -> str:
    """Return the content of a scenario as TOML."""
    lists = {key: value for key, value in content.items() if isinstance(value, list)}
    lines = [f"{key} = {_value(value)}" for key, value in content.items() if key not in lists]
    for key, tables in lists.items():
        for table in tables:
            lines += ["", f"[[{key}]]", *(f"{_key(k)} = {_value(v)}" for k, v in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{_key(key)} = {_value(inner)}" for key, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(inner) for inner in value)}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _text(value) if isinstance(value, str) else repr(value)


def _key(key: str) -> str:
    is_bare = key.isascii() and key.replace("_", "a").replace("-", "a").isalnum()
    return key if is_bare else _text(key)


def _text(text: str) -> str:
    plain = text.replace("\n", "").replace("\t", "")
    if "\n" in text and "'''" not in text and plain.translate(_CONTROL) == plain:
        return f"'''\n{text}'''" if not text.endswith("'") else _quote(text)
    return _quote(text)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).translate({127: "\\u007f"})
