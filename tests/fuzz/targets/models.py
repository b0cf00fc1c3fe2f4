"""Words that choose a model, and commands to a robot.

Nonsense: a model whose parameter is not finite or outside the range that it declares, and a
motion that is not finite although nothing was raised.
"""

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from grouser.description import load_course, load_robot
from grouser.models import CATALOGUE, Command, Model, Motion, command_sides, make_model
from grouser.models.parameters import declared_parameters
from grouser.simulation import Simulation
from tests.fuzz.target import Target, require

PLANE, TP100 = load_course("flat"), load_robot("tp100")
CONTACT = ("csm", "wheels", "frictionless", "plates", "segments")
"""Models whose code takes long to compile: they are made, not started."""
TICKS = 3


def _compile() -> None:
    """Have the planar models compiled before anybody looks at a clock."""
    Simulation(make_model("tracks-planar"), TP100, PLANE).advance(command_sides(TP100, 0.0, 0.0))
    robot, course = _robots()["tankbot"]
    for volts in ((), (1.0, 1.0)):
        command = Command(belt_speeds=(0.0, 0.0), motor_voltages=volts)
        Simulation(make_model("tankbot"), robot, course).advance(command)


def _words() -> list[bytes]:
    """Return every model by name, with each parameter at both ends and in the middle."""
    _compile()
    words = list(CATALOGUE)
    for name, kind in CATALOGUE.items():
        for key, declared in declared_parameters(kind).items():
            if declared.range is None:
                words += [f"{name}:{key}={choice}" for choice in declared.choices or ("0", "1")]
            elif not name.startswith(("frictionless", "tankbot")):
                words += [f"{name}:{key}={end:g}" for end in declared.range.ends]
    words += ["tankbot:points=7,inertia=0.01", "frictionless:integral_gain=2000,patches=3"]
    return [word.encode() for word in words]


def _start(content: bytes, folder: Path) -> tuple[Model, Motion | None]:
    model = make_model(content.decode("utf-8", "replace"))
    if model.name in CONTACT:
        return model, None
    simulation = Simulation(model, TP100, PLANE)
    for _ in range(TICKS):
        simulation.advance(command_sides(TP100, 0.1, 0.05))
    return model, simulation.motion


def _check_model(started: tuple[Model, Motion | None]) -> None:
    model, motion = started
    for key, declared in declared_parameters(type(model)).items():
        value = getattr(model, key)
        if declared.range is not None and value is not None:
            low, high = declared.range.ends
            require(low <= value <= high, f"{model.name}:{key} is {value}")
    if motion is not None:
        _check_motion(motion)


@cache
def _robots() -> dict[str, tuple[Any, Any]]:
    return {
        "slip": (load_robot("absolem"), PLANE),
        "tankbot": (load_robot("tankbot"), load_course("treadmill")),
    }


def _commands() -> list[bytes]:
    _compile()
    still = {"flipper_angles": [0.0] * 4}
    found = [
        {"model": "slip", "belt_speeds": [0.3, -0.2], **still},
        {"model": "slip", "belt_speeds": [1e5, -1e300], "flipper_angles": [-1e9, 0.5, 2.0, -0.5]},
        {"model": "tankbot", "belt_speeds": [0.1, 0.2]},
        {"model": "tankbot", "belt_speeds": [0.0, 0.0], "motor_voltages": [3.5, -1e12]},
    ]
    return [json.dumps(command).encode() for command in found]


def _obey(content: bytes, folder: Path) -> Motion:
    try:
        said = json.loads(content)
        name, *numbers = (
            said["model"],
            *(tuple(said.get(kind, ())) for kind in ("belt_speeds", "flipper_angles")),
            tuple(said.get("motor_voltages", ())),
        )
        robot, course = _robots()[name]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        robot, course = _robots()["slip"]  # no command that a program could have made of it
        name, numbers = "slip", [(0.0, 0.0), (), ()]
    speeds, angles, volts = numbers
    command = Command(belt_speeds=speeds, flipper_angles=angles, motor_voltages=volts)
    simulation = Simulation(make_model(name), robot, course)
    for _ in range(TICKS):
        simulation.advance(command)
    return simulation.motion


def _check_motion(motion: Motion) -> None:
    numbers = [getattr(motion.pose, name) for name in ("x", "y", "z", "roll", "pitch", "yaw")]
    numbers += [getattr(motion.twist, name) for name in ("vx", "vy", "vz", "yaw_rate")]
    numbers += [*motion.belt_speeds, *motion.flipper_angles, *motion.slips]
    require(all(math.isfinite(number) for number in numbers), f"motion {motion}")
    require(bool(np.abs(numbers[:3]).max() < 1e6), f"pose {motion.pose}")


TARGETS = [
    Target(
        name="model words",
        samples=_words,
        attempt=_start,
        check=_check_model,
        names_file=False,
        words=(*CATALOGUE, ":", "=", ",", "nan", "-inf", "1e-300", "exact", "inertia", "timestep"),
    ),
    Target(
        name="commands",
        samples=_commands,
        attempt=_obey,
        check=_check_motion,
        names_file=False,
        words=("NaN", "Infinity", "1e308", "-1e308", "null", "true", "[]", '"x"', "{}"),
    ),
]
