"""Changes of a scenario: `--set`, the words of `grouser run`, and events of a file.

Nonsense: a scenario that does not come back from its own content, seeds and factors that are not
numbers of their range, events out of order or with numbers that are absurd, a motion that is not
finite.
"""

import json
import math
from dataclasses import fields
from pathlib import Path
from typing import Any

from cyclopts import CycloptsError

from grouser.cli.app import explain_usage, make_app
from grouser.cli.options import NO_OPTIONS, ScenarioOptions
from grouser.errors import GrouserError
from grouser.models import Motion, command_sides
from grouser.scenario import Scenario
from grouser.scenario.run import Loaded
from tests.fuzz.target import Target, require, write_input

BASE = Scenario(course="flat", model="slip", driver="constant")
KEYS = (
    "robot.body.mass_kg", "robot.drive.speed_limit_m_s", "robot.slip.left", "course.surfaces",
    "course.surfaces.ground.friction", "model.patches", "driver.speed", "stop.duration",
    "stop.tipped", "variation.friction", "variation.mass", "flippers.front_raised_deg",
)  # fmt: skip
FIELDS = tuple(field.name for field in fields(Scenario))
TICKS = 3


Driven = tuple[Loaded, Motion]
"""A loaded scenario, and its robot after some ticks."""


def _load(scenario: Scenario) -> Driven:
    """Drive a scenario; what was accepted comes back from its own content."""
    loaded = scenario.load()
    plain = json.loads(json.dumps(scenario.content(), allow_nan=False))
    require(Scenario.from_content(plain) == scenario, "it does not come back from JSON")
    simulation = loaded.start()
    for _ in range(TICKS):
        simulation.advance(command_sides(loaded.robot, 0.05, 0.05))
    return loaded, simulation.motion


def _set(content: bytes, folder: Path) -> Driven:
    words = tuple(content.decode("utf-8", "replace").split("\n"))
    return _load(ScenarioOptions(changes=words).change(BASE))


def _run_words(content: bytes, folder: Path) -> Driven:
    """Parse the words of `grouser run` as a shell hands them on, and load what they ask for."""
    words = [word for word in content.decode("utf-8", "replace").split(" ") if word]
    if {"--help", "-h", "--version"} & set(words) or any("\0" in word for word in words):
        return _load(BASE)
    try:
        _, bound, _ = make_app().parse_args(["run", *words], print_error=False)
    except CycloptsError as error:
        raise GrouserError(explain_usage(error)) from None
    given = [part for part in bound.arguments.values() if isinstance(part, ScenarioOptions)]
    return _load((given or [NO_OPTIONS])[0].change(BASE))


def _events(content: bytes, folder: Path) -> Driven:
    return _load(Scenario.read(write_input(folder, ".toml", content)))


def _check(driven: Driven) -> None:
    loaded, motion = driven
    scenario, pose = loaded.scenario, motion.pose
    require(type(scenario.seed) is int and 0 <= scenario.seed < 2**63, f"seed {scenario.seed!r}")
    factors = scenario.variation
    require(1e-4 < factors.friction * factors.mass < 1e7, f"factors {factors}")
    require(0.0 < loaded.speed < 1e5, f"speed {loaded.speed}")
    require(all(0.0 <= event.time < 1e8 for event in scenario.events), "times of events")
    numbers: list[Any] = [pose.x, pose.y, pose.z, pose.yaw]
    require(all(math.isfinite(n) and abs(n) < 1e6 for n in numbers), f"pose {pose}")


EVENTS = b"""course = "flat"
model = "slip"
driver = "constant"
[[events]]
at_s = 0.0
place = { x_m = 0.5, y_m = -0.25, z_m = 0.0, yaw_rad = 1.5 }
[[events]]
at_s = 0.02
set = { "variation.gain_left" = 0.8, "robot.body.mass_kg" = 3.0 }
"""
WORDS = (
    "push_N = [1.0, 0.0, 0.0]", "for_s = 1e-9", "kick_N_s = [1e12, 0, 0]", "let_go = true",
    "pull_to_m = [1e9, 0, 0]", "stiffness_N_m = 1e300", "point_m = [1e9, 0, 0]", "[[events]]",
    "limit_N = 1e-300", "at_s = -1", "events = 1", "variation = 2", "observers = 1.5",
)  # fmt: skip

TARGETS = [
    Target(
        name="scenario changes",
        samples=lambda: [
            b"robot.body.mass_kg=3\ncourse.surfaces.ground.friction=0.4",
            b"variation.gain_left=0.8\nstop.stuck_after=3",
            b"stop.duration=2\nspeed=0.1",
            b"tick=0.01",
        ],
        attempt=_set,
        check=_check,
        names_file=False,
        words=(*FIELDS, *KEYS, "=", "-1", "1.5", "1" + 400 * "0", "True", "[]", "none"),
    ),
    Target(
        name="run words",
        samples=lambda: [
            b"--course flat --model slip --seed 3 --speed 0.1 --duration 2",
            b"--start 0.5,0,90 --set variation.gain_left=1.1 --set robot.body.mass_kg=3",
            b"--model ideal --driver constant:left=0.1,right=0.2 --dt 0.01",
        ],
        attempt=_run_words,
        check=_check,
        names_file=False,
        words=("--seed", "-1", "--set", "--speed", "--start", "--model", "--observe", *FIELDS),
    ),
    Target(
        name="scenario events",
        samples=lambda: [EVENTS],
        attempt=_events,
        check=_check,
        names_file=False,
        words=WORDS,
    ),
]
