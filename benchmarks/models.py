"""Every model in three dimensions on the same drives, in one run: who is how fast."""

from dataclasses import dataclass

from grouser.bench import time_drive
from grouser.description import Robot, load_course, load_robot
from grouser.description.track import Grousers
from grouser.models import command_sides, make_model, start_model

ROBOT = "absolem"
TICK = 0.01
MODELS = ("frictionless", "csm:patches=2", "csm", "wheels:count=4", "wheels:count=8",
          "wheels:count=13", "segments", "plates:pitch=0.1", "plates:pitch=0.1,grousers=1",
          "plates:pitch=0.02", "plates:pitch=0.02,grousers=1")  # fmt: skip
PRINTED = {"frictionless": 3.3333, "csm": 2.8278, "wheels:count=4": 2.3158,
           "wheels:count=8": 1.335, "plates:pitch=0.1": 0.4315,
           "plates:pitch=0.1,grousers=1": 0.5405, "plates:pitch=0.02": 0.0482,
           "plates:pitch=0.02,grousers=1": 0.0491}  # fmt: skip
"""Real-time factors of P1, from the CPU times of its Table I for 110 s [1]."""
GROUSERS = Grousers(count=40, shape="cuboid", length_m=0.005, height_m=0.008)
"""What `segments` drives on: the grousers of P4's PackBot, as Absolem has none."""
DRIVES = (("flat", 0.3, 0.3), ("flat", -0.12, 0.12), ("staircase-stand", 0.0, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One line of the table."""

    model: str
    """Reference of the model."""
    real_time_factor: float
    """Simulated over processor time: straight, on the spot, standing on stairs [1]."""
    ratio: float
    """That over the factor of csm [1]."""
    printed: float | None
    """P1's [1]."""
    printed_ratio: float | None
    """P1's over its csm's [1]."""


def measure_models() -> list[ModelRow]:
    """Return all lines."""
    factors = {model: _factor(model) for model in MODELS}
    return [
        ModelRow(
            model=model,
            real_time_factor=factor,
            ratio=factor / factors["csm"],
            printed=PRINTED.get(model),
            printed_ratio=PRINTED[model] / PRINTED["csm"] if model in PRINTED else None,
        )
        for model, factor in factors.items()
    ]


def _factor(model: str) -> float:
    robot = _ribbed(load_robot(ROBOT)) if model == "segments" else load_robot(ROBOT)
    duration = 0.2 if "0.02" in model else 2.0  # plates of 2 cm would take minutes
    simulated = seconds = 0.0
    for course, left, right in DRIVES:
        plant = start_model(make_model(model), robot, load_course(course))
        command = command_sides(robot, left, right)
        plant.advance(command, TICK)
        seconds += time_drive(plant, command, duration, tick=TICK)
        simulated += duration
    return simulated / seconds


def _ribbed(robot: Robot) -> Robot:
    tracks = tuple(track.model_copy(update={"grousers": GROUSERS}) for track in robot.tracks)
    return robot.model_copy(update={"tracks": tracks})
