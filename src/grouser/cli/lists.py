"""`grouser robots`, `courses`, `models` and `drivers`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from operator import itemgetter
from typing import Any

from grouser.cli.options import Json
from grouser.cli.terminal import Terminal
from grouser.units import format_number

SHOW = "grouser show NAME prints everything about one of them."


def _write(
    content: Sequence[Mapping[str, Any]],
    columns: Mapping[str, Callable[[dict[str, Any]], str]],
    words: str,
    *,
    as_json: bool,
    numbers: Sequence[int] = (),
) -> None:
    """Write JSON, or a table whose columns are functions of a row, and a sentence below it."""
    terminal = Terminal()
    if as_json:
        terminal.json(content)
        return
    rows = [[text(dict(row)) for text in columns.values()] for row in content]
    terminal.table(tuple(columns), rows, numbers=numbers)
    terminal.line(words)


def _number(key: str) -> Callable[[dict[str, Any]], str]:
    return lambda row: "none" if row[key] is None else format_number(row[key])


def _names(key: str, otherwise: str = "") -> Callable[[dict[str, Any]], str]:
    return lambda row: ", ".join(row[key]) or otherwise


def list_robots(*, as_json: Json = False) -> None:
    """List the robots that come with grouser."""
    from grouser.description import load_robot, robot_names

    content = [
        {
            "name": robot.name,
            "title": robot.title,
            "mass_kg": robot.mass,
            "length_m": robot.front - robot.rear,
            "gauge_m": robot.gauge,
            "speed_limit_m_s": robot.drive.speed_limit,
            "tracks": len(robot.tracks),
            "flippers": len(robot.flippers),
            "wheels": len(robot.wheels),
            "sources": papers_of(robot.sources),
        }
        for robot in map(load_robot, robot_names())
    ]
    columns = {
        "name": itemgetter("name"),
        "what it is": itemgetter("title"),
        "mass kg": _number("mass_kg"),
        "length m": _number("length_m"),
        "gauge m": _number("gauge_m"),
        "speed m/s": _number("speed_limit_m_s"),
        "source": _names("sources"),
    }
    _write(content, columns, SHOW, as_json=as_json, numbers=range(2, 6))


def list_courses(*, as_json: Json = False) -> None:
    """List the courses that come with grouser."""
    from grouser.description import listed_courses
    from grouser.models import able_models

    content = [
        {
            "name": course.name,
            "group": course.group,
            "title": course.title,
            "path_length_m": course.path.length if course.path else None,
            "speed_m_s": course.speed,
            "features": sorted(course.features),
            "parameters": course.parameters,
            "models": able_models(course),
            "sources": papers_of(course.sources),
        }
        for course in listed_courses()
    ]
    columns = {
        "name": itemgetter("name"),
        "group": itemgetter("group"),
        "what it is": itemgetter("title"),
        "path m": _number("path_length_m"),
        "models that can": _names("models", "none yet"),
        "parameters": lambda row: ", ".join(
            f"{name}={format_number(value)}" for name, value in row["parameters"].items()
        ),
        "source": _names("sources"),
    }
    _write(content, columns, SHOW, as_json=as_json, numbers=(3,))


def list_models(*, as_json: Json = False) -> None:
    """List the models: how a robot can move, from the simplest to the most detailed."""
    from grouser.models import CATALOGUE

    content = [
        {
            "name": name,
            "summary": kind.summary,
            "features": sorted(kind.features),
            "parameters": {field.name: field.default for field in fields(kind)},
            "source": kind.source,
            "engine": kind.computed_by,
        }
        for name, kind in CATALOGUE.items()
    ]
    columns = {
        "name": itemgetter("name"),
        "what it is": itemgetter("summary"),
        "can drive": _names("features", "level ground only"),
        "parameters": _names("parameters"),
        "source": itemgetter("source"),
    }
    words = "Parameters follow the name, as in --model slip:step_mode=paper."
    _write(content, columns, words, as_json=as_json)


def list_drivers(*, as_json: Json = False) -> None:
    """List the drivers that can give the belt speeds of a run, and their keys."""
    from grouser.drivers import DRIVERS

    content = [
        {"name": name, "summary": kind.summary, "keys": kind.keys} for name, kind in DRIVERS.items()
    ]
    columns = {
        "name": itemgetter("name"),
        "what it does": itemgetter("summary"),
        "keys": lambda row: "\n".join(f"{key}: {text}" for key, text in row["keys"].items()),
    }
    words = "Keys follow the name, as in --drive legs:speed=0.2,duration=2,count=10."
    _write(content, columns, words, as_json=as_json)


def papers_of(sources: Mapping[str, str]) -> list[str]:
    """Return the papers that the sources of a description name, such as P0, sorted."""
    return sorted({paper for text in sources.values() for paper in re.findall(r"\bP\d\b", text)})
