"""`grouser robots`, `courses`, `models` and `drivers`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING

from grouser.cli.options import Json
from grouser.cli.terminal import Terminal
from grouser.units import format_number

if TYPE_CHECKING:
    pass


def list_robots(*, as_json: Json = False) -> None:
    """List the robots that come with grouser."""
    from grouser.description import load_robot, robot_names

    robots = [load_robot(name) for name in robot_names()]
    terminal = Terminal()
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
        for robot in robots
    ]
    if as_json:
        terminal.json(content)
        return
    numbers = ("mass_kg", "length_m", "gauge_m", "speed_limit_m_s")
    headings = ("name", "what it is", "mass kg", "length m", "gauge m", "speed m/s", "source")
    rows = [
        (
            row["name"],
            row["title"],
            *(format_number(row[key]) for key in numbers),
            ", ".join(row["sources"]),
        )
        for row in content
    ]
    terminal.table(headings, rows, numbers=range(2, 6))
    terminal.line("grouser show NAME prints everything about one of them.")


def list_courses(*, as_json: Json = False) -> None:
    """List the courses that come with grouser."""
    from grouser.description import course_names, load_course
    from grouser.models import able_models

    courses = [load_course(name) for name in course_names()]
    terminal = Terminal()
    content = [
        {
            "name": course.name,
            "title": course.title,
            "path_length_m": course.path.length if course.path else None,
            "speed_m_s": course.speed,
            "features": sorted(course.features),
            "parameters": course.parameters,
            "models": able_models(course),
            "sources": papers_of(course.sources),
        }
        for course in courses
    ]
    if as_json:
        terminal.json(content)
        return
    rows = [
        (
            row["name"],
            row["title"],
            "none" if row["path_length_m"] is None else format_number(row["path_length_m"]),
            ", ".join(row["models"]) or "none yet",
            ", ".join(f"{name}={value:g}" for name, value in row["parameters"].items()),
            ", ".join(row["sources"]),
        )
        for row in content
    ]
    headings = ("name", "what it is", "path m", "models that can", "parameters", "source")
    terminal.table(headings, rows, numbers=(2,))
    terminal.line("grouser show NAME prints everything about one of them.")


def list_models(*, as_json: Json = False) -> None:
    """List the models: how a robot can move, from the simplest to the most detailed."""
    from grouser.models import CATALOGUE

    terminal = Terminal()
    content = [
        {
            "name": name,
            "summary": kind.summary,
            "features": sorted(kind.features),
            "parameters": {field.name: field.default for field in fields(kind)},
            "source": kind.source,
            "engine": kind.engine,
        }
        for name, kind in CATALOGUE.items()
    ]
    if as_json:
        terminal.json(content)
        return
    rows = [
        (
            row["name"],
            row["summary"],
            ", ".join(row["features"]) or "level ground only",
            ", ".join(row["parameters"]),
            row["source"],
        )
        for row in content
    ]
    headings = ("name", "what it is", "can drive", "parameters", "source")
    terminal.table(headings, rows)
    terminal.line("Parameters follow the name, as in --model slip:step_mode=paper.")


def list_drivers(*, as_json: Json = False) -> None:
    """List the drivers that can give the belt speeds of a run, and their keys."""
    from grouser.drivers import DRIVERS

    terminal = Terminal()
    if as_json:
        content = [
            {"name": name, "summary": kind.summary, "keys": kind.keys}
            for name, kind in DRIVERS.items()
        ]
        terminal.json(content)
        return
    rows = [
        (name, kind.summary, "\n".join(f"{key}: {text}" for key, text in kind.keys.items()))
        for name, kind in DRIVERS.items()
    ]
    terminal.table(("name", "what it does", "keys"), rows)
    terminal.line("Keys follow the name, as in --drive legs:speed=0.2,duration=2,count=10.")


def papers_of(sources: Mapping[str, str]) -> list[str]:
    """Return the papers that the sources of a description name, such as P0, sorted."""
    return sorted({paper for text in sources.values() for paper in re.findall(r"\bP\d\b", text)})
