"""One run, described and run: scenarios as files, as objects, and from logs."""

from grouser.scenario.parts import (
    FlipperKeyframe,
    Part,
    Start,
    Stop,
    Variation,
    default_speed,
    parse_flippers,
    parse_start,
)
from grouser.scenario.run import Loaded, Run, StuckTimer, run
from grouser.scenario.scenario import (
    Scenario,
    course_of_log,
    load_again,
    replay,
    robot_of_log,
)

__all__ = [
    "FlipperKeyframe",
    "Loaded",
    "Part",
    "Run",
    "Scenario",
    "Start",
    "Stop",
    "StuckTimer",
    "Variation",
    "course_of_log",
    "default_speed",
    "load_again",
    "parse_flippers",
    "parse_start",
    "replay",
    "robot_of_log",
    "run",
]
