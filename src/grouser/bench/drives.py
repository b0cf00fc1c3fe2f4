"""Drives to be timed: models, ground, contacts, tracks and flippers."""

from collections.abc import Callable

from grouser.bench.case import Case, Probe, Sample
from grouser.bench.choice import Choice
from grouser.bench.start_robots import TICK, start_robots
from grouser.bench.time_drive import time_drive
from grouser.description import Robot
from grouser.models import CATALOGUE
from grouser.models.contact.plant import ContactPlant

LONG, SHORT = 10.0, 1.0
"""Simulated time of a drive by models without and with an engine of contacts [s]."""
REFERENCE = "ideal"
"""The model that others are compared with."""
GROUND = (
    ("slip", "flat"), ("slip", "slope"), ("slip", "step"),
    ("csm:boxes=1", "flat"), ("csm:boxes=1", "slope"), ("csm:boxes=1", "rough"),
    ("csm:boxes=1", "staircase-stand"),
)  # fmt: skip
"""Models and what they drive on; each is compared with its first."""
BOXES = (1, 3, 5, 9)
"""Boxes per straight run of a belt: what carries the weight, and makes contacts."""


def model_cases(choice: Choice) -> list[Case]:
    """Return every model of the catalogue, or those that were named, after the reference."""
    names = choice.models or tuple(CATALOGUE)
    return [
        Case(name=name, start=_start(choice, choice.load, name, "flat"))
        for name in dict.fromkeys((REFERENCE, *names))
    ]


def ground_cases(choice: Choice) -> list[Case]:
    """Return courses, from the simplest on."""
    cases = []
    for model, course in GROUND:
        start = _start(choice, choice.load, model, course)
        cases.append(Case(name=f"{model} on {course}", start=start, reference=f"{model} on flat"))
    return cases


def contact_cases(choice: Choice) -> list[Case]:
    """Return belts with more and more contacts."""
    names = [f"csm:boxes={boxes}" for boxes in BOXES]
    return [Case(name=name, start=_start(choice, choice.load, name, "flat")) for name in names]


def track_cases(choice: Choice) -> list[Case]:
    """Return the robot with each track as one, two and three belts side by side."""
    return [
        Case(
            name=f"{model}, {count} per side",
            reference=f"{model}, 1 per side",
            start=_start(choice, lambda n=count: split_tracks(choice.load(), n), model, "flat"),
        )
        for model in ("csm:boxes=1", "segments")
        for count in (1, 2, 3)
    ]


def flipper_cases(choice: Choice) -> list[Case]:
    """Return the robot without flippers, with two of them, up to all that it has."""
    robot = choice.load()
    counts = sorted({0, 2, len(robot.flippers)} & set(range(len(robot.flippers) + 1)))
    return [
        Case(
            name=f"csm:boxes=1, {count} flippers",
            start=_start(choice, lambda n=count: keep_flippers(robot, n), "csm:boxes=1", "flat"),
        )
        for count in counts
    ]


def split_tracks(robot: Robot, count: int) -> Robot:
    """Return a robot with each track as some narrower ones side by side."""
    tracks = []
    for track in robot.tracks:
        width = track.width / count
        for number in range(count):
            y = track.y + (number - 0.5 * (count - 1)) * width
            changes = {"name": f"{track.name}-{number + 1}", "y": y, "width": width}
            tracks.append(track.model_copy(update=changes))
    return robot.model_copy(update={"tracks": tuple(tracks)})


def keep_flippers(robot: Robot, count: int) -> Robot:
    """Return a robot with only the first of its flippers."""
    return robot.model_copy(update={"flippers": robot.flippers[:count]})


def _start(
    choice: Choice, load: Callable[[], Robot], reference: str, course: str
) -> Callable[[], Probe]:
    def start() -> Probe:
        started = start_robots(load(), reference, course)
        plant = started.plant
        duration = max(choice.share * (SHORT if started.has_engine else LONG), TICK)

        def measure() -> Sample:
            plant.reset()
            factor = duration / time_drive(plant, started.command, duration, tick=TICK)
            note = f"{1e3 * started.step:g} ms"
            if isinstance(plant, ContactPlant):
                note += f", {plant.data.ncon} contacts"
            return Sample(value=factor, step=started.step / factor, note=note)

        return measure

    return start
