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
from grouser.scenario.run import Patience, Run, replay, run
from grouser.scenario.scenario import Scenario, course_of_log, robot_of_log

__all__ = [
    "FlipperKeyframe",
    "Part",
    "Patience",
    "Run",
    "Scenario",
    "Start",
    "Stop",
    "Variation",
    "course_of_log",
    "default_speed",
    "parse_flippers",
    "parse_start",
    "replay",
    "robot_of_log",
    "run",
]
