"""Words of the command line: flippers, start poses, axes of a sweep, requests to identify.

Nonsense: times that do not rise, angles or places that are absurd, an axis of one value or of
values that do not rise, a gauge of nothing, a number of a turn below 1.
"""

import math
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from cyclopts import CycloptsError

from grouser.cli.app import explain_usage, make_app
from grouser.cli.identify import Request
from grouser.description import load_robot
from grouser.drivers import WithFlippers
from grouser.errors import GrouserError
from grouser.geometry import Pose
from grouser.scenario import FlipperKeyframe, Scenario, parse_flippers, parse_start
from grouser.sweep import Sweep, choose_sweep
from tests.fuzz.target import Target, require

ROBOT = load_robot("absolem")


def _text(content: bytes) -> str:
    return content.decode(errors="surrogateescape")


def _flippers(content: bytes, folder: Path) -> tuple[FlipperKeyframe, ...]:
    keyframes = parse_flippers(_text(content))
    schedule = [(keyframe.time, keyframe.angles) for keyframe in keyframes]
    WithFlippers(lambda time, motion: None, ROBOT, schedule)
    return keyframes


def _check_flippers(keyframes: tuple[FlipperKeyframe, ...]) -> None:
    times = [keyframe.time for keyframe in keyframes]
    require(bool(times) and times[0] >= 0.0 and times[-1] < 1e8, f"times {times[:5]}")
    require(all(a < b for a, b in zip(times, times[1:], strict=False)), f"times {times[:5]}")
    require(all(abs(angle) < 1e5 for k in keyframes for angle in k.angles), "angles")


def _start(content: bytes, folder: Path) -> Pose:
    start = parse_start(_text(content), "--start")
    return Scenario(course="ramp", driver="constant", start_pose=start).load().start_pose


def _check_start(pose: Pose) -> None:
    numbers = [float(number) for number in (pose.x, pose.y, pose.z, pose.roll, pose.pitch)]
    require(all(math.isfinite(number) and abs(number) < 1e6 for number in numbers), f"{pose}")
    require(abs(float(pose.yaw)) < 1e5, f"{pose}")


def _axes(content: bytes, folder: Path) -> Sweep:
    x, _, y = _text(content).partition(" ")
    chosen = choose_sweep("slope", x, y)
    for axis in (chosen.x, chosen.y):
        loaded = chosen.scenario.vary(axis.key, axis.values[0]).load()
        _ = (loaded.robot.mass, loaded.course.path, axis.title)
    return chosen


def _check_axes(chosen: Sweep) -> None:
    for axis in (chosen.x, chosen.y):
        require(1 < len(axis.values) <= 10_000, f"{len(axis.values)} values")
        require(bool(np.all(np.diff(axis.values) > 0.0)), f"values {axis.values[:5]}")
        require(max(map(abs, axis.values)) <= 1e12, f"values {axis.values[:5]}")


def _identify(content: bytes, folder: Path) -> dict[str, Any]:
    """Parse the words, but read no log; what the parser rejects is explained as the command does.

    Empty words are left out, as a shell does.
    """
    words = [word for word in _text(content).split(" ") if word and "\0" not in word]
    if {"--help", "-h", "--version"} & set(words):
        return {}
    try:
        _, bound, _ = make_app().parse_args(["identify", *words], print_error=False)
    except CycloptsError as error:
        raise GrouserError(explain_usage(error)) from None
    given = bound.arguments
    request = given.get("request", Request())
    request.check()
    return {
        field.name: value
        for options in (request, given.get("work"))
        if options is not None
        for field in fields(options)
        if (value := getattr(options, field.name)) not in (None, ())
    }


def _check_identify(given: dict[str, Any]) -> None:
    require(1e-7 < given.get("gauge", 1.0) < 1e6, f"gauge {given.get('gauge')}")
    require(all(0 < turn < 2**32 for turn in given.get("leave_out", ())), "turns")
    require(0 <= given.get("seed", 0) < 2**64, f"seed {given.get('seed')}")
    require(1 <= given.get("workers", 1) <= 10_000, f"workers {given.get('workers')}")


TARGETS = [
    Target(
        name="flipper schedule",
        samples=lambda: [b"0=-30/-30/0/0;4=20/20/0/0", b"1.5=10/10/-10/-10"],
        attempt=_flippers,
        check=_check_flippers,
        names_file=False,
        words=(";", "=", "/", "0=1/1/1/1"),
    ),
    Target(
        name="start pose",
        samples=lambda: [b"0.5,0,90", b"-1.25,0.1,-45.5"],
        attempt=_start,
        check=_check_start,
        names_file=False,
        words=(",", "1e5", "-"),
    ),
    Target(
        name="sweep axes",
        samples=lambda: [
            b"course.angle_deg=0:20:5 robot.body.mass_kg=1,2,3",
            b"drive.speed=0.1,0.2 course.surfaces.ground.friction=0.1:1:0.3",
        ],
        attempt=_axes,
        check=_check_axes,
        names_file=False,
        words=(":", "=", ",", "robot.", "course.terrain", "model.", "flippers.all_raised_deg"),
    ),
    Target(
        name="identify words",
        samples=lambda: [
            b"run.csv --gauge 0.3 --leave-out 1 2 --seed 3 --workers 2",
            b"a.csv b.csv --family icr slip --robot tp100 --json",
        ],
        attempt=_identify,
        check=_check_identify,
        names_file=False,
        words=("--gauge", "--seed", "--workers", "--leave-out", "--family", "--"),
    ),
]
