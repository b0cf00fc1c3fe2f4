"""Scenarios as TOML: what a file may hold, all its mistakes at once, and how one is written.

The content of a file is a plain mapping. The same mapping is what `Scenario.content` returns and
what the provenance of a log holds; only the short forms of a file are not used there.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Strict

from grouser import limits
from grouser.description.schema import Factor, NotNegative, Number, Positive, Table, parse_table
from grouser.errors import GrouserError, InvalidDescription, InvalidValue, UnknownName, show_value
from grouser.scenario.parts import FACTORS, FlipperKeyframe, Part, Start, Stop, Variation

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


class _Start(Table):
    x_m: Number = 0.0
    y_m: Number = 0.0
    z_m: Number | None = None
    yaw_deg: Number | None = None
    yaw_rad: Number | None = None
    roll_deg: Number | None = None
    roll_rad: Number | None = None
    pitch_deg: Number | None = None
    pitch_rad: Number | None = None


class _Keyframe(Table):
    at_s: NotNegative
    angles_deg: tuple[Number, ...] = ()
    angles_rad: tuple[Number, ...] = ()


class _Variation(Table):
    friction: Factor = 1.0
    mass: Factor = 1.0
    gain_left: Factor = 1.0
    gain_right: Factor = 1.0


class _File(Table):
    grouser: Literal[1] = FORMAT
    robot: _Robot = None
    course: _Other = None
    model: _Other = None
    driver: _Other = None
    start: _Start | None = None
    speed_m_s: Positive | None = None
    tick_s: Positive | None = None
    duration_s: Positive | None = None
    stuck_after_s: Positive | None = None
    tipped_deg: Positive | None = None
    tipped_rad: Positive | None = None
    seed: int = 0
    contacts: Annotated[bool, Strict()] = False
    flippers: tuple[_Keyframe, ...] = ()
    observers: tuple[_Other, ...] = ()
    variation: _Variation = _Variation()


def parse_content(
    content: Mapping[str, Any],
    origin: str,
    find_more: Callable[[_File], Iterator[str]] | None = None,
) -> dict[str, Any]:
    """Return the fields of a scenario from the content of a file.

    Raises:
        InvalidDescription: It has mistakes; all of them are listed.
    """
    seed = content.get("seed", 0)
    # Ranges of numbers go by their units; a seed may be larger than any plain number.
    mistakes, rest = [], {key: value for key, value in content.items() if key != "seed"}
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= limits.SEED:
        required = f"be a whole number from 0 to {limits.SEED}"
        mistakes.append(f"seed must {required}, not {show_value(seed)}")
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
        raise InvalidDescription(origin, mistakes)
    return found


def _only_parts(content: Mapping[str, Any]) -> _File:
    """Return the parts of a file that has mistakes elsewhere, those without mistakes."""
    known: dict[str, Part] = {}
    for kind in ("robot", "course", "model", "driver"):
        try:
            known[kind] = Part.of(content[kind], is_robot=kind == "robot")
        except (GrouserError, KeyError):
            continue
    return _File.model_construct(
        **{**dict.fromkeys(("robot", "course", "model", "driver")), **known}
    )


def _fields(file: _File) -> dict[str, Any]:
    """Return the fields of a scenario."""
    parts = ("robot", "course", "model", "driver")
    found: dict[str, Any] = {
        kind: getattr(file, kind) for kind in parts if getattr(file, kind) is not None
    }
    if (start := file.start) is not None:
        angles = {name: _angle("start", start, name) for name in ("roll", "pitch", "yaw")}
        angles["yaw"] = angles["yaw"] or 0.0
        found["start_pose"] = Start(x=start.x_m, y=start.y_m, z=start.z_m, **angles)  # type: ignore[arg-type]
    found["stop"] = Stop(
        duration=file.duration_s, stuck_after=file.stuck_after_s, tipped=_angle("", file, "tipped")
    )
    found["flippers"] = tuple(
        FlipperKeyframe(
            time=row.at_s,
            angles=row.angles_rad or tuple(math.radians(angle) for angle in row.angles_deg),
        )
        for row in file.flippers
    )
    found["variation"] = Variation(**{name: getattr(file.variation, name) for name in FACTORS})
    return found | {
        "speed": file.speed_m_s,
        "tick": file.tick_s,
        "observers": file.observers,
        "contacts": file.contacts,
    }


def _angle(place: str, table: Table, name: str) -> float | None:
    degrees, radians = getattr(table, f"{name}_deg"), getattr(table, f"{name}_rad")
    if degrees is not None and radians is not None:
        key = f"{place}.{name}" if place else name
        raise InvalidValue(f"{key}_deg", "both", f"come without {name}_rad")
    return math.radians(degrees) if degrees is not None else radians


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
    for key, part, check in checks:
        try:
            if part is not None:
                check(part)
        except InvalidDescription as error:
            yield from (f"{key}: {error.origin}: {mistake}" for mistake in error.mistakes)
        except GrouserError as error:
            yield f"{key}: {error}"


def place_beside(part: Part, folder: Path) -> Part:
    """Return a part whose files lie beside a scenario's file, if their paths are relative."""
    parameters = {
        key: str(folder / value) if _is_beside(key, value) else value
        for key, value in part.parameters.items()
    }
    name = str(folder / part.name) if part.is_file and not part.text else part.name
    return replace(part, name=name, parameters=parameters)


def _is_beside(key: str, value: Any) -> bool:
    is_file = key in FILE_KEYS and isinstance(value, str)
    return is_file and (key != "rig" or Part(name=value).is_file)


def describe(scenario: "Scenario", *, with_texts: bool) -> dict[str, Any]:
    """Return a scenario as the content of a file; defaults are left out."""
    found: dict[str, Any] = {"grouser": FORMAT}
    for kind in ("robot", "course", "model", "driver"):
        found[kind] = getattr(scenario, kind).content(with_text=with_texts)
    if (start := scenario.start_pose) is not None:
        found["start"] = {"x_m": start.x, "y_m": start.y, **_spell("yaw", start.yaw)}
        found["start"] |= {} if start.z is None else {"z_m": start.z}
        for name in ("roll", "pitch"):
            if (angle := getattr(start, name)) is not None:
                found["start"] |= _spell(name, angle)
    stop = scenario.stop
    numbers = {
        "speed_m_s": scenario.speed,
        "tick_s": scenario.tick,
        "duration_s": stop.duration,
        "stuck_after_s": stop.stuck_after,
    }
    found |= {key: value for key, value in numbers.items() if value is not None}
    found |= {} if stop.tipped is None else _spell("tipped", stop.tipped)
    found["seed"] = scenario.seed
    found |= {"contacts": True} if scenario.contacts else {}
    factors = {name: getattr(scenario.variation, name) for name in FACTORS}
    if changed := {name: factor for name, factor in factors.items() if factor != 1.0}:
        found["variation"] = changed
    if scenario.flippers:
        found["flippers"] = [_describe_keyframe(keyframe) for keyframe in scenario.flippers]
    if scenario.observers:
        found["observers"] = [_table(part.content()) for part in scenario.observers]
    return found


def _describe_keyframe(keyframe: FlipperKeyframe) -> dict[str, Any]:
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


def _table(content: str | dict[str, Any]) -> dict[str, Any]:
    return {"name": content} if isinstance(content, str) else content


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
