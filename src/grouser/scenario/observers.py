"""Observers by name, which add columns to the log of a run, such as estimates of slip."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grouser.control import STATE_NAMES, STATE_UNITS, Belief, FusionSettings, SlipFilter
from grouser.description import Course, Rig, Robot, load_rig, parse_rig
from grouser.description.reference import parse_reference
from grouser.errors import InvalidValue, UnknownName
from grouser.log import Column
from grouser.models import Motion, SideMeans
from grouser.scenario.parts import Part
from grouser.simulation import Observer, OverheadCamera, Reading
from grouser.simulation.observer import OBSERVERS, ObserverKind

DEFAULT_RIG = "tp100-overhead"
"""Default camera rig."""
FUSED = (
    *((f"fused.{name}", STATE_UNITS[name]) for name in STATE_NAMES),
    *((f"fused.{name}_deviation", STATE_UNITS[name]) for name in STATE_NAMES),
)
"""Name and unit of each column of a filter: means, then standard deviations."""


def check_observer(part: Part) -> None:
    """Check name and keys of an observer.

    Raises:
        UnknownName: No observer, or no key of it, has that name.
    """
    kind = OBSERVERS.find(part.name)
    for key in part.parameters:
        if key not in kind.keys:
            raise UnknownName(f"key of observer {part.name!r}", key, kind.keys)


def make_observer(part: Part, robot: Robot, course: Course, seed: int) -> Observer:
    """Return the observer of a part such as `ekf`, `ekf:rig=mine.toml` or `ekf:camera=no`.

    Raises:
        UnknownName: No observer, key or rig has that name.
        InvalidValue: A key has a value that it cannot have, or the robot has no encoders.
    """
    check_observer(part)
    return OBSERVERS[part.name].build(robot, course, seed, {**part.parameters, "text": part.text})


def place_rig(reference: str, course: Course, text: str = "") -> Rig:
    """Return a rig, with its floor in the middle of the course's area if it has no parameters.

    Args:
        reference: Name or file of the rig, perhaps with parameters.
        course: Where the rig stands.
        text: The rig's file, used instead of the file if given.

    Raises:
        GrouserError: There is no such rig, or its file has mistakes.
    """
    name, given = parse_reference(reference)

    def load(**more: float) -> Rig:
        if text:
            return parse_rig(text, name, **{**given, **more})
        return load_rig(reference, **more)

    rig, area = load(), course.area
    if given or area is None or not {"x_m", "y_m"} <= set(rig.parameters):
        return rig
    return load(x_m=math.fsum(area.x) / 2.0, y_m=math.fsum(area.y) / 2.0)


def keep_rig(part: Part) -> Part:
    """Return an observer's part with the text of its rig's file, so that it needs no file."""
    name, _ = parse_reference(str(part.parameters.get("rig", DEFAULT_RIG)))
    has_file = Part(name=name).is_file and part.parameters.get("camera") != "no" and not part.text
    return Part(
        name=part.name,
        parameters=part.parameters,
        changes=part.changes,
        text=load_rig(name).text if has_file else part.text,
    )


def fused_numbers(belief: Belief) -> list[float]:
    """Return mean and standard deviation of each state, in the order of `FUSED`."""
    count = len(STATE_NAMES)
    return [*belief.mean[:count].tolist(), *belief.deviations[:count].tolist()]


def fused_columns(rows: list[list[float]]) -> dict[str, Column]:
    """Return the columns of many rows of `fused_numbers`."""
    numbers: NDArray[np.float64] = np.array(rows).reshape(-1, len(FUSED))
    return {name: Column(numbers[:, k], unit) for k, (name, unit) in enumerate(FUSED)}


class SlipObserver:
    """Runs the slip filter on encoders, gyroscope and camera, tick by tick.

    The true motion is used only for camera pictures. Columns are `fused.NAME` and
    `fused.NAME_deviation` for each state.
    """

    columns: tuple[tuple[str, str], ...] = FUSED

    def __init__(
        self,
        robot: Robot,
        rig: Rig | None,
        *,
        settings: FusionSettings | None = None,
        seed: int = 0,
    ) -> None:
        """Prepare.

        Args:
            robot: Whose sensors are read.
            rig: The camera; None to do without one.
            settings: How well everything is measured; by the robot's file if not given.
            seed: Seed of the camera's noise.

        Raises:
            InvalidValue: The robot has no encoders.
        """
        if robot.sensors.encoder is None:
            raise InvalidValue("robot", robot.name, "have encoders ([sensors.encoder])")
        self._settings = settings or FusionSettings.of(robot)
        generator = np.random.default_rng([seed, 1])
        self._camera = None if rig is None else OverheadCamera(rig, generator)
        self._sides = SideMeans.of(robot)
        self._has_gyro = robot.sensors.imu is not None
        self.filter: SlipFilter | None = None
        """The filter; None before the first tick."""

    def observe(self, time: float, motion: Motion, reading: Reading) -> Sequence[float]:
        """Return mean and deviation of each state."""
        if self.filter is None:
            # The start pose is roughly known; the camera corrects it.
            self.filter = SlipFilter(self._settings, self._settings.start(motion.pose), time)
        else:
            left, right = self._sides(reading["belt_speed_measured"])
            gyro = reading["gyro_yaw_rate"][0] if self._has_gyro else None
            self.filter.advance(time, left, right, gyro)
        if self._camera is not None:
            for sighting in self._camera.look(time, motion):
                self.filter.see(sighting.time, sighting.pose, sighting.deviations)
        return fused_numbers(self.filter.belief)


def _make_slip_observer(
    robot: Robot, course: Course, seed: int, given: Mapping[str, Any]
) -> SlipObserver:
    camera = given.get("camera", "yes")
    if camera not in ("yes", "no"):
        raise InvalidValue("ekf:camera", camera, "be yes or no")
    reference = str(given.get("rig", DEFAULT_RIG))
    rig = place_rig(reference, course, given["text"]) if camera == "yes" else None
    return SlipObserver(robot, rig, seed=seed)


OBSERVERS.register(
    ObserverKind(
        summary="pose, gyroscope bias and slip by an extended Kalman filter",
        keys={"rig": "name or file of a camera rig", "camera": "yes (if not given) or no"},
        build=_make_slip_observer,
    ),
    "ekf",
)


class ContactObserver:
    """Adds the contact forces on each track, flipper or wheel and the tip-over margin to a log."""

    def __init__(self, robot: Robot) -> None:
        """Prepare the columns of a robot."""
        self._parts = [*(d.name for d in robot.drives), *(f.name for f in robot.flippers)]
        kinds = ("normal_force", "friction_force")
        columns = [(f"{kind}.{name}", "N") for name in self._parts for kind in kinds]
        self.columns: tuple[tuple[str, str], ...] = (("tip_over_margin", "m"), *columns)

    def observe(self, time: float, motion: Motion, reading: Reading) -> Sequence[float]:
        """Return the margin, and the normal and the friction force on each part."""
        margin = motion.tip_over_margin
        forces = [force for name in self._parts for force in motion.force_on(name)]
        return math.nan if margin is None else margin, *forces


def make_observers(
    parts: Sequence[Part], robot: Robot, course: Course, seed: int, *, contacts: bool
) -> tuple[Observer, ...]:
    """Return the observers of a run.

    Raises:
        GrouserError: There is none of a name, or one has a wrong key.
    """
    made: list[Observer] = [make_observer(part, robot, course, seed) for part in parts]
    return (*made, ContactObserver(robot)) if contacts else tuple(made)
