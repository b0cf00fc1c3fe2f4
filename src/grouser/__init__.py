"""Real-time, interactive simulation of tracked and skid-steer robots."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from grouser.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from grouser.control import PathFollower
    from grouser.description import Course, Robot, load_course, load_robot
    from grouser.errors import GrouserError
    from grouser.geometry import Pose, Twist
    from grouser.log import Log, compare, read_foreign, read_log, write_log
    from grouser.models import (
        Command,
        Model,
        Motion,
        Plant,
        command_sides,
        command_twist,
        make_model,
    )
    from grouser.report import write_page, write_picture
    from grouser.scenario import Scenario, replay, run
    from grouser.simulation import Simulation, run_batch

_HOME = {
    "control": ("PathFollower",),
    "description": ("Course", "Robot", "load_course", "load_robot"),
    "errors": ("GrouserError",),
    "geometry": ("Pose", "Twist"),
    "log": ("Log", "compare", "read_foreign", "read_log", "write_log"),
    "models": (
        "Command",
        "Model",
        "Motion",
        "Plant",
        "command_sides",
        "command_twist",
        "make_model",
    ),
    "report": ("write_page", "write_picture"),
    "scenario": ("Scenario", "replay", "run"),
    "simulation": ("Simulation", "run_batch"),
}

__all__ = [
    "Command",
    "Course",
    "GrouserError",
    "Log",
    "Model",
    "Motion",
    "PathFollower",
    "Plant",
    "Pose",
    "Robot",
    "Scenario",
    "Simulation",
    "Twist",
    "command_sides",
    "command_twist",
    "compare",
    "load_course",
    "load_robot",
    "make_model",
    "read_foreign",
    "read_log",
    "replay",
    "run",
    "run_batch",
    "write_log",
    "write_page",
    "write_picture",
]


def __getattr__(name: str) -> Any:
    # Imported when first used: a command line that prints its help need not wait for scipy.
    for home, names in _HOME.items():
        if name in names:
            return getattr(import_module(f"grouser.{home}"), name)
    raise AttributeError(f"module 'grouser' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
